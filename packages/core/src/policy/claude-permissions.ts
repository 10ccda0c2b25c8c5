import { Effect, type PolicyRule, type RuleScope } from '@holdpoint/schema/policy'
import { checkRule } from './check-rule.ts'
import { parseRulePattern } from './rule-pattern.ts'
import { unsavedRule } from './unsaved-rule.ts'

export type ImportedRule = Pick<PolicyRule, 'effect' | 'agent' | 'pattern' | 'scope'>

/** What has no counterpart on the other side, as it is written there, and why: one plain sentence. */
export interface NotMapped {
  readonly rule: string
  readonly why: string
}

const EFFECTS = Effect.options

/**
 * Rules of Claude Code's settings as rules of ours. Where the same text would mean more here, or nobody can say what it
 * means, it is left out and listed. What allows is for Claude Code alone, what asks or denies for every agent.
 */
export function fromClaudeCode(
  settings: Readonly<Record<string, unknown>>,
  scope: RuleScope,
): { readonly rules: readonly ImportedRule[]; readonly notMapped: readonly NotMapped[] } {
  const rules = new Map<string, ImportedRule>()
  const notMapped: NotMapped[] = []
  const { permissions } = settings
  if (typeof permissions !== 'object' || permissions === null || Array.isArray(permissions))
    return { rules: [], notMapped: [{ rule: 'permissions', why: 'There are no permissions in these settings.' }] }
  for (const [name, given] of Object.entries(permissions)) {
    const effect = EFFECTS.find((each) => each === name)
    if (!effect) notMapped.push({ rule: name, why: 'This is a setting of Claude Code, not a rule. It stays there.' })
    else if (!Array.isArray(given)) notMapped.push({ rule: name, why: 'This is not a list.' })
    else for (const text of given) take(effect, text)
  }
  return { rules: [...rules.values()], notMapped }

  function take(effect: Effect, text: unknown) {
    if (typeof text !== 'string') {
      notMapped.push({ rule: `${effect} ${JSON.stringify(text)}`, why: 'This is not a string.' })
      return
    }
    const pattern = patternOf(text)
    const rule: ImportedRule = { effect, agent: effect === 'allow' ? 'claude' : '*', pattern, scope }
    const why = whyOtherwise(effect, text, scope) ?? checkRule(unsavedRule(rule))
    if (why === undefined) rules.set(`${effect} ${pattern}`, rule)
    else notMapped.push({ rule: `${effect} ${text}`, why })
  }
}

function patternOf(text: string): string {
  if (/^mcp__(?:(?!__)[\w.-])+$/.test(text)) return `${text}__*`
  return text.replace(/^(Bash\(.*):\*\)$/s, '$1 *)')
}

/** Why the same text does not mean the same here. */
function whyOtherwise(effect: Effect, text: string, scope: RuleScope): string | undefined {
  const [, tool = '', inside = ''] = /^(\w+)\((.*)\)$/s.exec(text) ?? []
  if (tool === 'Bash' && inside.replace(/(:| )\*$/, '').includes('*') && inside !== '*')
    return 'In Claude Code such a * matches any text. Here it matches only whole words.'
  if (tool === 'Bash' && /^\w+=/.test(inside)) return 'Here a rule cannot match variables that are set for a command.'
  if (/^(Write|NotebookEdit|MultiEdit)$/.test(tool) && effect === 'allow')
    return 'Here a rule for one editing tool counts for all of them, so it would allow more.'
  if (/^\/(?!\/)/.test(inside) && tool !== 'Bash' && scope.kind !== 'project')
    return 'A path from the root of a project has a meaning only in the settings of that project.'
  return undefined
}

export interface ClaudePermissions {
  readonly allow: string[]
  readonly ask: string[]
  readonly deny: string[]
}

/**
 * Rules of ours as Claude Code's permissions: for a project's settings those that hold in its folder, else those that hold
 * everywhere. Claude Code compares more loosely, so that an allow rule with a wildcard would allow more there: it is listed.
 */
export function toClaudeCode(
  rules: readonly PolicyRule[],
  { folder, now }: { readonly folder?: string | undefined; readonly now: number },
): { readonly permissions: ClaudePermissions; readonly notMapped: readonly NotMapped[] } {
  const permissions: ClaudePermissions = { allow: [], ask: [], deny: [] }
  const notMapped: NotMapped[] = []
  for (const rule of rules) {
    const { effect, pattern } = rule
    const why = whyOnlyHere(rule, folder, now) ?? whyNotWritten(rule)
    const list = permissions[effect]
    const text = pattern.replace(/^(Write|MultiEdit|NotebookEdit)(?=\(|$)/, 'Edit')
    if (why !== undefined) notMapped.push({ rule: `${effect} ${pattern}`, why })
    else if (!list.includes(text)) list.push(text)
  }
  return { permissions, notMapped }
}

function whyOnlyHere(rule: PolicyRule, folder: string | undefined, now: number): string | undefined {
  const { agent, scope, until, pins } = rule
  if (agent !== '*' && agent !== 'claude') return 'It is for another agent.'
  if (until !== undefined) return until <= now ? 'It has expired.' : 'In Claude Code rules do not expire.'
  if (pins?.length) return 'In Claude Code rules cannot be pinned to the content of a file.'
  if (scope.kind === 'session') return 'It is for one session.'
  if (folder === undefined) return scope.kind === 'project' ? `It holds only in ${scope.folder}.` : undefined
  if (scope.kind === 'everywhere') return "It holds everywhere, so it belongs in the user's settings."
  return scope.folder === folder ? undefined : `It holds only in ${scope.folder}.`
}

const WIDER = 'Claude Code compares such a rule less strictly, so it would allow more.'

/** Why Claude Code has no text for it that means the same, or less where it allows. */
function whyNotWritten({ effect, pattern: text, scope }: PolicyRule): string | undefined {
  const parsed = parseRulePattern(text, effect)
  if ('error' in parsed) return parsed.error
  const { pattern } = parsed
  const isWild = effect === 'allow' && /[*\\]/.test(text)
  switch (pattern.about) {
    case 'command':
      return isWild ? WIDER : undefined
    case 'file':
      if (scope.kind === 'everywhere' && /\(\/(?!\/)/.test(text))
        return 'A path from the root of a project cannot be written in settings for all projects.'
      return isWild || (effect === 'allow' && pattern.path?.isName) ? WIDER : undefined
    case 'fetch':
      return isWild || pattern.address.port !== undefined
        ? 'Claude Code compares only the name of the host.'
        : undefined
    case 'mcp':
    case 'tool':
      return undefined
    default:
      return pattern satisfies never
  }
}
