import type { SessionId } from '@holdpoint/schema/id'
import { SessionCheck } from './session-check.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { selectEventsBetween } from './sqlite-events.ts'
import { compareKept } from './sqlite-session-check.ts'

/** Rows that are read in one go. */
const PAGE = 200

/**
 * Reads the log once, from its first row to its last, and gives back the ended sessions that are whole. What was found of
 * a session is dropped with its last event, so memory holds only those that went on at the same time. A session that is
 * not in the result is not known to be whole: it lives, or something is wrong with it, which `checkSession` names.
 * Yields between pages. Each step runs inside `guard`.
 */
export function* findWholeSessions(db: SqliteDatabase): Generator<void, ReadonlySet<SessionId>> {
  const whole = new Set<SessionId>()
  /** Null for a session that is not checked here, or no longer. */
  const checks = new Map<SessionId, ReturnType<typeof beginCheck>>()
  for (let first = 1; ; first += PAGE) {
    const rows = selectEventsBetween(db, first, first + PAGE - 1)
    if (rows.length === 0) return whole
    for (const row of rows) {
      const id = row.sessionId
      let begun = checks.get(id)
      if (begun === undefined) {
        begun = beginCheck(db, id)
        checks.set(id, begun)
      }
      if (!begun) continue
      const isBroken = begun.check.add(row) !== undefined
      if (!isBroken && row.sessionSeq < begun.ends) continue
      if (!isBroken && !compareKept(db, id, begun.check)) whole.add(id)
      checks.set(id, null)
    }
    yield
  }
}

function beginCheck(db: SqliteDatabase, id: SessionId): { readonly check: SessionCheck; readonly ends: number } | null {
  const row = db.get<{ seq: number }>("SELECT seq FROM sessions WHERE id = ? AND state = 'dead'", [id])
  return row ? { check: new SessionCheck(id), ends: row.seq } : null
}
