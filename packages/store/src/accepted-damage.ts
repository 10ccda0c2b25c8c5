import type { ChainFault } from '@holdpoint/core/store'
import { type RecordRow, readRecord } from './record-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SELECT_RECORD } from './sqlite-records.ts'

/** Collection of the records that say which sessions were found damaged and accepted as such. */
export const ACCEPTED = 'accepted-damage'

export interface AcceptedDamage extends ChainFault {
  /** How many events of the log no other session accounted for when it was accepted. Older records do not say. */
  readonly events?: number
}

/** Sessions whose damage somebody has accepted, and what it was. */
export function readAccepted(db: SqliteDatabase): ReadonlyMap<string, AcceptedDamage> {
  const rows = db.all<RecordRow>(`${SELECT_RECORD} WHERE collection = ?`, [JSON.stringify(ACCEPTED)])
  return new Map(rows.map(readRecord).map(({ key, value }) => [key, value as AcceptedDamage]))
}

/**
 * `left`: how many events of the log should belong to these sessions, all but those of the others. It stays the same once
 * their damage was accepted, for nothing more is added to them. `last`: the number of the log's last event.
 */
export function eventsLeftFor(db: SqliteDatabase, accepted: Iterable<string>): { last: number; left: number } {
  const row = db.get<{ last: number; others: number }>(COUNT_EVENTS, [JSON.stringify([...accepted])])
  const { last, others } = row ?? { last: 0, others: 0 }
  return { last, left: last - others }
}

/** How many there were when the damage was accepted; undefined where a record does not say. */
export function eventsAccepted(accepted: ReadonlyMap<string, AcceptedDamage>): number | undefined {
  let sum = 0
  for (const { events } of accepted.values()) {
    if (events === undefined) return undefined
    sum += events
  }
  return sum
}

const COUNT_EVENTS = `SELECT coalesce((SELECT max(seq) FROM events), 0) AS last,
  coalesce((SELECT sum(seq) FROM sessions WHERE id NOT IN (SELECT value FROM json_each(?))), 0) AS others`
