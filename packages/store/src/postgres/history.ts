import {
  type AskTrail,
  fitsFilter,
  HISTORY_VERSION,
  type HistoryChoices,
  type HistoryFacts,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRecord,
  historyFacts,
  type LetThroughCounts,
  type LetThroughQuery,
  notifiedOf,
  type SessionPlace,
  sessionPlace,
} from '@holdpoint/core/history'
import { recordSize } from '@holdpoint/core/size-of'
import { RecordDamaged } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import { type LogRow, readRow } from '../log-row.ts'
import type { PostgresDatabase, SqlParameter } from './database.ts'
import type { PostgresReader } from './reader.ts'
import { eventColumns } from './rows.ts'

/** Asks that are added to the index in one transaction. */
const ADDED_AT_ONCE = 150
/** Places of the log whose asks are searched in one statement. */
const SEARCHED_AT_ONCE = 40_000
/** Events of a session that are looked at in one go. */
const LOOKED_AT = 500

export interface SettledRow extends Record<string, unknown> {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly settledSeq: number
}

type Found = Pick<SettledRow, 'id' | 'settledSeq'> & Record<string, unknown>
/** After each step of a long search. */
type Step = () => Promise<unknown>

/** The search over settled asks. What agents choose is kept as JSON text; the words of an ask have nothing odd in them. */
export class PostgresHistory {
  readonly #db: PostgresDatabase
  readonly #reader: PostgresReader
  /** Of the sessions that were looked at, some of them at a time. */
  readonly #places = new Map<SessionId, SessionPlace>()
  #isChecked = false

  constructor(db: PostgresDatabase, reader: PostgresReader) {
    this.#db = db
    this.#reader = reader
  }

