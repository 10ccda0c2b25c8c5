import type { ThreadState } from '@holdpoint/client/gateway-client'
import { shownField } from '@holdpoint/core/shown-field'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import { firstText, type ToolCallItem, textField } from './input-text.ts'

export type ToolResultItem = Extract<Item, { type: 'tool-result' }>

interface RowBase {
  readonly key: string
  /** 1 for what a subagent says and does. */
  readonly depth: 0 | 1
}

/** One line of the thread as it is drawn. */
export type Row = RowBase &
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
      }
    | { readonly kind: 'result'; readonly item: ToolResultItem }
    | { readonly kind: 'ask'; readonly askId: AskId; readonly ask?: Ask }
    | { readonly kind: 'subagent'; readonly name: string; readonly steps: number; readonly waits: boolean }
    | { readonly kind: 'partial'; readonly text: string }
  )

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
  function crewRows(subagent: string, { sender, depth = 0 }: { sender?: ToolCallItem; depth?: Row['depth'] }): Row[] {
    const crew = crews.get(subagent)
    if (!crew || placed.has(subagent)) return []
    placed.add(subagent)
    const key = `subagent ${subagent}`
    const rows = crew.flatMap((item) => withCrew(item, 1))
    const steps = crew.flatMap((item) => rowsOf(item, found, 1)).length
    const waits =
      crew.some((item) => item.type === 'ask' && asks.get(item.askId)?.outcome === undefined) ||
      rows.some((row) => row.kind === 'subagent' && row.waits)
    const name = (sender && remarkOf(sender)) ?? `Subagent ${[...crews.keys()].indexOf(subagent) + 1}`
    const header: Row = { key, depth, kind: 'subagent', name, steps, waits }
    return isExpanded(key) ? [header, ...rows] : [header]
  }

  /** An item and, where it sent out a subagent, what that did. A subagent can send out others. */
  function withCrew(item: Item, depth: Row['depth']): Row[] {
    const rows = rowsOf(item, found, depth)
    return item.type === 'tool-call' ? [...rows, ...crewRows(item.toolUseId, { sender: item, depth })] : rows
  }

  return items.flatMap((item) => {
    if (item.subagent !== undefined) return found.calls.has(item.subagent) ? [] : crewRows(item.subagent, {})
    return withCrew(item, 0)
  })
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
  return { calls, results, callAsks, asks }
}

/** The call that an ask is about. A program that names one is not asking for it. */
function callIdOf({ toolUseId, raisedBy }: Ask): string | undefined {
  return raisedBy === undefined ? toolUseId : undefined
}

function rowsOf(item: Item, found: Found, depth: 0 | 1): Row[] {
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

/** What the call that sends a subagent out says of it. Of a call without `display`: the first text in it. */
function remarkOf({ input, display }: ToolCallItem): string | undefined {
  if (!display) return firstText(input)
  const field = shownField(display, 'agent-says')
  return field === undefined ? undefined : textField(input, field)
}
