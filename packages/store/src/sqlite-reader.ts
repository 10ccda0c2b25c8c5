import { isOfLife } from '@holdpoint/core/remembering'
import { awaitsDelivery, type Undelivered, undeliveredOf } from '@holdpoint/core/session-view'
import { recordSize, sizeOf } from '@holdpoint/core/size-of'
import type {
  AskQuery,
  AskRecord,
  ChainFault,
  EventQuery,
  ItemQuery,
  LiveSession,
  SessionPage,
  SessionQuery,
} from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { ItemPage } from '@holdpoint/schema/item'
import { askItem, type Item, type MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { endedPage, rowsOfPage } from './ended-page.ts'
import { readRow } from './log-row.ts'
import { readPage } from './read-page.ts'
import { misplaced, refuseDamaged, unlessDamaged } from './record-damage.ts'
import { readPlace } from './session-place.ts'
import { readSession, type SessionRow } from './session-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { selectEvents, selectEventsAt } from './sqlite-events.ts'
import { placesAfter } from './sqlite-places.ts'
import { readRetired } from './sqlite-retired.ts'

/** Of what may be large. */
const ROWS_AT_ONCE = 10
/** Characters: a few milliseconds of work. */
const PAUSE_EVERY = 500_000

interface AskRow {
  readonly id: AskId
  readonly raisedSeq: number
  readonly settledSeq: number | null
  readonly deliveredSeq: number | null
}
interface ItemRow {
  readonly id: ItemId
  readonly seq: number
  readonly status: Exclude<MessageItem['status'], undefined> | null
}

interface ThreadRow extends Omit<ItemRow, 'id'> {
  readonly id: ItemId & AskId
  readonly isAsk: number
}

/** Reads through the tables into the log. Everything runs inside `guard`, which the store puts around each call. */
export class SqliteReader {
  readonly #db: SqliteDatabase
  readonly #damaged: ReadonlyMap<string, ChainFault>

  /** `damaged`: sessions that are known to be so. None of their asks and items is shown, forged or not. */
  constructor(db: SqliteDatabase, damaged: ReadonlyMap<string, ChainFault>) {
    this.#db = db
    this.#damaged = damaged
  }

  events({ sessionId, after, limit, size = Number.POSITIVE_INFINITY }: EventQuery): readonly Stored[] {
    // SQLite hands over all rows of a query at once: where they may be large, a few at a time.
    const atOnce = size === Number.POSITIVE_INFINITY ? limit : ROWS_AT_ONCE
    const found: Stored[] = []
    for (let length = 0; found.length < limit && length < size; ) {
      const query = { after: found.at(-1)?.seq ?? after, limit: Math.min(atOnce, limit - found.length) }
      const rows = sessionId === undefined ? this.#eventsOfAll(query) : this.#eventsOf({ ...query, sessionId })
      found.push(...rows)
      if (rows.length < query.limit) break
      length += rows.reduce((sum, { event }) => sum + sizeOf(event), 0)
    }
    return found
  }

  #eventsOfAll(query: { after: number; limit: number }): readonly Stored[] {
    const rows = selectEvents(this.#db, AFTER, [query.after, query.limit])
    return rows.map(readRow)
  }

  #eventsOf(query: { sessionId: SessionId; after: number; limit: number }): readonly Stored[] {
    const places = placesAfter(this.#db, this.#withoutDeleted(query))
    const rows = selectEventsAt(this.#db, places)
    return places.map((seq, index) => {
      const row = rows[index]
      if (row?.seq !== seq || row.sessionId !== query.sessionId) throw misplaced(seq, query.sessionId)
      return readRow(row)
    })
  }

  /** From behind those that were removed for good. */
  #withoutDeleted<Query extends { sessionId: SessionId; after: number }>(query: Query): Query {
    const retired = readRetired(this.#db, query.sessionId)
    if (retired?.kind !== 'deleted') return query
    const last = placesAfter(this.#db, { sessionId: query.sessionId, after: 0, limit: retired.events }).at(-1)
    return { ...query, after: Math.max(query.after, last ?? 0) }
  }

  hashAt(seq: number): string | undefined {
    return this.#db.get<{ hash: string }>('SELECT hash FROM events WHERE seq = ?', [seq])?.hash
  }

  endedSessions(query: SessionQuery): SessionPage {
    const { activityAt, id } = readPlace(query.before)
    const rows = this.#db.all<SessionRow>(SELECT_ENDED, [activityAt, id, query.projectId ?? null, rowsOfPage(query)])
    return endedPage(rows, query, (row) => unlessDamaged(() => this.#session(row)))
  }

  endedSessionsOf(vendorSessionId: string): readonly Session[] {
    const rows = this.#db.all<SessionRow>(SELECT_ENDED_OF, [vendorSessionId])
    return rows.filter(({ id }) => !this.#damaged.has(id)).flatMap((row) => unlessDamaged(() => this.#session(row)))
  }

  session(id: SessionId): Session | undefined {
    const row = this.#db.get<SessionRow>(`${SELECT_SESSION} WHERE id = ?`, [id])
    return row && this.#session(row)
  }

  liveIds(): readonly SessionId[] {
    const rows = this.#db.all<{ id: SessionId }>("SELECT id FROM sessions WHERE state <> 'dead' ORDER BY id", [])
    return rows.map(({ id }) => id)
  }

  liveSessions(): readonly LiveSession[] {
    const rows = this.#db.all<SessionRow>(`${SELECT_SESSION} WHERE state <> 'dead' ORDER BY id`, [])
    return rows.map((row) => this.#live(row))
  }

  liveSession(id: SessionId): LiveSession | undefined {
    const row = this.#db.get<SessionRow>(`${SELECT_SESSION} WHERE id = ?`, [id])
    return row && this.#live(row)
  }

  ask(id: AskId): AskRecord | undefined {
    return this.#askWhere('id = ?', [id])
  }

  askByRequest(key: { sessionId: SessionId; epoch: number; requestId: string }): AskRecord | undefined {
    const values = [key.sessionId, key.epoch, JSON.stringify(key.requestId)]
    return this.#askWhere('session_id = ? AND epoch = ? AND request_id = ? ORDER BY raised_seq DESC LIMIT 1', values)
  }

  firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): AskRecord | undefined {
    const rows = this.#db.all<AskRow>(`${SELECT_ASK} WHERE session_id = ? AND tool_use_id = ? ORDER BY raised_seq`, [
      key.sessionId,
      JSON.stringify(key.toolUseId),
    ])
    for (const row of rows) {
      const record = this.#record(row)
      if (record.ask.raisedBy === undefined) return record
    }
    return undefined
  }

  /** In steps, with a pause wherever so much was read that others should have their turn. */
  *asks(query: AskQuery): Generator<void, readonly AskRecord[]> {
    const { size = Number.POSITIVE_INFINITY } = query
    const session = query.sessionId ? 'session_id = ? AND' : ''
    const values = query.sessionId ? [query.sessionId] : []
    const select = (where: string, more: readonly SqlValue[]) =>
      this.#db.all<AskRow>(`${SELECT_ASK} WHERE ${session} ${where} LIMIT ?`, [...values, ...more])
    const open = query.status === 'settled' ? [] : select(`${IS_OPEN} ORDER BY raised_seq`, [query.limit])
    const found = open.map((row) => this.#record(row))
    let before = this.#settledAt(query.before)
    let length = 0
    let sincePause = 0
    // Reads on where some are left out: a page that is not full is the last one.
    for (let missing = query.limit - found.length; query.status !== 'open' && missing > 0; ) {
      const rows = select('settled_seq < ? ORDER BY settled_seq DESC', [before, missing])
      for (const row of rows) {
        if (length >= size) return found
        const [record] = unlessDamaged(() => this.#record(row))
        if (record) found.push(record)
        length += record ? recordSize(record) : 0
        // How large one is that is left out is not known.
        sincePause += record ? recordSize(record) : PAUSE_EVERY
        if (sincePause < PAUSE_EVERY) continue
        yield
        sincePause = 0
      }
      if (rows.length < missing) break
      before = rows.at(-1)?.settledSeq ?? 0
      missing = query.limit - found.length
    }
    return found
  }

  items({ sessionId, before = Number.MAX_SAFE_INTEGER, limit, size = Number.POSITIVE_INFINITY }: ItemQuery): ItemPage {
    this.#refuseDamaged(sessionId)
    // Newest first; one more than asked for tells whether there is an earlier page.
    const rows = this.#db.all<ThreadRow>(SELECT_THREAD, [sessionId, before, limit + 1])
    const read = readPage(rows.slice(0, limit), size, (row) =>
      row.isAsk ? this.#askItem(row) : sized(this.#item(row)),
    )
    const items = read.toReversed()
    const first = rows[read.length - 1]
    return first && read.length < rows.length ? { items, nextBefore: first.seq } : { items }
  }

  item(key: { sessionId: SessionId; id: ItemId }): Item | undefined {
    const row = this.#db.get<ItemRow>('SELECT id, seq, status FROM items WHERE session_id = ? AND id = ?', [
      key.sessionId,
      key.id,
    ])
    return row && this.#item(row)
  }

  #live(row: SessionRow): LiveSession {
    const session = this.#session(row)
    const { id } = session
    const asks = this.#db.all<AskRow>(
      `${SELECT_ASK} WHERE session_id = ?1
        AND (settled_seq IS NULL OR (epoch = ?2 AND delivered_seq IS NULL)) ORDER BY raised_seq`,
      [id, session.epoch],
    )
    const open: Ask[] = []
    const undelivered = new Map<AskId, Undelivered>()
    // One at a time: together they may be far more than fits into memory.
    for (const row of asks) {
      const { ask, outcome } = this.#record(row)
      if (!outcome) open.push(ask)
      else if (awaitsDelivery(outcome)) undelivered.set(ask.id, undeliveredOf(ask, outcome))
    }
    const rules = this.#db.all<{ seq: number }>(
      'SELECT added_seq AS seq FROM rules WHERE session_id = ? AND removed_seq IS NULL ORDER BY added_seq',
      [id],
    )
    return {
      session,
      seq: row.seq,
      checkpoint: row.checkpoint,
      asks: open,
      undelivered,
      rules: rules.map(({ seq }) => this.#event(seq, 'rule-added').rule).filter((rule) => isOfLife(rule, session)),
      messages: this.#db.all<ItemRow>(SELECT_MESSAGES, [id]).map((item) => this.#item(item) as MessageItem),
    }
  }

  /** After everything for one that is not settled, or is none. */
  #settledAt(id: AskId | undefined): number {
    const row = id && this.#db.get<AskRow>(`${SELECT_ASK} WHERE id = ?`, [id])
    return row?.settledSeq ?? Number.MAX_SAFE_INTEGER
  }

  #askWhere(where: string, values: readonly SqlValue[]): AskRecord | undefined {
    const row = this.#db.get<AskRow>(`${SELECT_ASK} WHERE ${where}`, values)
    return row && this.#record(row)
  }

  #record(row: AskRow): AskRecord {
    const delivered = row.deliveredSeq !== null
    const { ask } = this.#event(row.raisedSeq, 'ask-raised')
    if (ask.id !== row.id) throw misplaced(row.raisedSeq, row.id)
    if (row.settledSeq === null) return { ask, delivered }
    const settled = this.#event(row.settledSeq, 'ask-settled')
    if (settled.askId !== row.id) throw misplaced(row.settledSeq, row.id)
    return { ask, outcome: settled.outcome, delivered }
  }

  #item(row: ItemRow): Item {
    const { item } = this.#event(row.seq, 'item-added')
    if (item.id !== row.id) throw misplaced(row.seq, row.id)
    return row.status !== null && item.type === 'message' ? { ...item, status: row.status } : item
  }

  /** With the size of the ask: that is what was read for it. */
  #askItem(row: { readonly id: AskId; readonly seq: number }): { value: Item; size: number } {
    const { ask } = this.#event(row.seq, 'ask-raised')
    if (ask.id !== row.id) throw misplaced(row.seq, row.id)
    return { value: askItem(ask), size: sizeOf(ask) }
  }

  #event<Type extends DurableEvent['type']>(seq: number, type: Type): Extract<DurableEvent, { type: Type }> {
    const [row] = selectEvents(this.#db, 'WHERE seq = ?', [seq])
    if (row) this.#refuseDamaged(row.sessionId)
    const event = row && readRow(row).event
    if (event?.type !== type) throw misplaced(seq, type)
    return event as Extract<DurableEvent, { type: Type }>
  }

  #session(row: SessionRow): Session {
    return readSession(row, this.#damaged.get(row.id))
  }

  #refuseDamaged(id: SessionId): void {
    refuseDamaged(id, this.#damaged)
  }
}

