import type { Ask, AskFile, AskRequest, Remember, ToolInput } from '@holdpoint/schema/ask'
import type { RuleId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Actor } from '@holdpoint/schema/outcome'
import type { ListedRule, Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'

/** What such a call does depends on the file as it is: the same input is another change each time. */
const IN_PLACE = new Set(['Edit', 'MultiEdit', 'NotebookEdit'])
/**
 * Tools whose input says all of what a call does, of MCP servers' tools apart. Others run what stands elsewhere: a skill
 * its own commands, an agent whatever it comes to.
 */
const SAYS_ALL = new Set(['Bash', 'Read', 'Write', 'Glob', 'Grep', 'WebFetch', 'WebSearch'])
/** What a rule is about, in one field of the tool's input. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['Bash', 'command'],
  ['Read', 'file_path'],
  ['Write', 'file_path'],
  ['WebFetch', 'url'],
  ['WebSearch', 'query'],
])
const SHOWN_CHARACTERS = 200

export function editsInPlace(tool: string): boolean {
  return IN_PLACE.has(tool)
}

/** Whether a call may be remembered that was held before the agent's own check had a say. */
export function mayBeRememberedUnsaid(tool: string): boolean {
  return SAYS_ALL.has(tool)
}

interface CalledTool {
  readonly name: string
  readonly input: Readonly<ToolInput>
}

type RememberedCall = Pick<
  AskRequest,
  'kind' | 'tool' | 'context' | 'files' | 'filesUnknown' | 'flags' | 'matchedAskRule' | 'appeal'
>

/**
 * What "allow and remember" would remember of a call: all of its input, the folder that it is made in, the files that it
 * runs, where the file really is that it writes, and what is in it. Anything else is another call, and asks.
 */
export function rememberOf(call: RememberedCall, sha256: (text: string) => string): Remember | undefined {
  const { tool, context, files = [] } = call
  if (!tool || whyNot(call) !== undefined) return undefined
  const input = decidingInput(tool)
  const run = files.filter(({ use }) => use === 'runs').map(({ path, sha256: hash }) => ({ path, sha256: hash }))
  const written = writtenFile(call)
  const key = sha256(
    canonicalJson({ tool: tool.name, input, cwd: context.cwd, files: run, ...(written && { written: written.path }) }),
  )
  const rule = `${callWords(tool.name, input, sha256)} in ${context.cwd}`
  if (written) return { key, rule: `${rule}, unless something else changes that file`, replaces: written.sha256 }
  const there = run.filter(({ sha256: hash }) => hash !== null).map(({ path }) => path)
  const unchanged = there.length > 0 ? `, while ${there.join(', ')} stays as it is` : ''
  return { key, rule: `${rule}${unchanged}` }
}

/** The file that a call puts other content in, all of it. */
function writtenFile({ tool, files = [] }: Pick<RememberedCall, 'tool' | 'files'>): AskFile | undefined {
  return tool?.name === 'Write' ? files.find(({ use }) => use === 'edits') : undefined
}

/** The rule that a person makes by allowing and remembering this ask, or why there can be none. */
export function ruleFor(ask: Ask, made: { id: RuleId; by: Actor; at: number }): Rule | { why: string } {
  const why = whyNotRemembered(ask)
  if (why !== undefined || !ask.remember || !ask.tool) return { why: why ?? 'there is nothing to remember' }
  const { sessionId, epoch, id: askId } = ask
  return { ...made, scope: 'session', sessionId, epoch, tool: ask.tool.name, ...ask.remember, askId }
}

/** The rule that settles this ask without a person: one for exactly this call, made in this life of the session. */
export function matchingRule(rules: readonly Rule[], ask: Ask, life: Life): Rule | undefined {
  if (whyNotRemembered(ask) !== undefined) return undefined
  return rules.find(
    (rule) =>
      rule.epoch !== undefined &&
      isOfLife(rule, life) &&
      rule.tool === ask.tool?.name &&
      rule.key === ask.remember?.key &&
      replacesTheSame(rule, ask),
  )
}

/** Whether nothing is lost that was not in the file when the rule was made: it is as it was then, or holds the new content already. */
function replacesTheSame(rule: Rule, ask: Ask): boolean {
  const file = writtenFile(ask)
  return file === undefined || file.sha256 === rule.replaces || file.sha256 === file.after
}

type Life = Pick<Session, 'epoch' | 'lifeEpoch'>

/** The epoch in which this life of the session began. An agent that is parked and woken goes on with the same life. */
export function lifeOf({ epoch, lifeEpoch }: Life): number {
  return lifeEpoch ?? epoch
}

/** Whether a rule is still one of the session's: it ends with the life that it was made in. */
export function isOfLife(rule: { readonly epoch?: number | undefined }, life: Life): boolean {
  // Rules of older versions have no life. They match nothing; people are told so until they take them away.
  return rule.epoch === undefined || rule.epoch >= lifeOf(life)
}

export function listedRule(rule: Rule): ListedRule {
  if (rule.epoch !== undefined) return rule
  return {
    ...rule,
    ended: 'Made by an earlier version, whose rules matched too much. It allows nothing now. You can remove it.',
  }
}

/** Why a person cannot have this ask remembered, if they cannot. */
export function whyNotRemembered(ask: Ask): string | undefined {
  return whyNot(ask) ?? (ask.remember ? undefined : 'there is nothing to remember for this kind of ask')
}

/** Why no rule of the policy can be made from an ask, if none can: it needs a person each time, or is no call. */
export function whyNoRule(
  call: Pick<Ask, 'kind' | 'tool' | 'context' | 'flags' | 'matchedAskRule' | 'raisedBy' | 'appeal'>,
): string | undefined {
  const { kind, tool, context, flags, matchedAskRule, raisedBy, appeal } = call
  if (appeal) return 'the agent refused this call, so it needs a person each time'
  if (raisedBy !== undefined) return 'a program asks for this, not the agent'
  if (flags.noRemember) return 'the agent does not allow this to be remembered'
  if (flags.defaultToNo) return 'this ask needs a person each time'
  if (matchedAskRule) return 'your own settings require a person each time'
  if (kind !== 'approval' || !tool) return 'there is nothing to remember for this kind of ask'
  return context.cwd === undefined ? 'the folder in which it runs is not known' : undefined
}

function whyNot(call: RememberedCall): string | undefined {
  const { tool, files, filesUnknown } = call
  if (tool && IN_PLACE.has(tool.name)) return 'the same edit can change a file differently next time'
  const never = whyNoRule(call)
  if (never !== undefined || !tool) return never
  if (!SAYS_ALL.has(tool.name) && !tool.name.startsWith('mcp__'))
    return 'the input alone does not say what this tool runs'
  if (filesUnknown !== undefined) return 'Holdpoint does not know all files that it uses'
  if (tool.name === 'Write' && !writtenFile({ tool, files })) return 'the content of the file is not known'
  return undefined
}

/**
 * Fields of a call's input that may differ from those that were remembered: of a command the agent's description, and how
 * long the agent waits for it. In the background a command is stopped when that time is over, possibly half way: there it
 * counts.
 */
export function ignoredFields({ name, input }: CalledTool): readonly string[] {
  if (name !== 'Bash') return []
  const isInBackground = input.run_in_background !== undefined && input.run_in_background !== false
  return isInBackground ? ['description'] : ['description', 'timeout']
}

/** The call in one line, without the tool's name. */
export function subjectOf(tool: CalledTool): string {
  const subject = tool.input[SUBJECTS.get(tool.name) ?? '']
  return typeof subject === 'string' ? subject : canonicalJson(decidingInput(tool))
}

function decidingInput(tool: CalledTool): ToolInput {
  const ignored = ignoredFields(tool)
  return Object.fromEntries(Object.entries(tool.input).filter(([field]) => !ignored.includes(field)))
}

/** `Bash(npm test)`, and what else is in the input. */
function callWords(name: string, input: Readonly<ToolInput>, sha256: (text: string) => string): string {
  const field = SUBJECTS.get(name) ?? ''
  const subject = input[field]
  if (typeof subject !== 'string') return `${name}(${shown(canonicalJson(input), sha256)})`
  const { [field]: _, ...rest } = input
  const more = Object.entries(rest).map(([key, value]) => `${key} ${shown(canonicalJson(value), sha256)}`)
  return `${name}(${subject})${more.length > 0 ? ` with ${more.join(', ')}` : ''}`
}

function shown(text: string, sha256: (text: string) => string): string {
  if (text.length <= SHOWN_CHARACTERS) return text
  return `of ${text.length.toLocaleString('en')} characters, SHA-256 ${sha256(text).slice(0, 12)}...`
}
