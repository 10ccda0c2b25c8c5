import { isOurs } from '@holdpoint/agents/claude/hooks/hook-command'
import type { HookEntry } from './hook-entries.ts'
import { itemsOf, membersOf, parsedAt, rootOf, type Span } from './json-text.ts'

/** One of our hooks in a settings text, and all that it stands in, from the outside in. */
export interface FoundHook {
  readonly event: string
  readonly command: string
  readonly entry: HookEntry
  readonly place: readonly Place[]
}

/** A child of a container: the member of an object, or the item of an array. */
export interface Place {
  readonly container: Span
  readonly children: readonly Span[]
  readonly index: number
}

/** Every hook of ours. Reads leniently: what is not shaped like hooks has none. */
export function findHooks(text: string): FoundHook[] {
  const root = rootOf(text)
  if (kindOf(text, root) !== '{') return []
  const members = membersOf(text, root)
  return members.flatMap((member, index) =>
    member.key === 'hooks' ? inHooks(text, member.value, [{ container: root, children: members, index }]) : [],
  )
}

export function kindOf(text: string, span: Span): string {
  return text.charAt(span.start)
}

function inHooks(text: string, hooks: Span, place: readonly Place[]): FoundHook[] {
  if (kindOf(text, hooks) !== '{') return []
  const events = membersOf(text, hooks)
  return events.flatMap(({ key: event, value: list }, eventIndex) => {
    if (kindOf(text, list) !== '[') return []
    const entries = itemsOf(text, list)
    return entries.flatMap((entry, entryIndex) =>
      inEntry(text, entry, event, [
        ...place,
        { container: hooks, children: events, index: eventIndex },
        { container: list, children: entries, index: entryIndex },
      ]),
    )
  })
}

function inEntry(text: string, span: Span, event: string, place: readonly Place[]): FoundHook[] {
  if (kindOf(text, span) !== '{') return []
  const entry = parsedAt(text, span) as HookEntry
  return membersOf(text, span).flatMap((member) => {
    if (member.key !== 'hooks' || kindOf(text, member.value) !== '[') return []
    const children = itemsOf(text, member.value)
    return children.flatMap((child, index) => {
      const hook = parsedAt(text, child)
      if (!isOurs(hook)) return []
      return [{ event, command: hook.command, entry, place: [...place, { container: member.value, children, index }] }]
    })
  })
}
