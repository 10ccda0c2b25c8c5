import { kindOf } from './find-hooks.ts'
import { type HookEntry, hooksSetting } from './hook-entries.ts'
import { itemsOf, type Member, membersOf, rootOf, type Span } from './json-text.ts'
import type { Piece } from './pieces.ts'

export type Insertion =
  | { readonly ok: true; readonly pieces: readonly Piece[] }
  /** The file has something else where hooks would go. */
  | { readonly ok: false; readonly why: string }

interface Style {
  readonly newline: string
  /** One step of indentation; undefined for a text on one line. */
  readonly unit: string | undefined
}

/** What to put into a settings text so that it has these hooks. Nothing of what is there changes. */
export function insertHooks(text: string, wanted: ReadonlyMap<string, HookEntry>): Insertion {
  const root = rootOf(text)
  if (kindOf(text, root) !== '{') return { ok: false, why: 'it is not an object' }
  const style = styleOf(text, root)
  const members = membersOf(text, root)
  const hooks = effective(members, 'hooks')
  if (!hooks) {
    const added = [{ key: 'hooks', value: hooksSetting(wanted) }]
    return { ok: true, pieces: [insertMembers(text, { container: root, children: members, added, style })] }
  }
  if (kindOf(text, hooks) !== '{') return { ok: false, why: '"hooks" is not an object' }
  const events = membersOf(text, hooks)
  const pieces: Piece[] = []
  const added: { key: string; value: unknown }[] = []
  for (const [event, entry] of wanted) {
    const list = effective(events, event)
    if (!list) added.push({ key: event, value: [entry] })
    else if (kindOf(text, list) !== '[') return { ok: false, why: `"hooks.${event}" is not a list` }
    else pieces.push(insertItem(text, { container: list, children: itemsOf(text, list), item: entry, style }))
  }
  if (added.length > 0) pieces.push(insertMembers(text, { container: hooks, children: events, added, style }))
  return { ok: true, pieces: pieces.sort((one, other) => one.at - other.at) }
}

/** Of a key that comes twice, JSON takes the last. */
function effective(members: readonly Member[], key: string): Span | undefined {
  return members.findLast((member) => member.key === key)?.value
}

function styleOf(text: string, root: Span): Style {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n'
  const [first] = membersOf(text, root)
  if (!first) return { newline, unit: '  ' }
  return { newline, unit: indentOf(text.slice(root.start + 1, first.start)) }
}

/** The indentation in the space before something; undefined when it does not begin a line. */
function indentOf(space: string): string | undefined {
  return /\n([^\n]*)$/.exec(space)?.[1]
}

interface Target {
  readonly container: Span
  readonly children: readonly Span[]
  readonly style: Style
}

function insertMembers(text: string, target: Target & { added: readonly { key: string; value: unknown }[] }): Piece {
  return insert(text, target, (indent, gap) =>
    target.added
      .map(({ key, value }) => `${JSON.stringify(key)}:${gap}${rendered(value, target.style, indent)}`)
      .join(indent === undefined ? `,${gap}` : `,${target.style.newline}${indent}`),
  )
}

function insertItem(text: string, target: Target & { item: unknown }): Piece {
  return insert(text, target, (indent) => rendered(target.item, target.style, indent))
}

/** Puts something after the last child, the way that one is put. */
function insert(
  text: string,
  { container, children, style }: Target,
  render: (indent: string | undefined, gap: string) => string,
): Piece {
  const last = children.at(-1)
  if (last) {
    const space = text.slice(children.at(-2)?.end ?? container.start, last.start).replace(/^[\s\S]*[,[{]/, '')
    const indent = indentOf(space)
    const between = indent === undefined ? space : style.newline + indent
    return { at: last.end, text: `,${between}${render(indent, indent === undefined ? space : ' ')}` }
  }
  if (style.unit === undefined) return { at: container.end - 1, text: render(undefined, '') }
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', container.start) + 1, container.start))?.[0] ?? ''
  const indent = outer + style.unit
  const inserted = `${style.newline}${indent}${render(indent, ' ')}`
  // An empty one may be closed on a line of its own.
  return text.slice(container.start, container.end).includes('\n')
    ? { at: container.start + 1, text: inserted }
    : { at: container.end - 1, text: `${inserted}${style.newline}${outer}` }
}

function rendered(value: unknown, style: Style, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value)
  return JSON.stringify(value, null, style.unit ?? '  ').replaceAll('\n', style.newline + indent)
}
