import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import {
  askId,
  eventsOf,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
} from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import type { SqliteDriver, SqliteStatement } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'

const SIZE = 200_000
const ASKS = 20
const one = eventsOf(1)

/** Counts the characters of the log that are read. */
function countingDriver(driver: SqliteDriver) {
  const count = { characters: 0 }
  const counted = (statement: SqliteStatement): SqliteStatement => ({
    run: (values) => statement.run(values),
    get: (values) => statement.get(values),
    all(values) {
      const rows = statement.all(values)
      for (const row of rows as { data?: string }[]) count.characters += row.data?.length ?? 0
      return rows
    },
  })
  const counting: SqliteDriver = {
    name: driver.name,
    open(path) {
      const connection = driver.open(path)
      return {
        exec: (sql) => connection.exec(sql),
        prepare: (sql) => (sql.includes('FROM events') ? counted(connection.prepare(sql)) : connection.prepare(sql)),
        close: () => connection.close(),
      }
    },
  }
  return { driver: counting, count }
}

describe.each(sqliteDrivers)('a page of the history on $name', (given) => {
  async function history(events: (n: number) => Parameters<typeof sampleAppend>[0]['events']) {
    const { driver, count } = countingDriver(given)
    const store = await openSqliteStore({ path: join(temporaryFolder(), 'holdpoint.db'), driver })
    onTestFinished(() => store.close())
    for (let n = 1; n <= ASKS; n++) {
      const [result] = await store.append([sampleAppend({ after: 2 * (n - 1), events: events(n) })])
      expect(result?.ok).toBe(true)
    }
    count.characters = 0
    return { store, count }
  }
  const large = { tool: { name: 'Write', input: { content: 'x'.repeat(SIZE) } } }
  const largeAsk = (n: number) => [one.raised(sampleAsk(n, large)), one.settled(n)]

  it('F58 reads no more of the log than the page may have, whatever is large in it', async () => {
    const edited = { ...SAMPLE_OUTCOME, answer: { kind: 'allow', updatedInput: large.tool.input } }
    const largeAnswer = (n: number) => [one.raised(sampleAsk(n)), one.settled(n, edited)]
    for (const events of [largeAsk, largeAnswer]) {
      const { store, count } = await history(events)
      const found: string[] = []
      for (let pages = 1; found.length < ASKS; pages++) {
        const before = found.at(-1)
        const page = await store.asks({
          status: 'settled',
          limit: 100,
          size: 2.5 * SIZE,
          ...(before !== undefined && { before: askId(Number(before.slice(4))) }),
        })
        found.push(...page.map(({ ask }) => ask.id))
        expect(page.length).toBeGreaterThan(0)
        expect(count.characters).toBeLessThan(pages * 3.5 * SIZE)
      }
      expect(found).toEqual(Array.from({ length: ASKS }, (_, n) => askId(ASKS - n)))
    }
  })

  it('F58 lets others have their turn while it is read', async () => {
    const { store } = await history(largeAsk)
    const order: string[] = []
    const page = store.asks({ status: 'settled', limit: 100 }).then((asks) => order.push(`${asks.length} asks`))
    await setImmediate()
    order.push('another')
    await page
    expect(order).toEqual(['another', `${ASKS} asks`])
  })
})