function sized(value: Item): { value: Item; size: number } {
  return { value, size: sizeOf(value) }
}

export const SELECT_SESSION =
  'SELECT id, seq, hash, checkpoint, activity_at AS activityAt, state, recent, data, sum FROM sessions'
/** Of a deleted session there is nothing to give but that it was deleted. */
const AFTER = `WHERE seq > ? AND (data <> '' OR session_id NOT IN (SELECT session_id FROM retired WHERE kind = 'deleted'))
  ORDER BY seq LIMIT ?`
export const SELECT_ENDED = `${SELECT_SESSION} WHERE state = 'dead' AND (activity_at, id) < (?1, ?2)
  AND id NOT IN (SELECT session_id FROM retired WHERE kind = 'deleted')
  AND (?3 IS NULL OR json_extract(data, '$.projectId') = ?3) ORDER BY activity_at DESC, id DESC LIMIT ?4`
export const SELECT_ENDED_OF = `${SELECT_SESSION} WHERE state = 'dead' AND json_extract(data, '$.vendorSessionId') = ?
  ORDER BY activity_at DESC, id DESC`
const SELECT_ASK =
  'SELECT id, raised_seq AS raisedSeq, settled_seq AS settledSeq, delivered_seq AS deliveredSeq FROM asks'
/** Only sessions that live have open asks, and those are few: no index has to be kept for it. */
const IS_OPEN = `settled_seq IS NULL AND session_id IN (SELECT id FROM sessions WHERE state <> 'dead')`
const SELECT_THREAD = `
  SELECT id, seq, status, 0 AS isAsk FROM items WHERE session_id = ?1 AND seq < ?2
  UNION ALL
  SELECT id, raised_seq, NULL, 1 FROM asks WHERE session_id = ?1 AND raised_seq < ?2
  ORDER BY seq DESC LIMIT ?3`
const SELECT_MESSAGES = `
  SELECT id, seq, status FROM items WHERE session_id = ?1 AND status = 'queued'
  UNION ALL
  SELECT * FROM (SELECT id, seq, status FROM items WHERE session_id = ?1 AND status = 'sent'
    ORDER BY status_seq DESC LIMIT 1)
  ORDER BY seq`
