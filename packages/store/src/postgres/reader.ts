import { recordSize } from '@holdpoint/core/size-of'
import type {
  AskQuery,
  AskRecord,
  ChainFault,
  EventQuery,
  ItemQuery,
  SessionPage,
  SessionQuery,
} from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import { askItem, type Item, type ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { endedPage, rowsOfPage } from '../ended-page.ts'
import { type LogRow, readRow } from '../log-row.ts'
import { refuseDamaged, unlessDamaged } from '../record-damage.ts'
import { readPlace } from '../session-place.ts'
import { readSession, type SessionRow } from '../session-row.ts'
import type { Query, SqlParameter } from './database.ts'
import { createGroups } from './groups.ts'
import {
  type AskRow,
  askRecord,
  eventColumns,
  eventOf,
  type ItemRow,
  itemOf,
  joinedRow,
  keyOf,
  SELECT_ASK,
  SELECT_SESSION,
} from './rows.ts'

/** More characters than any page has. */
const ALL = Number.MAX_SAFE_INTEGER

type Joined<Row> = Row & Record<string, unknown>

/** Reads through the tables into the log. Each call is one statement, so all that it gives is of one moment. */
export class PostgresReader {
  readonly #query: Query
  readonly #damaged: ReadonlyMap<string, ChainFault>
  readonly #byRequest = createGroups(
    (keys: readonly RequestKey[]) => this.#rowsByRequest(keys),
    ({ requestId }) => requestId.length,
  )

  /** `damaged`: sessions that are known to be so. None of their asks and items is shown, forged or not. */
  constructor(query: Query, damaged: ReadonlyMap<string, ChainFault>) {
    this.#query = query
    this.#damaged = damaged
  }

  async events({ sessionId, after, limit, size = ALL }: EventQuery): Promise<readonly Stored[]> {
    const values = [after, limit, finite(size)]
    const rows =
      sessionId === undefined
        ? await this.#query<Joined<LogRow>>(SELECT_EVENTS, values)
        : await this.#query<Joined<LogRow>>(SELECT_EVENTS_OF, [...values, sessionId])
    return rows.map(readRow)
  }

  async lastSeq(): Promise<number> {
    const [row] = await this.#query<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM events')
    return row?.seq ?? 0
  }

  async hashAt(seq: number): Promise<string | undefined> {
    const [row] = await this.#query<{ hash: string }>(`SELECT encode(hash, 'hex') AS hash FROM events WHERE seq = $1`, [
      seq,
    ])
    return row?.hash
  }

  async endedSessions(query: SessionQuery): Promise<SessionPage> {
    const { activityAt, id } = readPlace(query.before)
    const project = query.projectId === undefined ? null : keyOf(query.projectId)
    const rows = await this.#query<Joined<SessionRow>>(SELECT_ENDED, [activityAt, id, project, rowsOfPage(query)])
    return endedPage(rows, query, (row) => unlessDamaged(() => this.#session(row)))
  }

  async endedSessionsOf(vendorSessionId: string): Promise<readonly Session[]> {
    const rows = await this.#query<Joined<SessionRow>>(SELECT_ENDED_OF, [keyOf(vendorSessionId)])
    return rows.filter(({ id }) => !this.#damaged.has(id)).flatMap((row) => unlessDamaged(() => this.#session(row)))
  }

  async session(id: SessionId): Promise<Session | undefined> {
    const [row] = await this.#query<Joined<SessionRow>>(`${SELECT_SESSION} WHERE id = $1`, [id])
    return row && this.#session(row)
  }

  async liveIds(): Promise<readonly SessionId[]> {
    const rows = await this.#query<{ id: SessionId }>('SELECT id FROM sessions WHERE ended_at IS NULL ORDER BY id')
    return rows.map(({ id }) => id)
  }

  ask(id: AskId): Promise<AskRecord | undefined> {
    return this.#askWhere('a.id = $1', [id])
  }

  /** Every agent's ask is looked for before it is raised: many share a statement. */
  async askByRequest(key: RequestKey): Promise<AskRecord | undefined> {
    const row = await this.#byRequest(key)
    return row && this.#record(row)
  }

  async askByToolUse(key: { sessionId: SessionId; epoch: number; toolUseId: string }): Promise<AskRecord | undefined> {
    const where = `a.session_id = $1 AND a.epoch = $2 AND a.tool_use_key = decode($3, 'hex') ORDER BY a.raised_seq DESC`
    return this.#firstOfAgent(where, [key.sessionId, key.epoch, keyOf(key.toolUseId)])
  }

  firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): Promise<AskRecord | undefined> {
    const where = `a.session_id = $1 AND a.tool_use_key = decode($2, 'hex') ORDER BY a.raised_seq`
    return this.#firstOfAgent(where, [key.sessionId, keyOf(key.toolUseId)])
  }

  async asks({ status, sessionId, limit, before, size = ALL }: AskQuery): Promise<readonly AskRecord[]> {
    const scope = sessionId ?? null
    const found: AskRecord[] = []
    if (status !== 'settled') {
      const open = await this.#query<AskRow>(SELECT_OPEN, [scope, limit])
      found.push(...open.map((row) => this.#record(row)))
    }
    let place = before === undefined ? ALL : await this.#settledAt(before)
    let length = 0
    // Reads on where some are left out: a page that is not full is the last one.
    for (let missing = limit - found.length; status !== 'open' && missing > 0 && length < size; ) {
      const rows = await this.#query<AskRow & { whole: number }>(SELECT_SETTLED, [
        scope,
        place,
        missing,
        finite(size - length),
      ])
      for (const row of rows) {
        const [record] = unlessDamaged(() => this.#record(row))
        if (record) found.push(record)
        length += record ? recordSize(record) : 0
      }
      place = rows.at(-1)?.settledSeq ?? 0
      if (rows.length === 0 || (rows.at(-1)?.whole ?? 0) < missing) break
      missing = limit - found.length
    }
    return found
  }

  async items({ sessionId, before = ALL, limit, size = ALL }: ItemQuery): Promise<ItemPage> {
    refuseDamaged(sessionId, this.#damaged)
    // Newest first; one more than asked for tells whether there is an earlier page.
    const rows = await this.#query<ThreadRow>(SELECT_THREAD, [sessionId, before, limit, finite(size)])
    const items = rows.map((row): Item => (row.isAsk ? askItem(askOf(row)) : itemOf(row))).toReversed()
    const last = rows.at(-1)
    return last && rows.length < last.whole ? { items, nextBefore: last.place } : { items }
  }

  async item(key: { sessionId: SessionId; id: ItemId }): Promise<Item | undefined> {
    const [row] = await this.#query<ItemRow>(SELECT_ITEM, [key.sessionId, key.id])
    if (row) refuseDamaged(key.sessionId, this.#damaged)
    return row && itemOf(row)
  }

  async #askWhere(where: string, values: readonly SqlParameter[]): Promise<AskRecord | undefined> {
    const [row] = await this.#query<AskRow>(`${SELECT_ASK} WHERE ${where}`, values)
    return row && this.#record(row)
  }

  async #rowsByRequest(keys: readonly RequestKey[]): Promise<readonly (AskRow | undefined)[]> {
    const sessions = keys.map(({ sessionId }) => sessionId)
    const epochs = keys.map(({ epoch }) => epoch)
    const requests = keys.map(({ requestId }) => keyOf(requestId))
    const rows = await this.#query<AskRow & { place: number }>(SELECT_BY_REQUEST, [sessions, epochs, requests])
    const found = new Map<number, AskRow>(rows.map((row) => [row.place, row]))
    return keys.map((_, n) => found.get(n + 1))
  }

  async #firstOfAgent(where: string, values: readonly SqlParameter[]): Promise<AskRecord | undefined> {
    for (const row of await this.#query<AskRow>(`${SELECT_ASK} WHERE ${where}`, values)) {
      const record = this.#record(row)
      if (record.ask.raisedBy === undefined) return record
    }
    return undefined
  }

  /** After everything for one that is not settled, or is none. */
  async #settledAt(id: AskId): Promise<number> {
    const [row] = await this.#query<{ seq: number | null }>('SELECT settled_seq AS seq FROM asks WHERE id = $1', [id])
    return row?.seq ?? ALL
  }

  #record(row: AskRow): AskRecord {
    refuseDamaged(row.sessionId, this.#damaged)
    return askRecord(row)
  }

  #session(row: SessionRow): Session {
    return readSession(row, this.#damaged.get(row.id))
  }
}

