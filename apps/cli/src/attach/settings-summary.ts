import { dataFolderIn, isOurs, scriptIn, whenStoppedIn } from '@holdpoint/agents/claude/hooks/hook-command'
import { terminalText } from '../console/terminal-text.ts'
import { type FoundHook, findHooks, kindOf } from './find-hooks.ts'
import { itemsOf, type Member, membersOf, parsedAt, rootOf, type Span } from './json-text.ts'

const COLUMNS = 76
const INDENT = ' '.repeat(11)

/** What is not ours: a setting, a hook, or whatever stands where hooks would. */
interface Other {
  readonly name: string
  /** Of a hook, the event. */
  readonly event?: string
  readonly source: string
}

/**
 * Summary of a change to a settings file: which of our hooks are added and removed, and what stays. Undefined when the
 * change does anything else; then only the diff can show it.
 */
export function settingsSummary(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string[] | undefined {
  const others = othersIn(after ?? '{}')
  if (!isSame(othersIn(before ?? '{}'), others)) return undefined
  const [gone, come] = [findHooks(before ?? '{}'), findHooks(after ?? '{}')]
  const hookCount = (hooks: readonly unknown[]) => `${hooks.length} ${hooks.length === 1 ? 'hook' : 'hooks'}`
  const lines = [`${beginning(before, after)} ${terminalText(path)}:`]
  if (come.length > 0) lines.push(...entry('adds', `${hookCount(come)} of Holdpoint`), ...whatTheyDo(come))
  if (gone.length > 0) {
    const whose = come.length > 0 ? 'that were added before' : 'of Holdpoint'
    lines.push(...entry('removes', `${hookCount(gone)} ${whose}: ${eventsOf(gone)}`))
  }
  const kept = others.flatMap(({ name, event }) => (event === undefined ? [terminalText(name)] : []))
  const hooks = others.flatMap(({ event }) => (event === undefined ? [] : [{ event }]))
  if (hooks.length > 0) kept.push(`${hookCount(hooks)} of your own (${eventsOf(hooks)})`)
  if (kept.length > 0) lines.push(...entry('leaves', `everything else as it is: ${kept.join(', ')}`))
  return lines
}

function beginning(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return 'Creates'
  return after === undefined ? 'Removes, because nothing else is in it,' : 'Changes'
}

/** Derived from the file's new content, not from what was meant to be written. */
function whatTheyDo(hooks: readonly FoundHook[]): string[] {
  const isFollowing = ({ entry: { hooks: all } }: FoundHook) =>
    all.every((hook) => (hook as { async?: unknown }).async === true)
  const [before, others] = [hooks.filter(isBefore), hooks.filter((hook) => !isBefore(hook))]
  const [asking, following] = [others.filter((hook) => !isFollowing(hook)), others.filter(isFollowing)]
  const program = new Set(hooks.map(({ command }) => scriptIn(command)))
  const folder = new Set(hooks.map(({ command }) => dataFolderIn(command)))
  const all = (values: ReadonlySet<string | undefined>) =>
    [...values].map((value) => terminalText(value ?? 'something else')).join(', ')
  const isDenying = before.some(({ command }) => whenStoppedIn(command) === 'deny')
  const stopped = isDenying ? 'every call is denied' : 'terminals work as before'
  return [
    ...(before.length > 0 ? entry('', `${eventsOf(before)}: applies your rules; without a gateway ${stopped}`) : []),
    ...(asking.length > 0 ? entry('', `${eventsOf(asking)}: also asks you in Holdpoint and waits for the answer`) : []),
    ...(following.length > 0
      ? entry('', `${eventsOf(following)}: report to Holdpoint in the background what happens`)
      : []),
    ...entry('', `They run ${all(program)} for the gateway on ${all(folder)}.`),
  ]
}

function isBefore({ command }: FoundHook): boolean {
  return whenStoppedIn(command) !== undefined
}

/** Of a settings text: the hooks of others that could answer in the place of a person, by event. */
export function othersThatDecide(text: string | undefined): string[] {
  const events = othersIn(text ?? '{}').map(({ event }) => event)
  return ['PreToolUse', 'PermissionRequest'].filter((event) => events.includes(event))
}

function eventsOf(hooks: readonly { readonly event: string }[]): string {
  return [...new Set(hooks.map(({ event }) => terminalText(event)))].join(', ')
}

/** Broken between words: a path that is longer than a line stays whole. */
function entry(name: string, words: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of words.split(' ')) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((text, index) => `${index === 0 ? `  ${name}`.padEnd(INDENT.length) : INDENT}${text}`)
}

function isSame(one: readonly Other[], other: readonly Other[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ event, source }, index) => event === other[index]?.event && source === other[index]?.source)
  )
}

function othersIn(text: string): Other[] {
  return membersOf(text, rootOf(text)).flatMap((member) =>
    member.key === 'hooks' && kindOf(text, member.value) === '{'
      ? membersOf(text, member.value).flatMap((event) => othersOf(text, event))
      : [{ name: member.key, source: sourceOf(text, member) }],
  )
}

function othersOf(text: string, event: Member): Other[] {
  if (kindOf(text, event.value) !== '[') return [{ name: `hooks.${event.key}`, source: sourceOf(text, event) }]
  const named = (source: string) => ({ name: event.key, event: event.key, source })
  return itemsOf(text, event.value).flatMap((item) => {
    const members = kindOf(text, item) === '{' ? membersOf(text, item) : []
    const list = members.find(({ key }) => key === 'hooks')?.value
    const hooks = list && kindOf(text, list) === '[' ? itemsOf(text, list) : []
    if (hooks.length === 0) return [named(sourceOf(text, item))]
    // When a hook runs is said beside it.
    const beside = members.filter(({ value }) => value !== list).map((member) => sourceOf(text, member))
    return hooks
      .filter((hook) => !isOurs(parsedAt(text, hook)))
      .map((hook) => named([...beside, sourceOf(text, hook)].join()))
  })
}

function sourceOf(text: string, { start, end }: Span): string {
  return text.slice(start, end)
}
