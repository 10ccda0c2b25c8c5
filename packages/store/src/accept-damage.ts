import { type ChainFault, StoreFault } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { ACCEPTED, eventsAccepted, eventsLeftFor, readAccepted } from './accepted-damage.ts'
import { damagedEnd } from './damaged-end.ts'
import { runToEnd } from './run-to-end.ts'
import type { SessionRow } from './session-row.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { loadSqliteDriver, type SqliteDriver } from './sqlite-driver.ts'
import { SELECT_SESSION } from './sqlite-reader.ts'
import { createSqliteRecords } from './sqlite-records.ts'
import { verifyLog } from './sqlite-verify.ts'
import { SqliteWriter } from './sqlite-writer.ts'

/**
 * Ends every session that does not match its chain, so that a gateway can start with the others. Nothing is repaired:
 * what was changed stays as it was found, the end of the session says what was wrong, and the session can be neither
 * shown, answered in nor resumed. Gives back what was accepted.
 */
export async function acceptDamage(options: {
  path: string
  now: () => number
  driver?: SqliteDriver
}): Promise<readonly ChainFault[]> {
  const db = new SqliteDatabase({ path: options.path, driver: options.driver ?? (await loadSqliteDriver()) })
  try {
    const accepted: ChainFault[] = []
    for (;;) {
      const { fault } = firstFault(db)
      if (!fault) return accepted
      const row = db.guard(() => db.get<SessionRow>(`${SELECT_SESSION} WHERE id = ?`, [fault.sessionId]))
      if (!row) throw new StoreFault('corrupt', `${fault.problem}. This cannot be accepted: restore a backup.`)
      const at = options.now()
      // The end comes first: a session whose damage is accepted while it lives would keep every gateway from starting.
      if (row.state !== 'dead') endSession(db, row, fault, at)
      const events = db.guard(() => eventsOf(db, row.id))
      await createSqliteRecords(db).put(ACCEPTED, row.id, { ...fault, at, ...(events !== undefined && { events }) })
      accepted.push(fault)
    }
  } finally {
    db.close()
  }
}

/** How many events of the log are put down to this session from now on: those that nothing else accounts for. */
function eventsOf(db: SqliteDatabase, id: SessionId): number | undefined {
  const accepted = readAccepted(db)
  const before = eventsAccepted(accepted)
  return before === undefined ? undefined : eventsLeftFor(db, [...accepted.keys(), id]).left - before
}

function firstFault(db: SqliteDatabase) {
  return db.guard(() => runToEnd(verifyLog(db)))
}

function readSession({ id, data }: SessionRow): Session {
  try {
    return JSON.parse(data) as Session
  } catch (cause) {
    const message = `The record of ${id} cannot be read at all. This cannot be accepted: restore a backup.`
    throw new StoreFault('corrupt', message, { cause })
  }
}

function endSession(db: SqliteDatabase, row: SessionRow, fault: ChainFault, at: number): void {
  const { endReason, error } = damagedEnd(fault)
  const session: Session = {
    ...readSession(row),
    id: row.id,
    state: 'dead',
    stateChangedAt: at,
    endReason,
    error,
  }
  const ended: DurableEvent = { type: 'session-ended', sessionId: row.id, at, reason: endReason, error }
  const [result] = new SqliteWriter(db).append([{ sessionId: row.id, expectedSeq: row.seq, events: [ended], session }])
  if (!result?.ok) throw new StoreFault('corrupt', `${row.id} cannot be ended: restore a backup.`)
}
