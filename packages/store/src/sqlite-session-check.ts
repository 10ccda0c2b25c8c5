import type { ChainFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { SessionCheck } from './session-check.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { selectEventsAt } from './sqlite-events.ts'
import { sqliteKeptTables } from './sqlite-kept-tables.ts'
import { placesAfter } from './sqlite-places.ts'
import { SELECT_SESSION } from './sqlite-reader.ts'
import { readRetired } from './sqlite-retired.ts'
import type { SqliteSessionRow } from './sqlite-writer.ts'

/** Rows that are read in one go. */
const PAGE = 200

/**
 * Recomputes one session's chain from its first event to its last, and compares every table with what the events say.
 * Yields between pages, so that other work can go on; the last page and the comparison are one step, so that a commit
 * in between is no fault. Each step runs inside `guard`. Gives back the first thing that does not fit.
 */
export function* checkSession(db: SqliteDatabase, id: SessionId): Generator<void, ChainFault | undefined> {
  const check = new SessionCheck(id)
  for (;;) {
    const places = placesAfter(db, { sessionId: id, after: check.last.seq, limit: PAGE })
    const rows = selectEventsAt(db, places)
    for (const row of rows) {
      const fault = check.add(row)
      if (fault) return fault
    }
    if (rows.length < places.length) return check.fault('the event after it is missing')
    if (places.length < PAGE) return compareKept(db, id, check)
    yield
  }
}

/** Runs inside `guard`, once every event was added. */
export function compareKept(db: SqliteDatabase, id: SessionId, check: SessionCheck): ChainFault | undefined {
  const session = db.get<SqliteSessionRow>(`${SELECT_SESSION} WHERE id = ?`, [id])
  return check.compare(session, sqliteKeptTables(db, id, session?.recent ?? ''), readRetired(db, id))
}
