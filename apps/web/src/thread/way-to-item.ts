import type { ThreadState } from '@holdpoint/client/gateway-client'
import type { ItemId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { callIdOf } from './thread-rows.ts'

export interface WayToItem {
  /** Of the row that shows the item. */
  readonly row: string
  /** Keys of what has to be open for it to be seen. */
  readonly open: readonly string[]
}

/** Where in the rows of a thread an item is: it may be in a call's row, in a fold, or folded with what a subagent did. */
export function wayToItem({ items, asks }: Pick<ThreadState, 'items' | 'asks'>, id: ItemId): WayToItem | undefined {
  const item = items.find((each) => each.id === id)
  if (!item) return undefined
  const shown = callIn(items, callOf(item, asks)) ?? item
  const newestTasks = items.findLast((each) => each.type === 'tool-call' && each.display?.tasks !== undefined)
  // The newest list of tasks is open by itself.
  const open = shown === newestTasks ? [] : [shown.id as string]
  for (let inside: Item | undefined = shown; inside?.subagent !== undefined; ) {
    const { subagent }: { subagent?: string } = inside
    const sender = callIn(items, subagent)
    open.push(sender?.id ?? `subagent ${subagent}`)
    inside = sender === inside ? undefined : sender
  }
  return { row: shown.id, open }
}

/** The call in whose row an item is drawn. */
function callOf(item: Item, asks: ThreadState['asks']): string | undefined {
  if (item.type === 'tool-result') return item.toolUseId
  const ask = item.type === 'ask' ? asks.get(item.askId) : undefined
  return ask && callIdOf(ask)
}

function callIn(items: readonly Item[], toolUseId: string | undefined): Item | undefined {
  if (toolUseId === undefined) return undefined
  return items.find((item) => item.type === 'tool-call' && item.toolUseId === toolUseId)
}
