import { askItem } from '@holdpoint/schema/ask-item'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { ItemId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'

export type StatusChanges = ReadonlyMap<ItemId, 'sent' | 'cancelled'>

/** The item that an event adds to its session's thread. */
export function addedItem(event: DurableEvent): Item | undefined {
  if (event.type === 'item-added') return event.item
  return event.type === 'ask-raised' ? askItem(event.ask) : undefined
}

export function withStatus(items: readonly Item[], changes: StatusChanges): readonly Item[] {
  if (!items.some(({ id }) => changes.has(id))) return items
  return items.map((item) => {
    const status = changes.get(item.id)
    return status && item.type === 'message' ? { ...item, status } : item
  })
}

/**
 * Fits the newest page to what is known; `since` is what events have brought that may be newer than the page. Known
 * items that the page does not reach are let go, for there is a gap in between: they are read again when they are
 * wanted. `older` says how many known items stand before the page.
 */
export function mergeNewest(options: { known: readonly Item[]; page: readonly Item[]; since: readonly Item[] }): {
  readonly items: readonly Item[]
  readonly older: number
} {
  const { known, page, since } = options
  const inPage = new Set(page.map(({ id }) => id))
  const older = Math.max(
    0,
    known.findIndex(({ id }) => inPage.has(id)),
  )
  const newer = since.filter(({ id }) => !inPage.has(id))
  return { items: [...known.slice(0, older), ...page, ...newer], older }
}

/** Both, in order, each item once. */
export function joined(older: readonly Item[], newer: readonly Item[]): readonly Item[] {
  const ids = new Set(older.map(({ id }) => id))
  return [...older, ...newer.filter(({ id }) => !ids.has(id))]
}
