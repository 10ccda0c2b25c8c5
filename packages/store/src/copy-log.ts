import { isDeepStrictEqual } from 'node:util'
import type { ErasedRow } from '@holdpoint/core/retirement'
import { type Append, type Store, StoreFault } from '@holdpoint/core/store'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { COPY_STATE, noteCopyState, readCopyState } from './copy-state.ts'

/** Events that are copied in one commit. */
const PAGE = 500
/** Characters. */
const PAGE_SIZE = 4 * 1024 * 1024
/** Places of the log that are looked through in one go. */
const PLACES = 40_000

export interface CopyOptions {
  readonly onProgress?: (progress: { readonly events: number; readonly of: number }) => void
  /** Called when the copy is whole, and no gateway starts on it yet. */
  readonly onWhole?: () => Promise<void>
  readonly signal?: AbortSignal
}

/**
 * Copies a whole log into an empty store, in either direction: each event at its place with its hash, and all tables and
 * records with them. Nobody writes to either store meanwhile. One that was cut off goes on where it ended; until it is whole
 * no gateway starts on it. Throws a `StoreFault` when the log is damaged, or the copy would not be the same; gives the head
 * that both have. What retired sessions have used is counted there as well; of deleted ones it is not, for nothing tells it.
 */
export async function copyLog(from: Store, to: Store, options: CopyOptions = {}): Promise<string> {
  const { onProgress, onWhole, signal } = options
  const check = { pause: async () => {}, ...(signal && { signal }) }
  const state = await readCopyState(from)
  if (state === 'incomplete') throw new StoreFault('io', 'The log is not copied: it is itself a copy that was cut off.')
  if (state === 'moved' && (await readCopyState(to)) !== 'incomplete') {
    throw new StoreFault('io', 'The log is not copied: it was moved before, and goes on elsewhere.')
  }
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
  await noteCopyState(to, 'incomplete')
  const sessions = new Map<SessionId, Copied>()
  while (place < last) {
    signal?.throwIfAborted()
    const page = await from.events({ after: place, limit: PAGE, size: PAGE_SIZE })
    // What is left of deleted sessions is no event any more, and has its places between the events.
    const end = page.at(-1)?.seq ?? last
    const erased = await from.retirement.erasedRows({ after: place, to: end })
    for (const id of new Set([
      ...page.map(({ event }) => event.sessionId),
      ...erased.map(({ sessionId }) => sessionId),
    ])) {
      if (!sessions.has(id)) sessions.set(id, await sessionOf(from, id))
    }
    for (const run of runsOf(page, erased)) {
      if ('rows' in run) await to.retirement.putErased(run.rows, records(sessions))
      else await copyEvents(to, run.events, sessions)
    }
    place = end
    onProgress?.({ events: place, of: last })
  }
  await eraseDeleted(from, to, last)
  await copyRecords(from, to, signal)
  const { fault, ...after } = await to.verify(check)
  const isWhole = after.events === before.events && after.sessions === before.sessions && after.head === before.head
  if (fault || !isWhole) throw new StoreFault('io', 'The copy is not the same as the log. Do not use it.')
  if ((await from.lastSeq()) !== last) {
    throw new StoreFault('io', 'The log went on while it was copied. Stop all gateways that use it, and copy it again.')
  }
  await onWhole?.()
  await noteCopyState(to, undefined)
  return before.head
}

type Copied = Pick<Append, 'session' | 'checkpoint'>

async function copyEvents(to: Store, page: readonly Stored[], sessions: ReadonlyMap<SessionId, Copied>): Promise<void> {
  const results = await to.append(appendsOf(page, sessions))
  const copied = results.flatMap((result) => (result.ok ? result.stored : []))
  if (copied.length !== page.length || copied.some(({ seq, hash }, n) => !isSame(page[n], seq, hash))) {
    throw new StoreFault('io', `The copy is not the same from event ${page[0]?.seq} on. Do not use it.`)
  }
}

/** So that the copy knows why there is nothing else of them. Also of those that were copied before it was cut off. */
async function eraseDeleted(from: Store, to: Store, last: number): Promise<void> {
  const deleted = new Set<SessionId>()
  for (let after = 0; after < last; after += PLACES) {
    const rows = await from.retirement.erasedRows({ after, to: Math.min(after + PLACES, last) })
    for (const { sessionId } of rows) deleted.add(sessionId)
  }
  for (const id of deleted) await to.retirement.erase(id)
}

function records(sessions: ReadonlyMap<SessionId, Copied>): ReadonlyMap<SessionId, Session> {
  return new Map([...sessions].map(([id, { session }]) => [id, session]))
}

type Run = { readonly events: Stored[] } | { readonly rows: ErasedRow[] }

/** Both in the order of their places, each run of one kind. */
function runsOf(events: readonly Stored[], erased: readonly ErasedRow[]): readonly Run[] {
  const runs: Run[] = []
  let n = 0
  for (const row of erased) {
    const before: Stored[] = []
    for (let next = events[n]; next && next.seq < row.seq; next = events[n]) {
      before.push(next)
      n++
    }
    if (before.length > 0) runs.push({ events: before })
    const open = runs.at(-1)
    if (open && 'rows' in open) open.rows.push(row)
    else runs.push({ rows: [row] })
  }
  const rest = events.slice(n)
  return rest.length > 0 ? [...runs, { events: rest }] : runs
}

/** What the log no longer has goes: a device that was revoked since an earlier copy must not come back. */
async function copyRecords(from: Store, to: Store, signal: AbortSignal | undefined): Promise<void> {
  const collections = new Set([...(await from.records.collections()), ...(await to.records.collections())])
  collections.delete(COPY_STATE)
  for (const collection of collections) {
    const [wanted, there] = [await from.records.list(collection), await to.records.list(collection)]
    if (isDeepStrictEqual(wanted, there)) continue
    for (const { key } of there) await to.records.remove(collection, key)
    for (const { key, value } of wanted) {
      signal?.throwIfAborted()
      await to.records.put(collection, key, value)
    }
  }
}

async function refuseRecords(to: Store): Promise<void> {
  if ((await to.records.collections()).every((collection) => collection === COPY_STATE)) return
  // Those of a copy that was cut off before its first event, or of a log without any.
  if ((await readCopyState(to)) === 'incomplete') return
  throw new StoreFault('io', 'The log is not copied: the place that it should go to has records already.')
}

/** As the session ended up: what its row was in between is kept nowhere. */
async function sessionOf(from: Store, id: SessionId): Promise<{ session: Session; checkpoint: number }> {
  const live = await from.liveSession(id)
  if (!live) throw new StoreFault('corrupt', `The log cannot be copied: ${id} has no record.`)
  return { session: live.session, checkpoint: live.checkpoint }
}

/** Events of one session that follow each other are one append, so that all of them keep their places. */
function appendsOf(page: readonly Stored[], sessions: ReadonlyMap<SessionId, Copied>): Append[] {
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
