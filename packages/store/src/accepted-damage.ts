import type { SqliteDatabase } from './sqlite-database.ts'

/** Collection of the records that say which sessions were found damaged and accepted as such. */
export const ACCEPTED = 'accepted-damage'

/** Sessions whose damage somebody has accepted. */
export function readAccepted(db: SqliteDatabase): ReadonlySet<string> {
  const rows = db.all<{ key: string }>('SELECT key FROM records WHERE collection = ?', [JSON.stringify(ACCEPTED)])
  return new Set(rows.map(({ key }) => JSON.parse(key) as string))
}
