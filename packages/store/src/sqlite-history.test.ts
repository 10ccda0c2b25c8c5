import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Store } from '@holdpoint/core/store'
import { makeLongPast } from '@holdpoint/testing/long-past'
import { askId } from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it } from 'vitest'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { SEARCH, SEARCH_WORDS } from './sqlite-history.ts'
import { openSqliteStore } from './sqlite-store.ts'

const SESSIONS = 40
const ASKS = SESSIONS * 8

/** Counts the rows that statements with this text in them give. */
function counting(driver: SqliteDriver, part: string) {
  const counted = { rows: 0 }
  const counter: SqliteDriver = {
    name: driver.name,
    open(path) {
      const connection = driver.open(path)
      return {
        exec: (sql) => connection.exec(sql),
        close: () => connection.close(),
        prepare(sql) {
          const statement = connection.prepare(sql)
          if (!sql.includes(part)) return statement
          return {
            ...statement,
            run: (values) => statement.run(values),
            get: (values) => statement.get(values),
            all(values) {
              const rows = statement.all(values)
              counted.rows += rows.length
              return rows
            },
          }
        },
      }
    },
  }
  return { driver: counter, counted }
}

describe.each(sqliteDrivers)('the history on $name', (driver) => {
  async function past() {
    const folder = temporaryFolder()
    await makeLongPast(folder, { sessions: SESSIONS, calls: 8, live: 2 })
    return join(folder, 'holdpoint.db')
  }
  async function edit(path: string, sql: string) {
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec(sql)
    connection.close()
  }
  async function withStore<Result>(path: string, work: (store: Store) => Promise<Result>, used = driver) {
    const store = await openSqliteStore({ path, driver: used })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  const numbers = async (store: Store, ...words: string[]) =>
    (await store.history({ limit: 1000, words })).records.map(({ ask }) => Number(ask.id.slice(4)))

  it('F55 reads of the log what it shows, and goes through the index by its own order', async () => {
    const path = await past()
    await withStore(path, (store) => store.indexHistory({ pause: setImmediate }))
    const { driver: counter, counted } = counting(driver, 'FROM events')
    await withStore(
      path,
      async (store) => {
        expect(await numbers(store, 'needle-3004')).toEqual([3004])
        expect(await numbers(store, 'nowhere')).toEqual([])
      },
      counter,
    )
    expect(counted.rows).toBe(2)
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const plans = [SEARCH, SEARCH_WORDS].map((sql) => connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([]))
    connection.close()
    for (const plan of plans as { detail: string }[][]) {
      expect(plan[0]?.detail).toContain('USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
      expect(plan.map(({ detail }) => detail).join()).not.toContain('TEMP B-TREE')
    }
  })

  it('F58 is filled in short steps, with the work of others in between, and can be called off', async () => {
    const path = await past()
    await withStore(path, async (store) => {
      const stop = new AbortController()
      let steps = 0
      const stopped = store.indexHistory({
        pause: async () => {
          steps++
          stop.abort()
        },
        signal: stop.signal,
      })
      await expect(stopped).rejects.toThrow(/abort/i)
      await store.indexHistory({ pause: async () => void steps++ })
      expect(steps).toBeGreaterThanOrEqual(Math.floor(ASKS / 150))
      expect(await numbers(store)).toHaveLength(ASKS)
    })
  })

  it('T46 is found to lack a row, or to have one too many', async () => {
    const path = await past()
    await withStore(path, (store) => store.indexHistory({ pause: setImmediate }))
    const edits = [
      'DELETE FROM history_texts WHERE rowid = (SELECT min(rowid) FROM history)',
      'DELETE FROM history WHERE rowid = (SELECT min(rowid) FROM history)',
      `UPDATE history SET ask_id = '${askId(9)}' WHERE rowid = (SELECT min(rowid) FROM history)`,
    ]
    for (const sql of edits) {
      await edit(path, sql)
      const { fault } = await withStore(path, (store) => store.verify())
      expect(fault?.problem).toMatch(/^history /)
    }
  })

  it('T46 shows what the log says, whatever is written into the index', async () => {
    const path = await past()
    await withStore(path, (store) => store.indexHistory({ pause: setImmediate }))
    const [first, other] = await withStore(path, async (store) => {
      const { records } = await store.history({ limit: 1000 })
      return new Set(records.map(({ ask }) => ask.sessionId))
    })
    if (!first || !other) expect.fail()
    await edit(path, `UPDATE history SET tool = 'Read', session_id = '${first}'`)
    await edit(path, "UPDATE history_texts SET text = 'harmless'")
    await withStore(path, async (store) => {
      const seen = await store.history({ limit: 1000, sessionIds: [first] })
      expect(new Set(seen.records.map(({ ask }) => ask.sessionId))).toEqual(new Set([first]))
      expect(await numbers(store, 'harmless')).toEqual([])
      expect((await store.history({ limit: 9, tool: 'Read' })).records).toEqual([])
      expect(await numbers(store)).toHaveLength(ASKS)
    })
  })

  it('is made again from the log where another version made it', async () => {
    const path = await past()
    await withStore(path, (store) => store.indexHistory({ pause: setImmediate }))
    await edit(path, "UPDATE history SET version = version + 1; UPDATE history_texts SET text = ''")
    await withStore(path, async (store) => {
      expect(await numbers(store, 'needle-3004')).toEqual([3004])
      expect(await numbers(store)).toHaveLength(ASKS)
    })
  })

  it('leaves out what was changed in the log, and finds the rest', async () => {
    const path = await past()
    await edit(
      path,
      `UPDATE events SET data = replace(data, 'needle-3004', 'needle-9999') WHERE data LIKE '%needle-3004%'`,
    )
    await withStore(path, async (store) => {
      expect(await numbers(store, 'needle-9999')).toEqual([])
      expect(await numbers(store)).toHaveLength(ASKS - 1)
    })
  })
})
