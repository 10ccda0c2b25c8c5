import { Effect, type PolicyRule, type RuleScope } from '@holdpoint/schema/policy'
import { parseRulePattern } from './rule-pattern.ts'
import { checkRule } from './rule-tests.ts'

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
    if (!effect) notMapped.push({ rule: name, why: 'This is a setting of Claude Code and no rule. It stays there.' })
    else if (!Array.isArray(given)) notMapped.push({ rule: name, why: 'This is not a list.' })
    else for (const text of given) take(effect, text)
  }
  return { rules: [...rules.values()], notMapped }

  function take(effect: Effect, text: unknown) {
    if (typeof text !== 'string') {
      notMapped.push({ rule: `${effect} ${JSON.stringify(text)}`, why: 'This is not a text.' })
      return
    }
    const pattern = patternOf(text)
    const rule: ImportedRule = { effect, agent: effect === 'allow' ? 'claude' : '*', pattern, scope }
    const why = whyOtherwise(effect, text, scope) ?? checkRule({ ...rule, id: NO_ID, at: 0, revision: 0 })
    if (why === undefined) rules.set(`${effect} ${pattern}`, rule)
    else notMapped.push({ rule: `${effect} ${text}`, why })
  }
}

const NO_ID = `rul_${'0'.repeat(26)}` as const

function patternOf(text: string): string {
  if (/^mcp__(?:(?!__)[\w.-])+$/.test(text)) return `${text}__*`
  return text.replace(/^(Bash\(.*):\*\)$/s, '$1 *)')
}

/** Why the same text does not mean the same here. */
function whyOtherwise(effect: Effect, text: string, scope: RuleScope): string | undefined {
  const [, tool = '', inside = ''] = /^(\w+)\((.*)\)$/s.exec(text) ?? []
  if (tool === 'Bash' && inside.replace(/(:| )\*$/, '').includes('*') && inside !== '*')
    return 'In Claude Code such a * stands for any text, here only for whole words.'
  if (tool === 'Bash' && /^\w+=/.test(inside)) return 'Here no rule is about variables that are set for a command.'
  if (/^(Write|NotebookEdit|MultiEdit)$/.test(tool) && effect === 'allow')
    return 'Here a rule for one way of editing a file is a rule for all of them, and would allow more.'
  if (/^\/(?!\/)/.test(inside) && tool !== 'Bash' && scope.kind !== 'project')
    return 'A path from the root of a project means something only in the settings of that project.'
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
  if (until !== undefined) return until <= now ? 'Its time is over.' : 'In Claude Code no rule ends by itself.'
  if (pins?.length) return 'In Claude Code no rule depends on what is in a file.'
  if (scope.kind === 'session') return 'It is for one session.'
  if (folder === undefined) return scope.kind === 'project' ? `It holds only in ${scope.folder}.` : undefined
  if (scope.kind === 'everywhere') return "It holds everywhere, and belongs in the user's settings."
  return scope.folder === folder ? undefined : `It holds only in ${scope.folder}.`
}

const WIDER = 'Claude Code compares such a rule more loosely, and would allow more.'

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
