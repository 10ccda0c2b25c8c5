import { type Append, type Store, StoreFault } from '@holdpoint/core/store'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'

/** Events that are copied in one commit. */
const PAGE = 500
/** Characters. */
const PAGE_SIZE = 4 * 1024 * 1024

export interface CopyOptions {
  readonly onProgress?: (progress: { readonly events: number; readonly of: number }) => void
  readonly signal?: AbortSignal
}

/**
 * Copies a whole log into an empty store, in either direction: each event at its place with its hash, and all tables and
 * records with them. Nobody writes to either store meanwhile. One that was cut off goes on where it ended. Throws a
 * `StoreFault` when the log is damaged, or the copy would not be the same; gives the head that both have.
 */
export async function copyLog(from: Store, to: Store, { onProgress, signal }: CopyOptions = {}): Promise<string> {
  const check = { pause: async () => {}, ...(signal && { signal }) }
  const before = await from.verify(check)
  if (before.fault || before.accepted || before.head === undefined) {
    const problem = before.fault?.problem ?? 'it has sessions whose damage was accepted'
    throw new StoreFault('corrupt', `The log cannot be copied: ${problem}. Nothing was written.`)
  }
  const last = await from.lastSeq()
  let place = await to.lastSeq()
  if (place > last || (await from.hashAt(place)) !== (await to.hashAt(place))) {
    throw new StoreFault('io', 'The log is not copied: there is another one at the place that it should go to.')
  }
  if (place === 0) await refuseRecords(to)
  const sessions = new Map<SessionId, Pick<Append, 'session' | 'checkpoint'>>()
  while (place < last) {
    signal?.throwIfAborted()
    const page = await from.events({ after: place, limit: PAGE, size: PAGE_SIZE })
    for (const id of new Set(page.map(({ event }) => event.sessionId))) {
      if (!sessions.has(id)) sessions.set(id, await sessionOf(from, id))
    }
    const results = await to.append(appendsOf(page, sessions))
    const copied = results.flatMap((result) => (result.ok ? result.stored : []))
    if (copied.length !== page.length || copied.some(({ seq, hash }, n) => !isSame(page[n], seq, hash))) {
      throw new StoreFault('io', `The copy is not the same from event ${place + 1} on. Do not use it.`)
    }
    place = page.at(-1)?.seq ?? last
    onProgress?.({ events: place, of: last })
  }
  for (const collection of await from.records.collections()) {
    for (const { key, value } of await from.records.list(collection)) await to.records.put(collection, key, value)
  }
  const { fault, ...after } = await to.verify(check)
  const isWhole = after.events === before.events && after.sessions === before.sessions && after.head === before.head
  if (fault || !isWhole) throw new StoreFault('io', 'The copy is not the same as the log. Do not use it.')
  return before.head
}

async function refuseRecords(to: Store): Promise<void> {
  if ((await to.records.collections()).length === 0) return
  throw new StoreFault('io', 'The log is not copied: the place that it should go to has records already.')
}

/** As the session ended up: what its row was in between is kept nowhere. */
async function sessionOf(from: Store, id: SessionId): Promise<{ session: Session; checkpoint: number }> {
  const live = await from.liveSession(id)
  if (!live) throw new StoreFault('corrupt', `The log cannot be copied: ${id} has no record.`)
  return { session: live.session, checkpoint: live.checkpoint }
}

/** Events of one session that follow each other are one append, so that all of them keep their places. */
function appendsOf(
  page: readonly Stored[],
  sessions: ReadonlyMap<SessionId, Pick<Append, 'session' | 'checkpoint'>>,
): Append[] {
  const appends: (Append & { readonly events: DurableEvent[] })[] = []
  for (const { event, sessionSeq } of page) {
    const { sessionId } = event
    const open = appends.at(-1)
    const known = sessions.get(sessionId)
    if (open?.sessionId === sessionId) open.events.push(event)
    else if (known) appends.push({ sessionId, expectedSeq: sessionSeq - 1, events: [event], ...known })
  }
  return appends
}

function isSame(stored: Stored | undefined, seq: number, hash: string): boolean {
  return stored?.seq === seq && stored.hash === hash
}
