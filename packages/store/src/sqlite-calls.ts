import { personDecision } from '@holdpoint/core/history'
import type { PastCalls } from '@holdpoint/core/policy/dry-run'
import { type KeptCall, PARTS_VERSION } from '@holdpoint/core/policy/kept-call'
import type { AllowedCalls } from '@holdpoint/core/policy/suggestions'
import { type PastCallQuery, RecordDamaged } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { sha256 } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteReader } from './sqlite-reader.ts'

/** Asks whose calls are added in one transaction: some milliseconds. */
const ADDED_AT_ONCE = 150
/** Rows that are read in one go, and places of the log whose asks are: some milliseconds. */
const CALLS_AT_ONCE = 2000
const PLACES_AT_ONCE = 20_000
/** Calls of one stem that a rule is tried on. */
const CALLS_OF_STEM = 50

type Take = (ask: Ask) => KeptCall | undefined

/** The parts of past calls, each once. Everything runs inside `guard` but `add`, which commits. */
export class SqliteCalls {
  readonly #db: SqliteDatabase
  readonly #reader: SqliteReader
  #isChecked = false

  constructor(db: SqliteDatabase, reader: SqliteReader) {
    this.#db = db
    this.#reader = reader
  }

  /** Adds the calls of the next asks. False when there are no more. */
  add(take: Take): boolean {
    const due = this.#db.guard(() => {
      this.#dropOlder()
      return this.#db.all<DueRow>(SELECT_DUE, [ADDED_AT_ONCE])
    })
    if (due.length === 0) return false
    this.#db.transaction(() => {
      for (const row of due) this.#insert(row, take)
    })
    return due.length === ADDED_AT_ONCE
  }

  /** In steps. A call may come several times. */
  *past({ from, about }: PastCallQuery): Generator<void, readonly PastCalls[]> {
    const newest = this.#db.get<{ seq: number | null }>('SELECT max(settled_seq) AS seq FROM past_calls', [])?.seq ?? 0
    const rows: PastRow[] = []
    for (let after = 0; after < newest; after += PLACES_AT_ONCE) {
      rows.push(...this.#db.all<PastRow>(SELECT_PAST, [from, about ?? null, after, after + PLACES_AT_ONCE]))
      yield
    }
    const ids = [...new Set(rows.map(({ callId }) => callId))]
    const texts = new Map<number, string>()
    for (let at = 0; at < ids.length; at += CALLS_AT_ONCE) {
      for (const { id, text } of this.#texts(ids.slice(at, at + CALLS_AT_ONCE))) texts.set(id, text)
      yield
    }
    return rows.flatMap(({ callId, trusted, denied, ...row }) => {
      const call = texts.get(callId)
      return call === undefined ? [] : [{ ...row, call, trusted: trusted === 1, denied: idsIn(denied) }]
    })
  }

  /** In steps, project by project. */
  *allowed({ min }: { min: number }): Generator<void, readonly AllowedCalls[]> {
    const rows: AllowedRow[] = []
    for (let project = ''; ; ) {
      const next = this.#db.get<{ next: string | null }>(SELECT_NEXT_PROJECT, [project])?.next ?? undefined
      if (next === undefined) break
      project = next
      rows.push(...this.#db.all<AllowedRow>(SELECT_ALLOWED_CALLS, [project, min]))
      rows.push(...this.#db.all<AllowedRow>(SELECT_ALLOWED_STEMS, [project, min]))
      yield
    }
    return rows.map(({ stem, callIds, trusted, ...row }) => {
      const ids = JSON.parse(callIds) as number[]
      const texts = this.#texts(ids.slice(0, CALLS_OF_STEM))
      return { ...row, stem: stem ?? undefined, trusted: trusted === 1, calls: texts.map(({ text }) => text) }
    })
  }

  #texts(ids: readonly number[]): readonly { readonly id: number; readonly text: string }[] {
    return this.#db.all(SELECT_TEXTS, [JSON.stringify(ids)])
  }

  #insert({ id, sessionId, settledSeq }: DueRow, take: Take): void {
    const { ask, outcome, session } = this.#read(id, sessionId)
    const kept = ask?.kind === 'approval' ? take(ask) : undefined
    const callId = kept ? this.#callId(kept) : null
    const project = session?.cwd ?? ''
    const trusted = session?.trusted ? 1 : 0
    const decision = outcome && personDecision(outcome)
    const row = [settledSeq, PARTS_VERSION, id, sessionId, project, trusted, outcome?.at ?? 0]
    this.#db.run(INSERT_PAST, [...row, decision ?? '', kept?.about ?? '', callId])
    if (!decision || kept?.stem === undefined) return
    const counts = decision === 'allowed' ? [1, 0] : [0, 1]
    this.#db.run(COUNT_DECISION, [project, kept.stem, callId, trusted, ...counts, id])
  }

  #callId({ text }: KeptCall): number {
    const hash = sha256(text)
    const find = () => this.#db.get<{ id: number }>('SELECT id FROM calls WHERE hash = ?', [hash])?.id
    const known = find()
    if (known !== undefined) return known
    this.#db.run('INSERT INTO calls (hash, text) VALUES (?, ?)', [hash, text])
    return find() ?? 0
  }

  #read(
    id: AskId,
    sessionId: SessionId,
  ): Partial<NonNullable<ReturnType<SqliteReader['ask']>>> & { session?: Session } {
    try {
      const session = this.#reader.session(sessionId)
      return { ...this.#reader.ask(id), ...(session && { session }) }
    } catch (error) {
      if (error instanceof RecordDamaged) return {}
      throw error
    }
  }

  #dropOlder(): void {
    if (this.#isChecked) return
    const row = this.#db.get<{ version: number }>('SELECT version FROM past_calls LIMIT 1', [])
    if (row && row.version !== PARTS_VERSION) {
      for (const table of ['past_calls', 'decided_calls', 'calls']) this.#db.run(`DELETE FROM ${table}`, [])
    }
    this.#isChecked = true
  }
}

