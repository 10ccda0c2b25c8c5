import { type Records, StoreFault } from '@holdpoint/core/store'
import { sha256 } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export interface RecordRow {
  readonly collection: string
  readonly key: string
  readonly value: string
  readonly sum: string
}

export function recordSum(row: Omit<RecordRow, 'sum'>): string {
  return sha256(JSON.stringify([row.collection, row.key, row.value]))
}

export const SELECT_RECORD = 'SELECT collection, key, value, sum FROM records'

/** Collections and keys are kept as JSON text, as the ids that agents choose are. */
export function createSqliteRecords(db: SqliteDatabase): Records {
  return {
    async get(collection, key) {
      const values = [JSON.stringify(collection), JSON.stringify(key)]
      return db.guard(() => {
        const row = db.get<RecordRow>(`${SELECT_RECORD} WHERE collection = ? AND key = ?`, values)
        return row && readRecord(row).value
      })
    },
    async list(collection) {
      return db.guard(() => {
        const rows = db.all<RecordRow>(`${SELECT_RECORD} WHERE collection = ? ORDER BY rowid`, [
          JSON.stringify(collection),
        ])
        return rows.map(readRecord)
      })
    },
    async put(collection, key, value) {
      const text = JSON.stringify(value)
      if (text === undefined) throw new TypeError('a record needs a JSON value')
      const row = { collection: JSON.stringify(collection), key: JSON.stringify(key), value: text }
      db.transaction(() => db.run(PUT, [row.collection, row.key, text, recordSum(row)]))
    },
    async remove(collection, key) {
      const values = [JSON.stringify(collection), JSON.stringify(key)]
      return db.transaction(() => db.run('DELETE FROM records WHERE collection = ? AND key = ?', values)) === 1
    },
  }
}

/** A credential's record that no longer matches its sum must not be believed (I4, I8). */
export function readRecord(row: RecordRow): { key: string; value: unknown } {
  if (recordSum(row) !== row.sum) {
    throw new StoreFault('corrupt', `The record ${row.key} of ${row.collection} does not match its checksum.`)
  }
  return { key: JSON.parse(row.key) as string, value: JSON.parse(row.value) as unknown }
}

const PUT = `INSERT INTO records (collection, key, value, sum) VALUES (?, ?, ?, ?)
  ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value, sum = excluded.sum`
