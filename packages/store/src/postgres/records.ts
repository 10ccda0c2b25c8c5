import { randomUUID } from 'node:crypto'
import { AUTHORITY_COLLECTIONS } from '@holdpoint/core/cluster'
import type { Records } from '@holdpoint/core/store'
import { type RecordRow, readRecord, recordRow } from '../record-row.ts'
import type { PostgresDatabase, SqlParameter } from './database.ts'
import { FORMAT } from './migrations.ts'
import type { NodeLife } from './node-life.ts'
import { type RecordChanges, toldOf } from './record-changes.ts'
import { keyOf } from './rows.ts'

export const SELECT_RECORD = `SELECT collection, name AS key, value, encode(sum, 'hex') AS sum FROM records`

export function createPostgresRecords(db: PostgresDatabase, life: NodeLife, changes: RecordChanges): Records {
  async function select(where: string, values: readonly SqlParameter[]) {
    const rows = await db.query<RecordRow & Record<string, unknown>>(`${SELECT_RECORD} WHERE ${where}`, values)
    return rows.map(readRecord)
  }

  /**
   * Says whether there is a record now, or was one to remove. `before`: the sum of the one that has to be there, else nothing
   * is changed. A lost reply is looked up by the name of the change.
   */
  function change(
    collection: string,
    key: string,
    row: readonly (string | null)[],
    before: string | null = null,
  ): Promise<boolean> {
    const id = randomUUID()
    const isRight = AUTHORITY_COLLECTIONS.includes(collection)
    const values = [FORMAT, id, isRight, toldOf({ collection, key }), keyOf(collection), keyOf(key), ...row, before]
    return changes.own(id, async () => {
      const outcome = await life.commit<{ found: boolean; newest: number | null }, boolean>(
        { text: CHANGE, values },
        async (query) => (await query<{ found: boolean }>(FIND_CHANGE, [id]))[0]?.found,
      )
      if ('found' in outcome) return { found: outcome.found }
      const { found, newest } = outcome.row
      return { found, ...(newest !== null && { newest }) }
    })
  }

  return {
    async get(collection, key) {
      const [record] = await select(`collection_key = decode($1, 'hex') AND key = decode($2, 'hex')`, [
        keyOf(collection),
        keyOf(key),
      ])
      return record?.value
    },
    list: (collection) => select(`collection_key = decode($1, 'hex') ORDER BY place`, [keyOf(collection)]),
    async collections() {
      const rows = await db.query<{ collection: string }>('SELECT DISTINCT collection FROM records ORDER BY 1')
      return rows.map(({ collection }) => JSON.parse(collection) as string)
    },
    async put(collection, key, value) {
      const row = recordRow(collection, key, value)
      await change(collection, key, [row.collection, row.key, row.value, row.sum])
    },
    async replace(collection, key, value, before) {
      const row = recordRow(collection, key, value)
      const { sum } = recordRow(collection, key, before)
      return change(collection, key, [row.collection, row.key, row.value, row.sum], sum)
    },
    remove: (collection, key) => change(collection, key, [null, null, null, null]),
  }
}

const CHANGE =
  'SELECT verdict, was_there AS found, newest FROM change_record($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)'
const FIND_CHANGE = 'SELECT change_found AS found FROM nodes WHERE change_id = $1'