interface DueRow {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly settledSeq: number
}

interface PastRow extends Omit<PastCalls, 'call' | 'trusted' | 'denied'> {
  readonly callId: number
  readonly trusted: number
  readonly denied: string | null
}

interface AllowedRow {
  readonly project: string
  readonly stem: string | null
  readonly callIds: string
  readonly trusted: number
  readonly allowed: number
  readonly latest: AskId
}

function idsIn(text: string | null): readonly AskId[] {
  return text === null ? [] : (text.split(' ') as AskId[])
}

const SELECT_DUE = `SELECT id, session_id AS sessionId, settled_seq AS settledSeq FROM asks
  WHERE settled_seq > (SELECT coalesce(max(settled_seq), 0) FROM past_calls) ORDER BY settled_seq LIMIT ?`
const INSERT_PAST = `INSERT INTO past_calls
  (settled_seq, version, ask_id, session_id, project, trusted, at, decision, about, call_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const COUNT_DECISION = `INSERT INTO decided_calls (project, stem, call_id, trusted, allowed, denied, latest)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, stem, call_id) DO UPDATE SET trusted = excluded.trusted,
  allowed = allowed + excluded.allowed, denied = denied + excluded.denied, latest = excluded.latest`
const SELECT_PAST = `SELECT call_id AS callId, session_id AS sessionId, project, max(trusted) AS trusted,
  count(*) AS asks, sum(decision = 'allowed') AS allowed,
  group_concat(iif(decision = 'denied', ask_id, NULL), ' ') AS denied
  FROM past_calls WHERE settled_seq > ?3 AND settled_seq <= ?4 AND at >= ?1
  AND call_id IS NOT NULL AND (?2 IS NULL OR instr(about, ?2))
  GROUP BY call_id, session_id`
const SELECT_NEXT_PROJECT = 'SELECT min(project) AS next FROM decided_calls WHERE project > ?'
const SELECT_ALLOWED_CALLS = `SELECT project, NULL AS stem, json_array(call_id) AS callIds, trusted, allowed, latest
  FROM decided_calls WHERE project = ? AND allowed >= ? AND denied = 0`
const SELECT_ALLOWED_STEMS = `SELECT project, stem, json_group_array(call_id) AS callIds, max(trusted) AS trusted,
  sum(allowed) AS allowed, max(latest) AS latest FROM decided_calls WHERE project = ?
  GROUP BY stem HAVING sum(allowed) >= ? AND sum(denied) = 0 AND count(*) > 1`
const SELECT_TEXTS = 'SELECT id, text FROM calls WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id'