interface RequestKey {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly requestId: string
}

interface ThreadRow extends ItemRow {
  readonly isAsk: boolean
  /** How many rows the page would have without a limit of its size, and one more if there are earlier ones. */
  readonly whole: number
}

function askOf(row: ThreadRow) {
  return eventOf(joinedRow(row, 'e_'), 'ask-raised', row.place).ask
}

function finite(size: number): number {
  return Math.min(size, ALL)
}

/** Rows until they have so many bytes together: the one with which they do is the last. */
const within = (rows: string, order: string, size: string) => `SELECT * FROM (
  SELECT *, count(*) OVER ()::int AS whole, sum(length) OVER (ORDER BY ${order}) - length AS before FROM (${rows}) AS one
  ) AS sized WHERE before < ${size}`
/** Of a deleted session there is nothing to give but that it was deleted. */
const DELETED = `SELECT session_id FROM retired WHERE kind = 'deleted'`
const NOT_DELETED = `session_id NOT IN (${DELETED})`
const SELECT_EVENTS = `SELECT ${eventColumns('e')} FROM (${within(
  `SELECT *, octet_length(data) AS length FROM events
    WHERE seq > $1 AND (data <> '' OR ${NOT_DELETED}) ORDER BY seq LIMIT $2`,
  'seq',
  '$3',
)}) AS e ORDER BY e.seq`
const SELECT_EVENTS_OF = `SELECT ${eventColumns('e')} FROM (${within(
  // By the session's own numbers, which an index has.
  `SELECT *, octet_length(data) AS length FROM events WHERE session_id = $4 AND session_seq > coalesce(
    (SELECT session_seq FROM events WHERE seq = $1 AND session_id = $4),
    CASE WHEN $1 = 0 THEN 0 ELSE (SELECT max(session_seq) FROM events WHERE session_id = $4 AND seq <= $1) END, 0
  ) AND (data <> '' OR ${NOT_DELETED}) ORDER BY session_seq LIMIT $2`,
  'session_seq',
  '$3',
)}) AS e ORDER BY e.session_seq`
const SELECT_ENDED = `${SELECT_SESSION} WHERE ended_at IS NOT NULL AND (ended_at, id) < ($1, $2) AND id NOT IN (${DELETED})
  AND ($3::text IS NULL OR project_key = decode($3, 'hex')) ORDER BY ended_at DESC, id DESC LIMIT $4`
