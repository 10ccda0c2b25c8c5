import type { ItemId } from '@holdpoint/schema/id'
import type { Item, ItemPage } from '@holdpoint/schema/item'
import { joined, mergeNewest, type StatusChanges, withStatus } from './thread-items.ts'

/** Items that an open page keeps of a thread that goes on; older ones are read again when they are wanted. */
export const KEPT_ITEMS = 5_000
/** Let go together: each time, all that is drawn moves. */
const LET_GO_TOGETHER = 500

/** An item that an event brought, with its place in the log. */
export interface PlacedItem {
  readonly item: Item
  readonly seq: number
}

/** The part of a thread that is known, without a gap, oldest first. */
export function createThreadList() {
  let items: Item[] = []
  let ids = new Set<ItemId>()
  /** Where in the log items are, as far as that is known: the list can be cut before one of these only. */
  let places = new Map<ItemId, number>()
  let before: number | undefined
  /** How many of them are here because somebody went back to read them. */
  let wanted = 0
  let shown: readonly Item[] | undefined

  function reset(next: readonly Item[]) {
    items = [...next]
    ids = new Set(items.map(({ id }) => id))
    places = new Map([...places].filter(([id]) => ids.has(id)))
    shown = undefined
  }

  function noteStart({ items: [first], nextBefore }: ItemPage) {
    if (first && nextBefore !== undefined) places.set(first.id, nextBefore)
  }

  return {
    /** The same array until something changes. */
    items(): readonly Item[] {
      shown ??= [...items]
      return shown
    },
    /** Pass as `before` for the page that precedes the list; absent at the beginning of the thread. */
    before: () => before,
    add({ item, seq }: PlacedItem) {
      // The page may have been read after this was committed.
      if (ids.has(item.id)) return
      items.push(item)
      ids.add(item.id)
      places.set(item.id, seq)
      shown = undefined
    },
    change(id: ItemId, status: 'sent' | 'cancelled') {
      const index = ids.has(id) ? items.findLastIndex((item) => item.id === id) : -1
      const item = items[index]
      if (item?.type !== 'message') return
      items[index] = { ...item, status }
      shown = undefined
    },
    /** Fits the newest page to the list. Says whether older pages were let go, because there is a gap before it. */
    renew(page: ItemPage, since: readonly PlacedItem[], changes: StatusChanges): boolean {
      const merged = mergeNewest({ known: items, page: page.items, since: since.map(({ item }) => item) })
      for (const { item, seq } of since) places.set(item.id, seq)
      noteStart(page)
      reset(withStatus(merged.items, changes))
      if (merged.older > 0) return false
      before = page.nextBefore
      wanted = 0
      return true
    },
    prepend(page: ItemPage) {
      noteStart(page)
      wanted += page.items.length
      before = page.nextBefore
      reset(joined(page.items, items))
    },
    /** Lets go of the oldest items when there are too many. Gives those. */
    trim(): readonly Item[] {
      if (items.length < KEPT_ITEMS + wanted + LET_GO_TOGETHER) return []
      const oldest = items.length - KEPT_ITEMS
      const cut = items.findIndex(({ id }, index) => index >= oldest && places.has(id))
      const first = items[cut]
      if (!first) return []
      const gone = items.slice(0, cut)
      before = places.get(first.id)
      wanted = 0
      reset(items.slice(cut))
      return gone
    },
  }
}
