import type { Records } from '@holdpoint/core/store'
import { type RecordRow, readRecord, recordRow } from './record-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

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
    async collections() {
      return db.guard(() => {
        const rows = db.all<{ collection: string }>('SELECT DISTINCT collection FROM records ORDER BY 1', [])
        return rows.map(({ collection }) => JSON.parse(collection) as string)
      })
    },
    async put(collection, key, value) {
      const row = recordRow(collection, key, value)
      db.transaction(() => db.run(PUT, [row.collection, row.key, row.value, row.sum]))
    },
    async replace(collection, key, value, before) {
      const row = recordRow(collection, key, value)
      const known = recordRow(collection, key, before)
      return db.transaction(() => db.run(REPLACE, [row.value, row.sum, row.collection, row.key, known.value])) === 1
    },
    async remove(collection, key) {
      const values = [JSON.stringify(collection), JSON.stringify(key)]
      return db.transaction(() => db.run('DELETE FROM records WHERE collection = ? AND key = ?', values)) === 1
    },
  }
}

const PUT = `INSERT INTO records (collection, key, value, sum) VALUES (?, ?, ?, ?)
  ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value, sum = excluded.sum`

const REPLACE = 'UPDATE records SET value = ?, sum = ? WHERE collection = ? AND key = ? AND value = ?'
