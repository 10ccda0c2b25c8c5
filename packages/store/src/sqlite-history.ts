import {
  type AskTrail,
  fitsFilter,
  HISTORY_VERSION,
  type HistoryChoices,
  type HistoryFacts,
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
import type { Outcome } from '@holdpoint/schema/outcome'
import { readRow } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { selectEvents } from './sqlite-events.ts'
import { placesAfter } from './sqlite-places.ts'
import type { SqliteReader } from './sqlite-reader.ts'

/** Asks that are added to the index in one transaction: some milliseconds. */
const ADDED_AT_ONCE = 150
/** Places of the log whose asks are searched in one go: some milliseconds. */
const SEARCHED_AT_ONCE = 40_000
/** Events of a session that are looked at in one go. */
const LOOKED_AT = 500
/** More words than these narrow nothing down that the page itself would not. */
const MAX_WORDS = 8

interface SettledRow {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly settledSeq: number
}

type Found = Pick<SettledRow, 'id' | 'settledSeq'>

/** The search over settled asks. Everything runs inside `guard` but `add`, which commits. */
export class SqliteHistory {
  readonly #db: SqliteDatabase
  readonly #reader: SqliteReader
  /** Of the sessions that were looked at, some of them at a time. */
  readonly #places = new Map<SessionId, SessionPlace>()
  #isChecked = false

  constructor(db: SqliteDatabase, reader: SqliteReader) {
    this.#db = db
    this.#reader = reader
  }

  /** Adds the next asks to the index. False when there are no more. */
  add(): boolean {
    const due = this.#db.guard(() => {
      this.#dropOlder()
      return this.#db.all<SettledRow>(SELECT_DUE, [ADDED_AT_ONCE])
    })
    if (due.length === 0) return false
    this.#db.transaction(() => {
      for (const row of due) this.#insert(row)
    })
    return due.length === ADDED_AT_ONCE
  }

  /** In steps, newest first; gives the page. One more than asked for tells whether there is another. */
  *page(query: HistoryQuery): Generator<void, { records: HistoryRecord[]; next?: number }> {
    const { limit, size = Number.POSITIVE_INFINITY } = query
    const records: HistoryRecord[] = []
    let length = 0
    for (const row of this.#search(query)) {
      if (row === undefined) {
        yield
        continue
      }
      if (records.length === limit || length >= size)
        return { records, next: records.at(-1)?.seq ?? row.settledSeq + 1 }
      const record = this.#record(row, query)
      if (!record) continue
      records.push(record)
      length += recordSize(record)
      if (length >= size) yield
    }
    return { records }
  }

  choices(sessionIds: readonly SessionId[] | undefined): HistoryChoices {
    const scope = sessionIds === undefined ? null : JSON.stringify(sessionIds)
    const values = (column: string) =>
      this.#db
        .all<{ value: string }>(
          `SELECT DISTINCT ${column} AS value FROM history WHERE ${column} <> '' AND ${IN_SCOPE} ORDER BY 1`,
          [scope],
        )
        .map(({ value }) => value)
    const devices = this.#db.all<{ id: string; name: string }>(SELECT_DEVICES, [scope])
    return {
      tools: values('tool'),
      projects: values('project'),
      devices: devices.map(({ id, name }) => ({ id, name })),
    }
  }

  /** In steps, newest first. */
  *letThrough({ from, to, sessionIds }: LetThroughQuery): Generator<void, LetThroughCounts> {
    const scope = sessionIds === undefined ? null : JSON.stringify(sessionIds)
    const rules = new Map<string, LetThroughCounts['rules'][number]>()
    let calls = 0
    for (let before = this.#newest() + 1; before > 0; before -= SEARCHED_AT_ONCE) {
      const values = [scope, before, before - SEARCHED_AT_ONCE, from, to]
      for (const row of this.#db.all<{ rules: string; calls: number; latest: AskId; seq: number }>(
        LET_THROUGH,
        values,
      )) {
        calls += row.calls
        for (const rule of row.rules.split(' ').filter(Boolean)) {
          const known = rules.get(rule)
          rules.set(rule, { rule, calls: (known?.calls ?? 0) + row.calls, latest: known?.latest ?? row.latest })
        }
      }
      yield
    }
    return { calls, rules: [...rules.values()] }
  }

  #newest(): number {
    return this.#db.get<{ seq: number | null }>('SELECT max(settled_seq) AS seq FROM history', [])?.seq ?? 0
  }

  /** In steps. */
  *trail(id: AskId): Generator<void, AskTrail | undefined> {
    const ask = this.#db.get<{ sessionId: SessionId; raisedSeq: number; settledSeq: number | null }>(SELECT_ASK, [id])
    const head =
      ask &&
      this.#db.get<AskTrail['head']>('SELECT seq AS sessionSeq, hash FROM sessions WHERE id = ?', [ask.sessionId])
    if (!ask || !head) return undefined
    const { sessionId, settledSeq } = ask
    const last = settledSeq ?? Number.MAX_SAFE_INTEGER
    const sightings: Extract<DurableEvent, { type: 'ask-seen' }>[] = []
    const notified: AskTrail['notified'][number][] = []
    for (let after = ask.raisedSeq; ; ) {
      const places = placesAfter(this.#db, { sessionId, after, limit: LOOKED_AT })
      const within = JSON.stringify(places.filter((seq) => seq < last))
      for (const row of selectEvents(this.#db, SEEN_AT, [within])) {
        const { event } = readRow(row)
        if (event.type === 'ask-seen' && event.askId === id) sightings.push(event)
        if (event.type === 'asks-notified' && event.askIds.includes(id)) notified.push(notifiedOf(event))
      }
      after = places.at(-1) ?? last
      if (places.length < LOOKED_AT || after >= last) break
      yield
    }
    const hash = settledSeq === null ? undefined : this.#reader.hashAt(settledSeq)
    return {
      sightings: sightings.map(({ by, at }) => ({ by, at })),
      notified,
      ...(settledSeq !== null && hash !== undefined && { settled: { seq: settledSeq, hash } }),
      head: { sessionSeq: head.sessionSeq, hash: head.hash },
    }
  }

  /** Rows that fit by the index, newest first, and `undefined` after each step. */
  *#search(query: HistoryQuery): Generator<Found | undefined> {
    const { words = [], tool, project, device, outcome, rule, from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query
    const list = (values: readonly string[] | undefined) => (values === undefined ? null : JSON.stringify(values))
    const given = [tool, project, device, outcome, rule && spaced([rule])].map((value) => value ?? null)
    const filter: SqlValue[] = [...given, list(query.nodes)]
    // The longest first: few texts have it, and only those are searched for the others.
    const sought = words.toSorted((a, b) => b.length - a.length)
    const searched = words.length === 0 ? [] : Array.from({ length: MAX_WORDS }, (_, n) => sought[n] ?? null)
    const sql = words.length === 0 ? SEARCH : SEARCH_WORDS
    for (let before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, this.#newest() + 1); before > 0; ) {
      const floor = before - SEARCHED_AT_ONCE
      const values = [list(query.sessionIds), before, floor, from, to, ...filter, limit + 1, ...searched]
      const rows = this.#db.all<Found>(sql, values)
      yield* rows
      // A full answer ends before the floor does.
      before = rows.length > limit ? (rows.at(-1)?.settledSeq ?? floor) : floor
      yield undefined
    }
  }

  /** As the log has it, if that fits too: what a changed index says is never shown. */
  #record({ id, settledSeq }: Found, query: HistoryQuery): HistoryRecord | undefined {
    try {
      const record = this.#reader.ask(id)
      const hash = this.#reader.hashAt(settledSeq)
      if (!record?.outcome || hash === undefined) return undefined
      const { outcome, ask } = record
      const fits = fitsFilter(historyFacts({ ask, outcome }, this.#place(ask.sessionId)), query)
      const isSeen = query.sessionIds?.includes(ask.sessionId) ?? true
      return fits && isSeen ? { ...record, outcome, seq: settledSeq, hash } : undefined
    } catch (error) {
      if (error instanceof RecordDamaged) return undefined
      throw error
    }
  }

  #insert({ id, sessionId, settledSeq }: SettledRow): void {
    const { at, tool, project, device, deviceName, outcome, rules, text } = this.#facts(id, sessionId) ?? DAMAGED
    const columns = [at, tool, project, device, deviceName, outcome, spaced(rules)]
    this.#db.run(INSERT, [settledSeq, HISTORY_VERSION, id, sessionId, ...columns])
    this.#db.run(INSERT_TEXT, [settledSeq, text])
  }

  #facts(id: AskId, sessionId: SessionId): HistoryFacts | undefined {
    try {
      const record = this.#reader.ask(id)
      return record?.outcome && historyFacts({ ask: record.ask, outcome: record.outcome }, this.#place(sessionId))
    } catch (error) {
      if (error instanceof RecordDamaged) return undefined
      throw error
    }
  }

  #place(id: SessionId): SessionPlace {
    const known = this.#places.get(id)
    if (known) return known
    const place = sessionPlace(this.#reader.session(id))
    if (this.#places.size >= 1000) this.#places.clear()
    this.#places.set(id, place)
    return place
  }

  #dropOlder(): void {
    if (this.#isChecked) return
    const row = this.#db.get<{ version: number }>('SELECT version FROM history LIMIT 1', [])
    if (row && row.version !== HISTORY_VERSION) {
      this.#db.run('DELETE FROM history', [])
      this.#db.run('DELETE FROM history_texts', [])
    }
    this.#isChecked = true
  }
}

/** In the place of one that was changed or damaged. No search finds it. */
const DAMAGED: Omit<HistoryFacts, 'outcome' | 'node'> & { outcome: Outcome['kind'] | '' } = {
  at: 0,
  tool: '',
  project: '',
  device: '',
  deviceName: '',
  outcome: '',
  rules: [],
  text: '',
}

/** Ids in one column: each has a space on both sides, so that it is found whole. */
function spaced(ids: readonly string[]): string {
  return ids.map((id) => ` ${id} `).join('')
}

const SELECT_DUE = `SELECT id, session_id AS sessionId, settled_seq AS settledSeq FROM asks
  WHERE settled_seq > (SELECT coalesce(max(settled_seq), 0) FROM history) ORDER BY settled_seq LIMIT ?`
const INSERT = `INSERT INTO history
  (settled_seq, version, ask_id, session_id, at, tool, project, device, device_name, outcome, rule)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_TEXT = 'INSERT INTO history_texts (settled_seq, text) VALUES (?, ?)'
const IN_SCOPE = '(?1 IS NULL OR session_id IN (SELECT value FROM json_each(?1)))'
/** One statement for every filter. No index would help: a search goes through the log's own order, newest first. */
const FITS = `${IN_SCOPE} AND at >= ?4 AND at < ?5 AND outcome <> ''
  AND (?6 IS NULL OR tool = ?6) AND (?7 IS NULL OR project = ?7) AND (?8 IS NULL OR device = ?8)
  AND (?9 IS NULL OR outcome = ?9) AND (?10 IS NULL OR instr(rule, ?10))
  AND (?11 IS NULL OR session_id IN (SELECT id FROM sessions
    WHERE coalesce(json_extract(data, '$.node'), '') IN (SELECT value FROM json_each(?11))))`
export const SEARCH = `SELECT ask_id AS id, settled_seq AS settledSeq FROM history
  WHERE settled_seq < ?2 AND settled_seq >= ?3 AND ${FITS} ORDER BY settled_seq DESC LIMIT ?12`
const OTHER_WORDS = Array.from({ length: MAX_WORDS - 1 }, (_, n) => `(?${n + 14} IS NULL OR instr(text, ?${n + 14}))`)
/** Each text first, then, if it has the words, the row beside it. */
export const SEARCH_WORDS = `SELECT h.ask_id AS id, h.settled_seq AS settledSeq
  FROM history_texts AS t CROSS JOIN history AS h ON h.settled_seq = t.settled_seq
  WHERE t.settled_seq < ?2 AND t.settled_seq >= ?3 AND instr(t.text, ?13) AND ${OTHER_WORDS.join(' AND ')}
  AND ${FITS} ORDER BY t.settled_seq DESC LIMIT ?12`
const SELECT_DEVICES = `SELECT device AS id, device_name AS name, max(settled_seq) FROM history
  WHERE device <> '' AND ${IN_SCOPE} GROUP BY device ORDER BY name, id`
/** By the same rules, newest first, each with the newest of its calls. What is let through has no device (`isLetThrough`). */
const LET_THROUGH = `SELECT rule AS rules, count(*) AS calls, ask_id AS latest, max(settled_seq) AS seq FROM history
  WHERE ${IN_SCOPE} AND settled_seq < ?2 AND settled_seq >= ?3 AND at >= ?4 AND at < ?5
  AND outcome = 'allowed' AND device = '' AND rule <> '' GROUP BY rule ORDER BY seq DESC`
const SELECT_ASK = `SELECT session_id AS sessionId, raised_seq AS raisedSeq, settled_seq AS settledSeq
  FROM asks WHERE id = ?`
const SEEN_AT = `WHERE seq IN (SELECT value FROM json_each(?)) AND type IN ('ask-seen', 'asks-notified') ORDER BY seq`