  /** Adds the next asks to the index. False when there are no more. Another gateway may add the same ones: one row stays. */
  async add(): Promise<boolean> {
    await this.#dropOlder()
    const due = await this.#db.query<SettledRow>(SELECT_DUE, [ADDED_AT_ONCE])
    if (due.length === 0) return false
    const rows: SqlParameter[][] = []
    for (const row of due) rows.push(await this.#indexRow(row))
    const columns = Array.from({ length: COLUMNS }, (_, n) => rows.map((row) => row[n] as string | number))
    await this.#db.change((query) => query(INSERT, columns))
    return due.length === ADDED_AT_ONCE
  }

  /** Newest first. One more than asked for tells whether there is another. */
  async page(query: HistoryQuery, step: Step): Promise<HistoryPage> {
    const { limit, size = Number.POSITIVE_INFINITY } = query
    const records: HistoryRecord[] = []
    let length = 0
    for await (const row of this.#search(query, step)) {
      if (records.length === limit || length >= size)
        return { records, next: records.at(-1)?.seq ?? row.settledSeq + 1 }
      const record = await this.#record(row, query)
      if (!record) continue
      records.push(record)
      length += recordSize(record)
    }
    return { records }
  }

  async choices(sessionIds: readonly SessionId[] | undefined): Promise<HistoryChoices> {
    const scope = [sessionIds ?? null]
    const values = async (column: string) => {
      const sql = `SELECT DISTINCT ${column} AS value FROM history WHERE ${column} <> '""' AND ${IN_SCOPE}`
      const rows = await this.#db.query<{ value: string }>(sql, scope)
      return rows.map(({ value }) => JSON.parse(value) as string).sort()
    }
    const devices = await this.#db.query<{ id: string; name: string }>(SELECT_DEVICES, scope)
    return {
      tools: await values('tool'),
      projects: await values('project'),
      devices: devices
        .map(({ id, name }) => ({ id: JSON.parse(id) as string, name: JSON.parse(name) as string }))
        .sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1)),
    }
  }

  async letThrough({ from, to, sessionIds }: LetThroughQuery, step: Step): Promise<LetThroughCounts> {
    const rules = new Map<string, LetThroughCounts['rules'][number]>()
    let calls = 0
    for (let before = (await this.#newest()) + 1; before > 0; before -= SEARCHED_AT_ONCE) {
      const values = [sessionIds ?? null, before, before - SEARCHED_AT_ONCE, from, to]
      for (const row of await this.#db.query<{ rules: string; calls: number; latest: AskId }>(LET_THROUGH, values)) {
        calls += row.calls
        for (const rule of row.rules.split(' ').filter(Boolean)) {
          const known = rules.get(rule)
          rules.set(rule, { rule, calls: (known?.calls ?? 0) + row.calls, latest: known?.latest ?? row.latest })
        }
      }
      await step()
    }
    return { calls, rules: [...rules.values()] }
  }

  /** Of one moment. */
  trail(id: AskId): Promise<AskTrail | undefined> {
    return this.#db.snapshot(async (query) => {
      const [ask] = await query<TrailRow>(SELECT_TRAIL, [id])
      if (!ask) return undefined
      const { sessionId, settledSeq } = ask
      const sightings: Extract<DurableEvent, { type: 'ask-seen' }>[] = []
      const notified: AskTrail['notified'][number][] = []
      for (let after = ask.raisedSeq, page: readonly LogRow[]; ; after = page.at(-1)?.seq ?? after) {
        page = await query<LogRow & Record<string, unknown>>(SELECT_SEEN, [sessionId, after, settledSeq, LOOKED_AT])
        for (const { event } of page.map(readRow)) {
          if (event.type === 'ask-seen' && event.askId === id) sightings.push(event)
          if (event.type === 'asks-notified' && event.askIds.includes(id)) notified.push(notifiedOf(event))
        }
        if (page.length < LOOKED_AT) break
      }
      return {
        sightings: sightings.map(({ by, at }) => ({ by, at })),
        notified,
        ...(settledSeq !== null && ask.settledHash !== null && { settled: { seq: settledSeq, hash: ask.settledHash } }),
        head: { sessionSeq: ask.sessionSeq, hash: ask.hash },
      }
    })
  }

  async #newest(): Promise<number> {
    const [row] = await this.#db.query<{ seq: number }>('SELECT coalesce(max(settled_seq), 0) AS seq FROM history')
    return row?.seq ?? 0
  }

  /** Rows that fit by the index, newest first. */
  async *#search(query: HistoryQuery, step: Step): AsyncGenerator<Found> {
    const { words = [], tool, project, device, outcome, rule, from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query
    const text = (value: string | undefined) => (value === undefined ? null : JSON.stringify(value))
    const filter = [text(tool), text(project), text(device), outcome ?? null, rule === undefined ? null : ` ${rule} `]
    const nodes = query.nodes ?? null
    // The longest first: few texts have it, and only those are searched for the others.
    const sought = words.map(plain).toSorted((a, b) => b.length - a.length)
    for (let before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, (await this.#newest()) + 1); before > 0; ) {
      const floor = before - SEARCHED_AT_ONCE
      const values = [
        query.sessionIds ?? null,
        before,
        floor,
        from,
        to,
        ...filter.map(nullOrPlain),
        limit + 1,
        sought,
        nodes,
      ]
      const rows = await this.#db.query<Found>(SEARCH, values)
      yield* rows
      // A full answer ends before the floor does.
      before = rows.length > limit ? (rows.at(-1)?.settledSeq ?? floor) : floor
      await step()
    }
  }

  /** As the log has it, if that fits too: what a changed index says is never shown. */
  async #record({ id, settledSeq }: Found, query: HistoryQuery): Promise<HistoryRecord | undefined> {
    try {
      const record = await this.#reader.ask(id)
      const hash = await this.#reader.hashAt(settledSeq)
      if (!record?.outcome || hash === undefined) return undefined
      const { outcome, ask } = record
      const fits = fitsFilter(historyFacts({ ask, outcome }, await this.#place(ask.sessionId)), query)
      const isSeen = query.sessionIds?.includes(ask.sessionId) ?? true
      return fits && isSeen ? { ...record, outcome, seq: settledSeq, hash } : undefined
    } catch (error) {
      if (error instanceof RecordDamaged) return undefined
      throw error
    }
  }

  async #indexRow({ id, sessionId, settledSeq }: SettledRow): Promise<SqlParameter[]> {
    const facts = await this.#facts(id, sessionId)
    // In the place of one that was changed or damaged, which no search finds.
    if (!facts) return [settledSeq, HISTORY_VERSION, id, sessionId, 0, '""', '""', '""', '""', '', '', '']
    const { at, tool, project, device, deviceName, outcome, rules, text } = facts
    const names = [tool, project, device, deviceName].map((name) => JSON.stringify(name))
    const ids = plain(rules.map((rule) => ` ${rule} `).join(''))
    return [settledSeq, HISTORY_VERSION, id, sessionId, at, ...names, outcome, ids, plain(text)]
  }

  async #facts(id: AskId, sessionId: SessionId): Promise<HistoryFacts | undefined> {
    try {
      const record = await this.#reader.ask(id)
      return record?.outcome && historyFacts({ ask: record.ask, outcome: record.outcome }, await this.#place(sessionId))
    } catch (error) {
      if (error instanceof RecordDamaged) return undefined
      throw error
    }
  }

  async #place(id: SessionId): Promise<SessionPlace> {
    const known = this.#places.get(id)
    if (known) return known
    const place = sessionPlace(await this.#reader.session(id))
    if (this.#places.size >= 1000) this.#places.clear()
    this.#places.set(id, place)
    return place
  }

  /**
   * What an older gateway has made is made again, with all that follows it: the index has no gaps. A newer one's stays: what
   * does not fit is left out when it is read.
   */
  async #dropOlder(): Promise<void> {
    if (this.#isChecked) return
    await this.#db.change((query) => query(DROP_OLDER, [HISTORY_VERSION]))
    this.#isChecked = true
  }
}

interface TrailRow extends Record<string, unknown> {
  readonly sessionId: SessionId
  readonly raisedSeq: number
  readonly settledSeq: number | null
  readonly settledHash: string | null
  readonly sessionSeq: number
  readonly hash: string
}

/** What PostgreSQL's text can hold. */
export function plain(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, ' ')
}

