import type { ThreadState } from '@holdpoint/client/gateway-client'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, ItemId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import { type FoldedRow, foldedRows } from './folded-rows.ts'
import type { ToolCallItem } from './input-text.ts'
import { createTaskList, type Task } from './task-list.ts'

export type ToolResultItem = Extract<Item, { type: 'tool-result' }>

interface RowBase {
  readonly key: string
  /** 1 for what a subagent says and does. */
  readonly depth: 0 | 1
}

/** What a subagent did, where it is folded. */
export interface Crew {
  readonly steps: number
  readonly waits: boolean
  /** The call's result says once more what stands last in it. */
  readonly endsWithResult: boolean
}

/** One line of the thread, before calls in a row are folded. */
export type PlainRow = RowBase &
  (
    | { readonly kind: 'message'; readonly item: MessageItem }
    | { readonly kind: 'thinking'; readonly item: Extract<Item, { type: 'thinking' }> }
    | { readonly kind: 'notice'; readonly item: Extract<Item, { type: 'notice' }> }
    | {
        readonly kind: 'tool'
        readonly call: ToolCallItem
        readonly result?: ToolResultItem
        /** About this call, the newest last: the others were asked again. */
        readonly asks: readonly Ask[]
        /** Of the subagent that it sent out. */
        readonly crew?: Crew
      }
    | {
        readonly kind: 'tasks'
        readonly tasks: readonly Task[]
        /** The agent's list as it is now: only that one is open by itself. */
        readonly isNewest: boolean
      }
    | { readonly kind: 'result'; readonly item: ToolResultItem }
    | { readonly kind: 'ask'; readonly askId: AskId; readonly ask?: Ask }
    /** A subagent whose call is on a page that is not loaded yet. */
    | ({ readonly kind: 'subagent'; readonly name: string } & Crew)
    | { readonly kind: 'partial'; readonly text: string }
  )

/** One line of the thread as it is drawn. */
export type Row = PlainRow | FoldedRow

type Thread = Pick<ThreadState, 'items' | 'asks'>

/**
 * The thread as rows: a tool call with its result and its ask is one, and what a subagent did stands together under the
 * call that sent it out, wherever it happened in time. Results whose call is on a page not loaded yet stand alone.
 */
export function threadRows({ items, asks }: Thread, isExpanded: (key: string) => boolean): readonly Row[] {
  const found = indexOf(items, asks)
  const crews = new Map<string, Item[]>()
  for (const item of items) {
    if (item.subagent === undefined) continue
    const crew = crews.get(item.subagent)
    if (crew) crew.push(item)
    else crews.set(item.subagent, [item])
  }

  const placed = new Set<string>()
  /** What a subagent did, and its rows where it is opened under this key. Undefined where there is none, or it stands elsewhere. */
  function crewOf(subagent: string, key: string): { crew: Crew; rows: readonly PlainRow[] } | undefined {
    const crew = crews.get(subagent)
    if (!crew || placed.has(subagent)) return undefined
    placed.add(subagent)
    const rows = crew.flatMap((item) => withCrew(item, 1))
    const steps = crew.reduce((sum, item) => sum + rowsOf(item, found, 1).length, 0)
    const waits =
      crew.some((item) => item.type === 'ask' && asks.get(item.askId)?.outcome === undefined) ||
      rows.some((row) => (row.kind === 'subagent' && row.waits) || (row.kind === 'tool' && row.crew?.waits === true))
    const last = crew.findLast((item) => item.type === 'message')
    const endsWithResult = last !== undefined && found.results.get(subagent)?.text.includes(last.text) === true
    return { crew: { steps, waits, endsWithResult }, rows: isExpanded(key) ? rows : [] }
  }

  /** An item and, where it sent out a subagent, what that did. A subagent can send out others. */
  function withCrew(item: Item, depth: PlainRow['depth']): readonly PlainRow[] {
    const rows = rowsOf(item, found, depth)
    const [row] = rows
    const sent = row?.kind === 'tool' ? crewOf(row.call.toolUseId, row.key) : undefined
    return row?.kind === 'tool' && sent ? [{ ...row, crew: sent.crew }, ...sent.rows] : rows
  }

  /** Of a subagent whose call is not here. */
  function lostCrew(subagent: string): readonly PlainRow[] {
    const key = `subagent ${subagent}`
    const sent = crewOf(subagent, key)
    if (!sent) return []
    const name = `Subagent ${[...crews.keys()].indexOf(subagent) + 1}`
    return [{ key, depth: 0, kind: 'subagent', name, ...sent.crew }, ...sent.rows]
  }

  const rows: PlainRow[] = []
  for (const item of items) {
    if (item.subagent === undefined) rows.push(...withCrew(item, 0))
    else if (!found.calls.has(item.subagent)) rows.push(...lostCrew(item.subagent))
  }
  const newest = rows.findLastIndex((row) => row.kind === 'tasks' && row.depth === 0)
  return foldedRows(
    rows.map((row, index) => (index === newest && row.kind === 'tasks' ? { ...row, isNewest: true } : row)),
    isExpanded,
  )
}

