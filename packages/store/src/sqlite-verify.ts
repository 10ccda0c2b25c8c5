import type { ChainFault, ChainReport } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { type AcceptedDamage, eventsAccepted, eventsLeftFor, readAccepted } from './accepted-damage.ts'
import { chainHead } from './log-row.ts'
import { type RecordRow, recordSum } from './record-row.ts'
import { checkArchives, unrecordedArchives } from './sqlite-archive-check.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { checkHistory } from './sqlite-history-check.ts'
import { findWholeSessions } from './sqlite-log-pass.ts'
import { SELECT_RECORD } from './sqlite-records.ts'
import { checkSession } from './sqlite-session-check.ts'

/** Sessions whose names are looked at in one go. */
const PAGE = 200
const TABLES = ['places', 'asks', 'items', 'rules', 'retired'] as const

/**
 * Checks every session, ended ones in one pass over the log, the others one after the other; then that nothing is left
 * over. Yields between steps, each of which runs inside `guard`. Reports the first fault, and tells `found` about one of
 * each session that has any.
 */
export function* verifyLog(
  db: SqliteDatabase,
  found: (fault: ChainFault) => void = () => {},
): Generator<void, ChainReport> {
  const accepted = readAccepted(db)
  const inArchive = yield* checkArchives(db, (id) => accepted.has(id), found)
  const whole = yield* findWholeSessions(db)
  const fault =
    inArchive ??
    (yield* checkOthers(db, (id) => accepted.has(id) || whole.has(id), found)) ??
    (yield* findStray(db, accepted)) ??
    (yield* checkHistory(db))
  const unrecorded = unrecordedArchives(db)
  return {
    ...report(db, accepted, fault),
    ...(accepted.size > 0 && { accepted: accepted.size }),
    ...(unrecorded.length > 0 && { unrecorded }),
  }
}

function* checkOthers(
  db: SqliteDatabase,
  isChecked: (id: SessionId) => boolean,
  found: (fault: ChainFault) => void,
): Generator<void, ChainFault | undefined> {
  let first: ChainFault | undefined
  for (let after = ''; ; ) {
    const ids = db.all<{ id: SessionId }>('SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?', [after, PAGE])
    for (const { id } of ids) {
      if (isChecked(id)) continue
      const fault = yield* checkSession(db, id)
      if (fault) found(fault)
      first ??= fault
      yield
    }
    after = ids.at(-1)?.id ?? ''
    if (ids.length < PAGE) return first
    yield
  }
}

/** What belongs to no session, and what no session accounts for. */
function* findStray(
  db: SqliteDatabase,
  accepted: ReadonlyMap<string, AcceptedDamage>,
): Generator<void, ChainFault | undefined> {
  for (const table of TABLES) {
    const sql = `SELECT min(session_id) AS id FROM ${table} WHERE session_id > ?`
    let looked = 0
    for (let id = ''; ; ) {
      const next = db.get<{ id: string | null }>(sql, [id])?.id
      if (next === null || next === undefined) break
      if (!db.get('SELECT 1 FROM sessions WHERE id = ?', [next])) {
        return { sessionId: next, seq: 0, sessionSeq: 0, problem: `${table} has rows of a session without a record` }
      }
      id = next
      if (++looked % PAGE === 0) yield
    }
  }
  // Every session has its events, all different: if they are as many as the last one's number, none is missing or strange.
  // Of those whose damage was accepted, there are as many as there were then.
  const { last, left } = eventsLeftFor(db, accepted.keys())
  const expected = eventsAccepted(accepted)
  if (expected !== undefined && left !== expected) {
    const problem = `the sessions have ${last - left + expected} events, but the log goes up to ${last}`
    return { sessionId: '', seq: last, sessionSeq: 0, problem }
  }
  for (const row of db.all<RecordRow>(SELECT_RECORD, [])) {
    if (recordSum(row) !== row.sum) {
      const problem = `the record ${row.key} of ${row.collection} does not match its checksum`
      return { sessionId: '', seq: last, sessionSeq: 0, problem }
    }
  }
  return undefined
}

function report(
  db: SqliteDatabase,
  accepted: ReadonlyMap<string, ChainFault>,
  fault: ChainFault | undefined,
): ChainReport {
  const sessions = db.all<{ id: string; hash: string; seq: number }>('SELECT id, hash, seq FROM sessions', [])
  const events = sessions.reduce((sum, { seq }) => sum + seq, 0)
  const found = { events, sessions: sessions.length }
  // The last hash of a session says nothing of it once an event before was changed.
  const checked = sessions.filter(({ id }) => !accepted.has(id))
  return fault ? { ...found, fault } : { ...found, head: chainHead(checked) }
}

/**
 * Whether the file itself is in order: pages and indexes, which no event tells of. It cannot be done in pieces. The log
 * is left out: reading it from end to end has shown that it is whole, and it has no index.
 */
export function checkFile(db: SqliteDatabase): string | undefined {
  for (const table of [
    'sessions',
    ...TABLES,
    'history',
    'history_texts',
    'calls',
    'past_calls',
    'decided_calls',
    'retired',
    'archive_holes',
    'records',
  ]) {
    const result = db.get<{ integrity_check: string }>(`PRAGMA integrity_check('${table}')`, [])?.integrity_check
    if (result !== 'ok') return `the file is damaged: ${result}`
  }
  return undefined
}
