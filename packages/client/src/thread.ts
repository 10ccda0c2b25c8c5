import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Calls } from './calls.ts'
import type { Refused, Thread, ThreadState } from './gateway-client.ts'
import { createListeners, createNotifier } from './notifier.ts'
import type { PartialText } from './partial-texts.ts'
import { addedItem, joined, mergeNewest, withStatus } from './thread-items.ts'
import type { Timers } from './timers.ts'

const PAGE = 100
const RETRY_MS = 2_000

interface Page {
  readonly items: readonly Item[]
  readonly nextBefore?: number
}

/** A thread, and what the client tells it. */
export interface FedThread extends Thread {
  readonly sessionId: SessionId
  onEvent(event: DurableEvent): void
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
  /** Asks that the client knows already. */
  asks: Iterable<Ask>
  onClose: (thread: FedThread) => void
}): FedThread {
  const { sessionId, calls, timers } = options
  const listeners = createListeners()
  let state: ThreadState['state'] = 'loading'
  /** Without a gap, oldest first. */
  let items: readonly Item[] = []
  let asks: ReadonlyMap<string, Ask> = new Map()
  /** What events brought since there may be a gap behind `items`; the newest page, read after it, closes the gap. */
  let since: Since | undefined = newSince()
  let before: number | undefined
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
    return {
      state,
      items: since && since.items.length > 0 ? joined(items, since.items) : items,
      asks,
      hasOlder: before !== undefined,
      loadingOlder: isLoadingOlder,
      partial: options.partial(),
    }
  }

  /** An outcome is for good: what was read before it came must not undo it. */
  function know(added: Iterable<Ask>) {
    const known = new Map(asks)
    for (const ask of added) if (!known.get(ask.id)?.outcome) known.set(ask.id, ask)
    asks = known
    notifier.changed()
  }

  const readPage = (query: string) =>
    calls.call<Page>({ method: 'GET', path: `/api/sessions/${sessionId}/items?limit=${PAGE}${query}` })

  async function load(): Promise<void> {
    callOffRetry()
    if (!since || isLoading || isClosed) return
    isLoading = true
    const meanwhile = since
    const [page, listed] = await Promise.all([
      readPage(''),
      calls.call<{ asks: readonly Ask[] }>({ method: 'GET', path: `/api/asks?status=all&sessionId=${sessionId}` }),
    ]).finally(() => {
      isLoading = false
    })
    if (isClosed) return
    if (since !== meanwhile) return load()
    if (!page.ok) return failed(page)
    if (!listed.ok) return failed(listed)
    know(listed.value.asks)
    const merged = mergeNewest({ known: items, page: page.value.items, since: meanwhile.items })
    items = withStatus(merged.items, meanwhile.changes)
    since = undefined
    if (merged.older === 0) {
      before = page.value.nextBefore
      edition++
    }
    state = 'ready'
    notifier.changed()
    await readMissingAsks(page.value.items)
  }

  function failed({ status }: Refused) {
    if (state === 'loading') state = 'failed'
    // What is refused is refused again; what went wrong may go right.
    if (status === 0 || status >= 500) callOffRetry = timers.after(RETRY_MS, begin)
    notifier.changed()
  }

  /** Lists of asks are bounded: what a page names and they left out is read one by one. */
  async function readMissingAsks(page: readonly Item[]): Promise<void> {
    for (const item of page) {
      if (isClosed) return
      if (item.type !== 'ask' || asks.has(item.askId)) continue
      const found = await calls.call<Ask>({ method: 'GET', path: `/api/asks/${item.askId}` })
      if (found.ok) know([found.value])
    }
  }

  function begin() {
    // Only the client's own close calls a read off, and then nobody looks at the thread any more.
    load().catch(() => {})
  }

  const thread: FedThread = {
    sessionId,
    subscribe: listeners.subscribe,
    getState: () => shown,
    async loadOlder() {
      if (isLoadingOlder || before === undefined || isClosed) return
      isLoadingOlder = true
      notifier.changed()
      const ofEdition = edition
      try {
        const page = await readPage(`&before=${before}`)
        if (!page.ok || isClosed || ofEdition !== edition) return
        items = joined(page.value.items, items)
        before = page.value.nextBefore
        await readMissingAsks(page.value.items)
      } finally {
        isLoadingOlder = false
        notifier.changed()
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
    onEvent(event) {
      const added = addedItem(event)
      if (added && since) since.items.push(added)
      // The page may have been read after this was committed.
      else if (added && !items.some(({ id }) => id === added.id)) items = [...items, added]
      if (event.type === 'item-changed') {
        const { status } = event.changes
        since?.changes.set(event.itemId, status)
        items = withStatus(items, new Map([[event.itemId, status]]))
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
  know(options.asks)
  begin()
  return thread
}

interface Since {
  readonly items: Item[]
  readonly changes: Map<ItemId, 'sent' | 'cancelled'>
}

function newSince(): Since {
  return { items: [], changes: new Map() }
}