/** What is being said right now, below everything else. */
export function partialRows(partial: ThreadState['partial']): readonly Row[] {
  return [...partial].flatMap(([subagent, text]) =>
    text === '' ? [] : [{ key: `partial ${subagent}`, depth: subagent === '' ? 0 : 1, kind: 'partial', text } as const],
  )
}

interface Found {
  readonly calls: ReadonlyMap<string, ToolCallItem>
  readonly results: ReadonlyMap<string, ToolResultItem>
  /** The agent's asks about a call, by the call's id, the newest last. */
  readonly callAsks: ReadonlyMap<string, readonly Ask[]>
  readonly asks: ThreadState['asks']
  /** What the agent plans to do, after each call that says so. */
  readonly tasks: ReadonlyMap<ItemId, readonly Task[]>
}

function indexOf(items: readonly Item[], asks: ThreadState['asks']): Found {
  const calls = new Map<string, ToolCallItem>()
  const results = new Map<string, ToolResultItem>()
  const callAsks = new Map<string, Ask[]>()
  for (const item of items) {
    if (item.type === 'tool-call') calls.set(item.toolUseId, item)
    if (item.type === 'tool-result') results.set(item.toolUseId, item)
    const ask = item.type === 'ask' ? asks.get(item.askId) : undefined
    const callId = ask && callIdOf(ask)
    if (!ask || callId === undefined) continue
    const about = callAsks.get(callId)
    if (about) about.push(ask)
    else callAsks.set(callId, [ask])
  }
  return { calls, results, callAsks, asks, tasks: taskLists(items, results) }
}

function taskLists(items: readonly Item[], results: Found['results']): Found['tasks'] {
  const lists = new Map<ItemId, readonly Task[]>()
  // A subagent has a list of its own.
  const whose = new Map<string, ReturnType<typeof createTaskList>>()
  for (const item of items) {
    if (item.type !== 'tool-call' || !item.display?.tasks) continue
    const { subagent = '' } = item
    const list = whose.get(subagent) ?? createTaskList()
    whose.set(subagent, list)
    const tasks = list.after(item, results.get(item.toolUseId))
    if (tasks) lists.set(item.id, tasks)
  }
  return lists
}

/** The call that an ask is about. A program that names one is not asking for it. */
export function callIdOf({ toolUseId, raisedBy }: Ask): string | undefined {
  return raisedBy === undefined ? toolUseId : undefined
}

function rowsOf(item: Item, found: Found, depth: 0 | 1): PlainRow[] {
  const base = { key: item.id, depth }
  switch (item.type) {
    case 'message':
      // What waits is in the queue strip; what was taken back was never said.
      return item.status === 'queued' || item.status === 'cancelled' ? [] : [{ ...base, kind: 'message', item }]
    case 'thinking':
      return item.text.trim() === '' ? [] : [{ ...base, kind: 'thinking', item }]
    case 'notice':
      return [{ ...base, kind: 'notice', item }]
    case 'tool-call': {
      const result = found.results.get(item.toolUseId)
      const asks = found.callAsks.get(item.toolUseId) ?? []
      const tasks = found.tasks.get(item.id)
      if (tasks && tasks.length > 0 && asks.length === 0) return [{ ...base, kind: 'tasks', tasks, isNewest: false }]
      return [{ ...base, kind: 'tool', call: item, asks, ...(result && { result }) }]
    }
    case 'tool-result':
      return found.calls.has(item.toolUseId) ? [] : [{ ...base, kind: 'result', item }]
    case 'ask': {
      const ask = found.asks.get(item.askId)
      const callId = ask && callIdOf(ask)
      const standsWithCall = callId !== undefined && found.calls.has(callId)
      return standsWithCall ? [] : [{ ...base, kind: 'ask', askId: item.askId, ...(ask && { ask }) }]
    }
    default:
      return item satisfies never
  }
}
