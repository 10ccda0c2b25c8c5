import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Store } from '@holdpoint/core/store'
import { report } from '@holdpoint/testing/long'
import { makeLongPast } from '@holdpoint/testing/long-past'
import {
  eventsOf,
  sampleAppend,
  sampleMessage,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'

const SHORT = 10
const LONG_PAST = 200
const EVENTS = 2 + 8 * 4

/** What the process has read so far, from files and whatever else. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

/** Counts the rows that a driver hands over; several that come as one text say how many they are. */
function counting(driver: SqliteDriver) {
  const counted = { rows: 0 }
  const count = <Rows extends readonly unknown[]>(rows: Rows): Rows => {
    counted.rows += rows.length
    return rows
  }
  const counter: SqliteDriver = {
    name: driver.name,
    open(path) {
      const connection = driver.open(path)
      return {
        exec: (sql) => connection.exec(sql),
        close: () => connection.close(),
        prepare(sql) {
          const statement = connection.prepare(sql)
          return {
            run: (values) => statement.run(values),
            all: (values) => count(statement.all(values)),
            get(values) {
              const row = statement.get(values) as { readonly count?: number } | undefined
              if (row !== undefined) counted.rows += row.count ?? 1
              return row
            },
          }
        },
      }
    },
  }
  return { driver: counter, counted }
}

describe.each(sqliteDrivers)('F55 a long past, on $name', (driver) => {
  const files = { short: '', long: '' }
  const root = mkdtempSync(join(tmpdir(), 'hp-past-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  beforeAll(async () => {
    for (const [name, sessions] of [
      ['short', SHORT],
      ['long', LONG_PAST],
    ] as const) {
      const folder = join(root, name)
      await makeLongPast(folder, { sessions, calls: 8, live: 2 })
      files[name] = join(folder, 'holdpoint.db')
    }
  })

  async function cost(path: string, work: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<unknown>) {
    const { driver: counter, counted } = counting(driver)
    const before = bytesRead()
    const store = await openSqliteStore({ path, driver: counter })
    await work(store)
    await store.close()
    return { rows: counted.rows, bytes: bytesRead() - before }
  }

  it('costs nothing at the start', async () => {
    const start = (path: string) => cost(path, (store) => store.liveSessions())
    await start(files.short)
    const [short, long] = [await start(files.short), await start(files.long)]
    const size = statSync(files.long).size
    report(`F55: start on ${size} bytes read ${long.bytes}, on the short past ${short.bytes}; ${long.rows} rows`)
    expect(long.rows).toBe(short.rows)
    expect(long.rows).toBeLessThan(6 * 2 * EVENTS)
    expect(long.bytes - short.bytes).toBeLessThan(size / 20)
  })

  it("costs nothing where one session's events are read", async () => {
    const read = (n: number) => (path: string) =>
      cost(path, (store) => store.events({ after: 0, sessionId: sessionId(n), limit: 20 }))
    const short = await read(SHORT)(files.short)
    const long = await read(LONG_PAST)(files.long)
    expect(long.rows).toBe(short.rows)
    expect(long.rows).toBeLessThan(40)
    expect(long.bytes - short.bytes).toBeLessThan(statSync(files.long).size / 20)
  })

  it('is checked whole by reading each row of the log once', async () => {
    const { rows } = await cost(files.long, async (store) => {
      expect(await store.verify()).toMatchObject({ events: LONG_PAST * EVENTS, sessions: LONG_PAST })
    })
    // The log, and the rows of the tables that point into it.
    expect(rows).toBeLessThan(2.2 * LONG_PAST * EVENTS)
  })

  it('is checked in short steps beside other work, and can be called off', async () => {
    const store = await openSqliteStore({ path: files.long, driver })
    let steps = 0
    const pause = async () => void steps++
    expect((await store.verify({ pause })).fault).toBeUndefined()
    expect(steps).toBeGreaterThanOrEqual((LONG_PAST * EVENTS) / 200)
    const stop = new AbortController()
    const stopped = store.verify({ pause: async () => stop.abort(), signal: stop.signal })
    await expect(stopped).rejects.toThrow(/abort/i)
    await store.close()
  })

  describe('T69 F55 a session that is over', () => {
    const PAGES = 5
    const path = join(root, 'over.db')
    const { driver: counter, counted } = counting(driver)
    const rowsOf = async (store: Store, times: number) => {
      const before = counted.rows
      const found = await Promise.all(Array.from({ length: times }, () => store.liveSession(sessionId(1))))
      expect(found.map((live) => live?.session.state)).toEqual(found.map(() => 'dead'))
      return counted.rows - before
    }

    it('costs a check of its own once, however many look, with the work of others in between', async () => {
      const one = eventsOf(1)
      const session = sampleSession(1, { state: 'dead', endReason: 'idle' })
      const added = Array.from({ length: 200 * PAGES }, (_, n) => one.added(sampleMessage(n + 1)))
      const begun = await openSqliteStore({ path, driver: counter })
      await begun.append([sampleAppend({ after: 0, events: [one.started(session), ...added], session })])
      // Written here from its first event on: there is nothing to find.
      expect(await rowsOf(begun, 20)).toBeLessThan(20 * 10)
      await begun.close()

      const store = await openSqliteStore({ path, driver: counter })
      let turns = 0
      let isOver = false
      const others = (async () => {
        for (; !isOver; turns++) await setImmediate()
      })()
      const once = await rowsOf(store, 1)
      isOver = true
      await others
      expect(once).toBeGreaterThan(200 * PAGES)
      expect(turns).toBeGreaterThanOrEqual(PAGES)
      expect(await rowsOf(store, 20)).toBeLessThan(20 * 10)
      await store.close()
      const again = await openSqliteStore({ path, driver: counter })
      expect(await rowsOf(again, 20)).toBeLessThan(once + 20 * 10)
      await again.close()
    })

    it('is refused each time while it is damaged', async () => {
      const connection = driver.open(path)
      connection.exec('PRAGMA locking_mode = EXCLUSIVE')
      connection.exec(`UPDATE events SET data = replace(data, 'message', 'massage') WHERE seq = 700`)
      connection.close()
      const store = await openSqliteStore({ path, driver })
      for (let n = 0; n < 3; n++)
        await expect(store.liveSession(sessionId(1))).rejects.toThrow('at event 700 (its number 700)')
      await store.close()
    })
  })
})
