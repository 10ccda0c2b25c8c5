import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { paths } from '@holdpoint/schema/paths'
import type { Calls } from './calls.ts'
import type { Refused, Thread, ThreadState } from './gateway-client.ts'
import { createListeners, createNotifier } from './notifier.ts'
import type { PartialText } from './partial-texts.ts'
import { addedItem, joined } from './thread-items.ts'
import { createThreadList, type PlacedItem } from './thread-list.ts'
import type { Timers } from './timers.ts'

const PAGE = 100
/** Where many pages are wanted. */
const LARGE_PAGE = 500
/** Asks are sent whole, and some are large: a few at a time. */
const ASKS_AT_ONCE = 25
const RETRY_MS = 2_000

/** A thread, and what the client tells it. */
export interface FedThread extends Thread {
  readonly sessionId: SessionId
  onEvent(event: DurableEvent, seq: number): void
  onPartial(): void
  /** Events may be missing before the next one: the newest page has to be read again. */
  onGap(): void
  onLive(): void
}

/** Reads a session's thread page by page and adds what happens. */
export function createThread(options: {
  sessionId: SessionId
  calls: Calls
  timers: Timers
  partial: () => PartialText
  /** Asks of this session that the client knows already: all that are open, and some that are settled. */
  asks: () => Iterable<Ask>
  onClose: (thread: FedThread) => void
}): FedThread {
  const { sessionId, calls, timers } = options
  const listeners = createListeners()
  const list = createThreadList()
  const asks = new Map<AskId, Ask>()
  /** A copy for those who draw, made when one is wanted. */
  let shownAsks: ThreadState['asks'] | undefined
  let state: ThreadState['state'] = 'loading'
  /** What events brought since there may be a gap behind the list; the newest page, read after it, closes the gap. */
  let since: Since | undefined = newSince()
  /** Counts the times that older pages were let go: one that is still on its way belongs nowhere. */
  let edition = 0
  let isLoading = false
  let isLoadingOlder = false
  let isClosed = false
  let callOffRetry = () => {}
  let shown = picture()
  const notifier = createNotifier({
    timers,
    publish() {
      shown = picture()
      listeners.notify()
    },
  })

  function picture(): ThreadState {
    shownAsks ??= new Map(asks)
    const added = since?.items.map(({ item }) => item) ?? []
    return {
      state,
      items: added.length > 0 ? joined(list.items(), added) : list.items(),
      asks: shownAsks,
      hasOlder: list.before() !== undefined,
      loadingOlder: isLoadingOlder,
      partial: options.partial(),
    }
  }

  /** An outcome is for good: what was read before it came must not undo it. */
  function know(added: Iterable<Ask>) {
    for (const ask of added) if (!asks.get(ask.id)?.outcome) asks.set(ask.id, ask)
    shownAsks = undefined
  }

  const readPage = (before?: number, limit = PAGE) =>
    calls.call(paths.sessions.items, { params: { id: sessionId }, query: { limit, before } })

  async function load(): Promise<void> {
    callOffRetry()
    if (!since || isLoading || isClosed) return
    isLoading = true
    const meanwhile = since
    const read = await readNewest().finally(() => {
      isLoading = false
    })
    if (isClosed) return
    if (since !== meanwhile) return load()
    if (!read.ok) return failed(read)
    since = undefined
    if (list.renew(read.value, meanwhile.items, meanwhile.changes)) edition++
    trim()
    state = 'ready'
    notifier.changed()
  }

  /** The page, once the asks that it names are known: a thread without them would be drawn twice. */
  async function readNewest() {
    const page = await readPage()
    if (!page.ok || isClosed) return page
    const refused = await readAsks([...list.items(), ...page.value.items])
    return refused ?? page
  }

  function failed({ status, code }: Refused) {
    if (code === 'record_damaged') state = 'damaged'
    else if (state === 'loading') state = 'failed'
    // What is refused is refused again; what went wrong may go right.
    if (status === 0 || status >= 500) callOffRetry = timers.after(RETRY_MS, begin)
    notifier.changed()
  }

  /** Reads the asks that these items name and whose end is not known. Says what went wrong, if something did. */
  async function readAsks(items: readonly Item[]): Promise<Refused | undefined> {
    const current = [...options.asks()]
    know(current)
    const open = new Set(current.flatMap((ask) => (ask.outcome ? [] : [ask.id])))
    const named = new Set(items.flatMap((item) => (item.type === 'ask' ? [item.askId] : [])))
    const missing = [...named].filter((id) => !asks.get(id)?.outcome && !open.has(id))
    const chunks = Array.from({ length: Math.ceil(missing.length / ASKS_AT_ONCE) }, (_, index) =>
      missing.slice(index * ASKS_AT_ONCE, (index + 1) * ASKS_AT_ONCE),
    )
    for (const ids of chunks) {
      if (isClosed) return undefined
      const found = await calls.call(paths.asks.list, { query: { ids: ids.join() } })
      if (!found.ok) return found
      know(found.value.asks)
    }
    return undefined
  }

  /** A page that is left open would hold ever more. */
  function trim() {
    const gone = list.trim()
    if (gone.length === 0) return
    edition++
    for (const item of gone) if (item.type === 'ask') asks.delete(item.askId)
    shownAsks = undefined
  }

  let older: Promise<void> = Promise.resolve()

  /** Reads page after page before the list, until there are enough. They become part of it at once: each time all that is drawn moves. */
  function readOlder(limit: number, isEnough: (items: readonly Item[]) => boolean): Promise<void> {
    const from = list.before()
    if (isLoadingOlder || from === undefined || isClosed) return Promise.resolve()
    isLoadingOlder = true
    notifier.changed()
    older = readPages(from, limit, isEnough).finally(() => {
      isLoadingOlder = false
      notifier.changed()
    })
    return older
  }

  async function readPages(from: number, limit: number, isEnough: (items: readonly Item[]) => boolean): Promise<void> {
    const ofEdition = edition
    const pages: (readonly Item[])[] = []
    let before: number | undefined = from
    while (before !== undefined) {
      const page = await readPage(before, limit)
      if (isClosed || ofEdition !== edition) return
      // What was read so far is without a gap all the same.
      if (!page.ok) break
      pages.unshift(page.value.items)
      before = page.value.nextBefore
      if (isEnough(page.value.items)) break
    }
    const items = pages.flat()
    if (items.length === 0) return
    list.prepend({ items, ...(before !== undefined && { nextBefore: before }) })
    await readAsks(items)
  }

  function begin() {
    // Only the client's own close calls a read off, and then nobody looks at the thread any more.
    load().catch(() => {})
  }

  const thread: FedThread = {
    sessionId,
    subscribe: listeners.subscribe,
    getState: () => shown,
    loadOlder: () => readOlder(PAGE, () => true),
    async loadBackTo(id) {
      const has = (items: readonly Item[]) => items.some((item) => item.id === id)
      for (;;) {
        // Somebody else may be reading, and may begin again at once.
        await older
        const from = list.before()
        if (has(list.items()) || from === undefined || isClosed) return has(list.items())
        if (isLoadingOlder) continue
        await readOlder(LARGE_PAGE, has)
        // It could not be read.
        if (list.before() === from) return false
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      callOffRetry()
      notifier.close()
      listeners.clear()
      options.onClose(thread)
    },
    onEvent(event, seq) {
      const item = addedItem(event)
      if (item && since) since.items.push({ item, seq })
      else if (item) {
        list.add({ item, seq })
        trim()
      }
      if (event.type === 'item-changed') {
        since?.changes.set(event.itemId, event.changes.status)
        list.change(event.itemId, event.changes.status)
      }
      if (event.type === 'ask-raised') know([event.ask])
      const settled = event.type === 'ask-settled' ? asks.get(event.askId) : undefined
      if (settled && event.type === 'ask-settled') know([{ ...settled, outcome: event.outcome }])
      notifier.changed()
    },
    onPartial: () => notifier.changed(),
    onGap() {
      since = newSince()
      notifier.changed()
    },
    onLive: begin,
  }
  know(options.asks())
  shown = picture()
  begin()
  return thread
}

interface Since {
  readonly items: PlacedItem[]
  readonly changes: Map<ItemId, 'sent' | 'cancelled'>
}

function newSince(): Since {
  return { items: [], changes: new Map() }
}