const SELECT_ENDED_OF = `${SELECT_SESSION} WHERE ended_at IS NOT NULL AND vendor_key = decode($1, 'hex')
  ORDER BY ended_at DESC, id DESC`
const SELECT_BY_REQUEST = `SELECT k.*, sought.place FROM unnest($1::text[], $2::int[], $3::text[])
  WITH ORDINALITY AS sought(session, epoch, request, place), LATERAL (${SELECT_ASK}
    WHERE a.session_id = sought.session AND a.epoch = sought.epoch AND a.request_key = decode(sought.request, 'hex')
    ORDER BY a.raised_seq DESC LIMIT 1) AS k`
/** Only sessions that live have open asks. */
const SELECT_OPEN = `${SELECT_ASK} JOIN sessions x ON x.id = a.session_id AND x.ended_at IS NULL
  WHERE a.settled_seq IS NULL AND ($1::text IS NULL OR a.session_id = $1) ORDER BY a.raised_seq LIMIT $2`
const SELECT_SETTLED = `SELECT * FROM (${within(
  `SELECT k.*, octet_length("r_data") + coalesce(octet_length("s_data"), 0) AS length FROM (${SELECT_ASK}
    WHERE a.settled_seq < $2 AND ($1::text IS NULL OR a.session_id = $1) ORDER BY a.settled_seq DESC LIMIT $3) AS k`,
  '"settledSeq" DESC',
  '$4',
)}) AS page ORDER BY "settledSeq" DESC`
const SELECT_THREAD = `WITH thread AS (
  SELECT id, seq AS place, status, false AS "isAsk" FROM items WHERE session_id = $1 AND seq < $2
  UNION ALL
  SELECT id, raised_seq, NULL, true FROM asks WHERE session_id = $1 AND raised_seq < $2
  ORDER BY place DESC LIMIT $3 + 1
  ) SELECT * FROM (
    SELECT t.*, ${eventColumns('e', 'e_')}, count(*) OVER ()::int AS whole, row_number() OVER (ORDER BY t.place DESC) AS n,
      sum(octet_length(e.data)) OVER (ORDER BY t.place DESC) - octet_length(e.data) AS before
    FROM thread t LEFT JOIN events e ON e.seq = t.place
  ) AS sized WHERE n <= $3 AND coalesce(before, 0) < $4 ORDER BY place DESC`
const SELECT_ITEM = `SELECT i.id, i.seq AS place, i.status, ${eventColumns('e', 'e_')}
  FROM items i LEFT JOIN events e ON e.seq = i.seq WHERE i.session_id = $1 AND i.id = $2`