function nullOrPlain(text: string | null): string | null {
  return text === null ? null : plain(text)
}

const COLUMNS = 12
const DROP_OLDER = `DELETE FROM history WHERE settled_seq >= (SELECT min(settled_seq) FROM history WHERE version < $1)`
const SELECT_DUE = `SELECT id, session_id AS "sessionId", settled_seq AS "settledSeq" FROM asks
  WHERE settled_seq > (SELECT coalesce(max(settled_seq), 0) FROM history) ORDER BY settled_seq LIMIT $1`
const INSERT = `INSERT INTO history
  (settled_seq, version, ask_id, session_id, at, tool, project, device, device_name, outcome, rule, text)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[]) AS row ORDER BY 1 ON CONFLICT DO NOTHING`
const IN_SCOPE = '($1::text[] IS NULL OR session_id = ANY($1))'
/** In the JSON text of a session: within a text of it the quotes would have a stroke before them. */
const NODE = `coalesce(substring(data FROM '"node":"(nod_[^"]+)"'), '')`
/** One statement for every filter. No index would help: a search goes through the log's own order, newest first. */
const SEARCH = `SELECT ask_id AS id, settled_seq AS "settledSeq" FROM history
  WHERE settled_seq < $2 AND settled_seq >= $3 AND ${IN_SCOPE} AND at >= $4 AND at < $5 AND outcome <> ''
  AND ($6::text IS NULL OR tool = $6) AND ($7::text IS NULL OR project = $7) AND ($8::text IS NULL OR device = $8)
  AND ($9::text IS NULL OR outcome = $9) AND ($10::text IS NULL OR strpos(rule, $10) > 0)
  AND NOT EXISTS (SELECT FROM unnest($12::text[]) AS word WHERE strpos(text, word) = 0)
  AND ($13::text[] IS NULL OR session_id IN (SELECT id FROM sessions WHERE ${NODE} = ANY($13)))
  ORDER BY settled_seq DESC LIMIT $11`
/** Each with the newest of its names. */
const SELECT_DEVICES = `SELECT DISTINCT ON (device) device AS id, device_name AS name FROM history
  WHERE device <> '""' AND ${IN_SCOPE} ORDER BY device, settled_seq DESC`
/** By the same rules, newest first, each with the newest of its calls. What is let through has no device (`isLetThrough`). */
const LET_THROUGH = `SELECT rule AS rules, count(*)::int AS calls, (array_agg(ask_id ORDER BY settled_seq DESC))[1] AS latest
  FROM history WHERE ${IN_SCOPE} AND settled_seq < $2 AND settled_seq >= $3 AND at >= $4 AND at < $5
  AND outcome = 'allowed' AND device = '""' AND rule <> '' GROUP BY rule ORDER BY max(settled_seq) DESC`
const SELECT_TRAIL = `SELECT a.session_id AS "sessionId", a.raised_seq AS "raisedSeq", a.settled_seq AS "settledSeq",
  encode(e.hash, 'hex') AS "settledHash", s.seq AS "sessionSeq", encode(s.hash, 'hex') AS hash
  FROM asks a JOIN sessions s ON s.id = a.session_id LEFT JOIN events e ON e.seq = a.settled_seq WHERE a.id = $1`
const SELECT_SEEN = `SELECT ${eventColumns('e')} FROM events e WHERE session_id = $1
  AND session_seq > (SELECT session_seq FROM events WHERE seq = $2) AND ($3::bigint IS NULL OR seq < $3)
  AND type IN ('ask-seen', 'asks-notified') ORDER BY session_seq LIMIT $4`
