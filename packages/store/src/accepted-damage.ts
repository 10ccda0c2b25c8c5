import type { ChainFault } from '@holdpoint/core/store'
import type { SessionError } from '@holdpoint/schema/session'
import type { SqliteDatabase } from './sqlite-database.ts'
import { type RecordRow, readRecord, SELECT_RECORD } from './sqlite-records.ts'

/** Collection of the records that say which sessions were found damaged and accepted as such. */
export const ACCEPTED = 'accepted-damage'

/** Sessions whose damage somebody has accepted, and what it was. */
export function readAccepted(db: SqliteDatabase): ReadonlyMap<string, ChainFault> {
  const rows = db.all<RecordRow>(`${SELECT_RECORD} WHERE collection = ?`, [JSON.stringify(ACCEPTED)])
  return new Map(rows.map(readRecord).map(({ key, value }) => [key, value as ChainFault]))
}

/** How such a session ended, whatever it had ended with before. */
export function damagedEnd({ seq, problem }: ChainFault): { endReason: string; error: SessionError } {
  const message = `The record of this session was changed or damaged, at event ${seq}: ${problem}. It can be neither shown nor resumed.`
  return { endReason: 'record-damaged', error: { code: 'record-damaged', message } }
}
