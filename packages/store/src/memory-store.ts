import type { AskTrail, HistoryChoices, HistoryPage, HistoryQuery, LetThroughQuery } from '@holdpoint/core/history'
import type { Retirement } from '@holdpoint/core/retirement'
import { recordSize, sizeOf } from '@holdpoint/core/size-of'
import {
  type Append,
  type AppendResult,
  type AskQuery,
  type AskRecord,
  type ChainReport,
  type EventQuery,
  type ItemQuery,
  type LiveSession,
  type PastCallQuery,
  type Records,
  type SessionPage,
  type SessionQuery,
  type Store,
  StoreFault,
} from '@holdpoint/core/store'
import type { UsageCounts, UsageQuery } from '@holdpoint/core/usage-counts'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import { askItem, type Item, type ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { Commits } from './commits.ts'
import { type EncodedAppend, encodeAppend } from './encoded-append.ts'
import { endedPage } from './ended-page.ts'
import { followLog } from './follow-log.ts'
import { type LogRow, readRow, rowHash } from './log-row.ts'
import { createMemoryCalls } from './memory-calls.ts'
import { createMemoryHistory } from './memory-history.ts'
import {
  type AskEntry,
  appendConflicts,
  type ItemEntry,
  indexEvent,
  newEntry,
  requestKey,
  type SessionEntry,
} from './memory-index.ts'
import { liveSessionOf } from './memory-live.ts'
import { createMemoryRecords } from './memory-records.ts'
import { createMemoryRetirement } from './memory-retirement.ts'
import { createMemoryUsage } from './memory-usage.ts'
import { verifyRows } from './memory-verify.ts'
import { readPage } from './read-page.ts'
import { activityAfter } from './retired-row.ts'
import { readPlace } from './session-place.ts'

/** Keeps everything in this process and loses it with the process: for tests and for trying things out. */
export function createMemoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly records: Records
  readonly retirement: Retirement
  readonly #log: LogRow[] = []
  readonly #sessions = new Map<SessionId, SessionEntry>()
  readonly #asks = new Map<AskId, AskEntry>()
  readonly #commits = new Commits()
  readonly #history = createMemoryHistory({
    asks: this.#asks,
    sessions: this.#sessions,
    stored: (seq) => this.#stored(seq),
    record: (entry) => this.#record(entry),
  })
  readonly #left = createMemoryRetirement({
    log: this.#log,
    sessions: this.#sessions,
    asks: this.#asks,
    assertOpen: () => this.#assertOpen(),
  })
  readonly #usage = createMemoryUsage()
  readonly #calls = createMemoryCalls(() => this.#history.settledCalls())

  constructor() {
    this.retirement = this.#left.retirement
    this.records = createMemoryRecords(() => this.#assertOpen())
  }

  async append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    this.#assertOpen()
    const results = appends.map(encodeAppend).map((encoded) => this.#appendOne(encoded))
    this.#commits.announce()
    return results
  }

  async events({ sessionId, after, limit, size = Number.POSITIVE_INFINITY }: EventQuery): Promise<readonly Stored[]> {
    this.#assertOpen()
    const sized = (value: Stored) => ({ value, size: sizeOf(value.event) })
    const rows = sessionId === undefined ? this.#log.slice(after) : this.#rowsOf(sessionId, after)
    // Of a deleted session there is nothing to give but that it was deleted.
    const given = rows.filter((row) => !this.#left.isErased(row)).slice(0, limit)
    return readPage(given, size, (row) => sized(readRow(this.#left.whole(row))))
  }

  #rowsOf(id: SessionId, after: number): LogRow[] {
    const seqs = (this.#sessions.get(id)?.seqs ?? []).filter((seq) => seq > after)
    return seqs.flatMap((seq) => this.#log[seq - 1] ?? [])
  }

  async *follow(after: number, options: { signal: AbortSignal }): AsyncIterable<Stored> {
    this.#assertOpen()
    const read = (query: EventQuery) => this.events(query)
    yield* followLog({ after, signal: options.signal, commits: this.#commits, read })
  }

  async lastSeq(): Promise<number> {
    this.#assertOpen()
    return this.#log.length
  }

  async liveSessions(): Promise<readonly LiveSession[]> {
    this.#assertOpen()
    const alive = [...this.#sessions].filter(([, entry]) => entry.state !== 'dead')
    return alive.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => this.#live(entry))
  }

  async liveSession(id: SessionId): Promise<LiveSession | undefined> {
    this.#assertOpen()
    const entry = this.#sessions.get(id)
    return entry && this.#live(entry)
  }

  async hashAt(seq: number): Promise<string | undefined> {
    this.#assertOpen()
    return this.#log[seq - 1]?.hash
  }

  async endedSessions(query: SessionQuery): Promise<SessionPage> {
    this.#assertOpen()
    const { activityAt, id: lastId } = readPlace(query.before)
    const rest = this.#ended()
      .filter(([id, entry]) => entry.activityAt < activityAt || (entry.activityAt === activityAt && id < lastId))
      .map(([id, entry]) => ({ id, activityAt: entry.activityAt, session: JSON.parse(entry.data) as Session }))
      .filter(({ session }) => query.projectId === undefined || session.projectId === query.projectId)
    return endedPage(rest, query, ({ session }) => [session])
  }

  async endedSessionsOf(vendorSessionId: string): Promise<readonly Session[]> {
    this.#assertOpen()
    const sessions = this.#ended().map(([, entry]) => JSON.parse(entry.data) as Session)
    return sessions.filter((session) => session.vendorSessionId === vendorSessionId)
  }

  /** Newest activity first. */
  #ended(): [SessionId, SessionEntry][] {
    const ended = [...this.#sessions].filter(([id, entry]) => entry.state === 'dead' && !this.#left.isDeleted(id))
    return ended.sort(([idA, a], [idB, b]) => b.activityAt - a.activityAt || (idA < idB ? 1 : -1))
  }

  async session(id: SessionId): Promise<Session | undefined> {
    this.#assertOpen()
    const entry = this.#sessions.get(id)
    return entry && (JSON.parse(entry.data) as Session)
  }

  async ask(id: AskId): Promise<AskRecord | undefined> {
    this.#assertOpen()
    const entry = this.#asks.get(id)
    return entry && this.#record(entry)
  }

  async askByRequest(key: { sessionId: SessionId; epoch: number; requestId: string }): Promise<AskRecord | undefined> {
    this.#assertOpen()
    const entry = this.#sessions.get(key.sessionId)?.requests.get(requestKey(key))
    return entry && this.#record(entry)
  }

  async askByToolUse(key: { sessionId: SessionId; epoch: number; toolUseId: string }): Promise<AskRecord | undefined> {
    this.#assertOpen()
    const entries = [...(this.#sessions.get(key.sessionId)?.asks.values() ?? [])]
    const entry = entries.findLast((ask) => ask.epoch === key.epoch && ask.toolUseId === key.toolUseId)
    return entry && this.#record(entry)
  }

  async firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): Promise<AskRecord | undefined> {
    this.#assertOpen()
    const entries = [...(this.#sessions.get(key.sessionId)?.asks.values() ?? [])]
    const entry = entries.find((ask) => ask.toolUseId === key.toolUseId)
    return entry && this.#record(entry)
  }

  async asks(query: AskQuery): Promise<readonly AskRecord[]> {
    this.#assertOpen()
    const known = query.sessionId ? this.#sessions.get(query.sessionId)?.asks : this.#asks
    const entries = [...(known?.values() ?? [])]
    const open = query.status === 'settled' ? [] : entries.filter((ask) => ask.settledSeq === undefined)
    const settled = query.status === 'open' ? [] : entries.filter((ask) => ask.settledSeq !== undefined)
    settled.sort((a, b) => (b.settledSeq ?? 0) - (a.settledSeq ?? 0))
    const before = query.before && this.#asks.get(query.before)?.settledSeq
    const rest = before === undefined ? settled : settled.filter((ask) => (ask.settledSeq ?? 0) < before)
    const found = open.slice(0, query.limit).map((entry) => this.#record(entry))
    const read = readPage(
      rest.slice(0, query.limit - found.length),
      query.size ?? Number.POSITIVE_INFINITY,
      (entry) => {
        const value = this.#record(entry)
        return { value, size: recordSize(value) }
      },
    )
    return [...found, ...read]
  }

  async history(query: HistoryQuery): Promise<HistoryPage> {
    this.#assertOpen()
    return this.#history.page(query)
  }

  async historyChoices({ sessionIds }: Pick<HistoryQuery, 'sessionIds'>): Promise<HistoryChoices> {
    this.#assertOpen()
    return this.#history.choices(sessionIds)
  }

  async usage(query: UsageQuery): Promise<UsageCounts> {
    this.#assertOpen()
    return this.#usage.counts(query)
  }

  async letThrough(query: LetThroughQuery) {
    this.#assertOpen()
    return this.#history.letThrough(query)
  }

  async indexHistory(): Promise<void> {
    this.#assertOpen()
  }

  async indexCalls(take: Parameters<Store['indexCalls']>[0]): Promise<void> {
    this.#assertOpen()
    this.#calls.add(take)
  }

  async pastCalls(query: PastCallQuery) {
    this.#assertOpen()
    return this.#calls.past(query)
  }

  async allowedCalls(query: { min: number }) {
    this.#assertOpen()
    return this.#calls.allowed(query)
  }

  async askTrail(id: AskId): Promise<AskTrail | undefined> {
    this.#assertOpen()
    return this.#history.trail(id)
  }

  async items(query: ItemQuery): Promise<ItemPage> {
    this.#assertOpen()
    const { before = Number.POSITIVE_INFINITY, size = Number.POSITIVE_INFINITY } = query
    const session = this.#sessions.get(query.sessionId)
    const asks = [...(session?.asks.values() ?? [])].map(({ raisedSeq }) => ({
      seq: raisedSeq,
      read: () => {
        const { ask } = this.#event(raisedSeq, 'ask-raised')
        return { value: askItem(ask) as Item, size: sizeOf(ask) }
      },
    }))
    const others = [...(session?.items.values() ?? [])].map((entry) => ({
      seq: entry.seq,
      read: () => {
        const value = this.#item(entry)
        return { value, size: sizeOf(value) }
      },
    }))
    const entries = [...asks, ...others].filter(({ seq }) => seq < before).sort((a, b) => b.seq - a.seq)
    const read = readPage(entries.slice(0, query.limit), size, (entry) => entry.read())
    const items = read.toReversed()
    const first = entries[read.length - 1]
    return first && read.length < entries.length ? { items, nextBefore: first.seq } : { items }
  }

  async item(key: { sessionId: SessionId; id: ItemId }): Promise<Item | undefined> {
    this.#assertOpen()
    const entry = this.#sessions.get(key.sessionId)?.items.get(key.id)
    return entry && this.#item(entry)
  }

  async verify(): Promise<ChainReport> {
    this.#assertOpen()
    const rows = this.#log.map((row) => this.#left.whole(row))
    return verifyRows(rows, (row) => this.#left.isErased(row))
  }

  async close(): Promise<void> {
    this.#commits.close()
  }

  #assertOpen(): void {
    if (this.#commits.closed) throw new StoreFault('closed', 'The store is closed.')
  }

  #appendOne({ append, events, session }: EncodedAppend): AppendResult {
    const known = this.#sessions.get(append.sessionId)
    if (appendConflicts({ append, session: known, asks: this.#asks })) return { ok: false, seq: known?.seq ?? 0 }
    const { startedAt, state } = append.session
    const entry = known ?? newEntry({ data: session, activityAt: startedAt, state })
    this.#sessions.set(append.sessionId, entry)
    const stored = append.events.map((event, index): Stored => {
      const row = {
        sessionId: append.sessionId,
        sessionSeq: entry.seq + 1,
        type: event.type,
        data: events[index] as string,
        at: event.at,
        prevHash: entry.hash,
      }
      const seq = this.#log.length + 1
      entry.hash = rowHash(row)
      entry.seq = row.sessionSeq
      entry.seqs.push(seq)
      this.#log.push({ ...row, seq, hash: entry.hash })
      indexEvent({ session: entry, asks: this.#asks }, event, seq)
      if (event.type === 'usage-reported') this.#usage.add(event)
      return { seq, sessionSeq: entry.seq, hash: entry.hash, event }
    })
    entry.activityAt = activityAfter(append.events, entry.activityAt)
    entry.data = session
    entry.state = append.session.state
    entry.checkpoint = append.checkpoint ?? entry.checkpoint
    return { ok: true, stored }
  }

  #stored(seq: number): Stored {
    const row = this.#log[seq - 1]
    if (!row) throw new Error(`there is no event ${seq}`)
    return readRow(this.#left.whole(row))
  }

  #event<Type extends DurableEvent['type']>(seq: number, type: Type): Extract<DurableEvent, { type: Type }> {
    const { event } = this.#stored(seq)
    if (event.type !== type) throw new Error(`event ${seq} is ${event.type}, not ${type}`)
    return event as Extract<DurableEvent, { type: Type }>
  }

  #record(entry: AskEntry): AskRecord {
    const { ask } = this.#event(entry.raisedSeq, 'ask-raised')
    if (entry.settledSeq === undefined) return { ask, delivered: entry.delivered }
    return { ask, outcome: this.#event(entry.settledSeq, 'ask-settled').outcome, delivered: entry.delivered }
  }

  #item(entry: ItemEntry): Item {
    const { item } = this.#event(entry.seq, 'item-added')
    return entry.status && item.type === 'message' ? { ...item, status: entry.status } : item
  }

  #live(entry: SessionEntry): LiveSession {
    return liveSessionOf(entry, {
      record: (each) => this.#record(each),
      item: (each) => this.#item(each),
      rule: (seq) => this.#event(seq, 'rule-added').rule,
    })
  }
}
