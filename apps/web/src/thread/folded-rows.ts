import { isYes } from '@holdpoint/core/is-yes'
import type { DisplayIcon } from '@holdpoint/schema/display'
import { count } from '../text/count.ts'
import { textField } from './input-text.ts'
import type { PlainRow } from './thread-rows.ts'

/** Calls in a row that went well, as one line. */
export interface FoldedRow {
  readonly kind: 'folded'
  readonly key: string
  readonly depth: 0 | 1
  /** `Read 5 files, ran 2 commands` */
  readonly words: string
  /** How many of them were asked about, and allowed. */
  readonly allowed: number
  readonly isOpen: boolean
  /** Keys of the rows in it. */
  readonly inside: readonly string[]
}

type CallRow = Extract<PlainRow, { kind: 'tool' | 'tasks' }>

/** Fewer take no more room than the line. */
const FEWEST = 3

/**
 * Puts calls in a row into one line that opens. Only what went well: a call that waits, runs, failed or was denied stays in
 * sight, and so does a subagent. With one of its rows opened, a fold is open.
 */
export function foldedRows(
  rows: readonly PlainRow[],
  isExpanded: (key: string) => boolean,
): readonly (PlainRow | FoldedRow)[] {
  const out: (PlainRow | FoldedRow)[] = []
  for (let from = 0; from < rows.length; ) {
    const run = runFrom(rows, from)
    const calls = run.filter(isCall)
    const [first] = run
    if (!first || calls.length < FEWEST) {
      const end = from + Math.max(1, run.length)
      for (; from < end; from++) {
        const row = rows[from]
        if (row) out.push(row)
      }
      continue
    }
    const key = `folded ${first.key}`
    const inside = run.map((row) => row.key)
    const isOpen = isExpanded(key) || inside.some(isExpanded)
    const allowed = calls.filter((row) => row.kind === 'tool' && row.asks.length > 0).length
    out.push({ kind: 'folded', key, depth: first.depth, words: wordsFor(calls), allowed, isOpen, inside })
    if (isOpen) for (const row of run) out.push({ ...row, depth: 1 })
    from += run.length
  }
  return out
}

/** The calls that begin here and went well, and the thoughts between them. */
function runFrom(rows: readonly PlainRow[], from: number): readonly PlainRow[] {
  const depth = rows[from]?.depth
  let end = from
  for (let at = from; at < rows.length; at++) {
    const row = rows[at]
    if (!row || row.depth !== depth) break
    if (isCall(row)) end = at + 1
    else if (row.kind !== 'thinking' || end === from) break
  }
  return rows.slice(from, end)
}

function isCall(row: PlainRow): row is CallRow {
  if (row.kind === 'tasks') return !row.isNewest
  if (row.kind !== 'tool' || !row.result || row.result.isError || row.crew) return false
  const icon = row.call.display?.icon
  return icon !== 'agent' && icon !== 'plan' && row.asks.every(({ outcome }) => outcome && isYes(outcome))
}

type Sort = 'commands' | 'read' | 'edited' | 'written' | 'fetched' | 'web' | 'files' | 'tasks' | 'tools'

const SORTS: Readonly<Record<DisplayIcon, Sort>> = {
  terminal: 'commands',
  read: 'read',
  edit: 'edited',
  write: 'written',
  web: 'fetched',
  search: 'web',
  find: 'files',
  tasks: 'tasks',
  plan: 'tools',
  agent: 'tools',
  own: 'tools',
  tool: 'tools',
}

const WORDS: Readonly<Record<Sort, (number: number) => string>> = {
  commands: (number) => `ran ${count(number, 'command')}`,
  read: (number) => `read ${count(number, 'file')}`,
  edited: (number) => `edited ${count(number, 'file')}`,
  written: (number) => `wrote ${count(number, 'file')}`,
  fetched: (number) => `fetched ${count(number, 'page')}`,
  web: (number) => `searched the web ${times(number)}`,
  files: (number) => `searched files ${times(number)}`,
  tasks: () => 'updated its to-do list',
  tools: (number) => `made ${count(number, 'other call')}`,
}

/** By what the driver says of each call; a file that comes twice counts once. */
function wordsFor(calls: readonly CallRow[]): string {
  const found = new Map<Sort, Set<string>>()
  for (const row of calls) {
    const sort = row.kind === 'tasks' ? 'tasks' : (SORTS[row.call.display?.icon ?? 'tool'] ?? 'tools')
    const things = found.get(sort) ?? new Set()
    found.set(sort, things.add(thingOf(row, sort)))
  }
  const words = Array.from(found, ([sort, things]) => WORDS[sort](things.size)).join(', ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function thingOf(row: CallRow, sort: Sort): string {
  const isFile = sort === 'read' || sort === 'edited' || sort === 'written'
  const subject = row.kind === 'tool' && isFile ? row.call.display?.subject : undefined
  return (subject !== undefined && row.kind === 'tool' && textField(row.call.input, subject)) || row.key
}

function times(number: number): string {
  return number === 1 ? 'once' : `${number} times`
}
