import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainReport, StoreFault } from '@holdpoint/core/store'
import { LONG, report as tell } from '@holdpoint/testing/long'
import { makeLongPast } from '@holdpoint/testing/long-past'
import {
  eventsOf,
  itemId,
  sampleAppend,
  sampleMessage,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillSample } from './fixtures/sample-database.ts'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'

const COLUMNS: readonly (readonly [string, readonly string[]])[] = [
  ['events', ['session_id', 'session_seq', 'type', 'at', 'prev_hash', 'hash', 'data']],
  ['sessions', ['seq', 'hash', 'checkpoint', 'activity_at', 'state', 'recent', 'data', 'sum', 'id']],
  ['places', ['session_id', 'last_seq', 'seqs']],
  [
    'asks',
    [
      'id',
      'session_id',
      'epoch',
      'request_id',
      'tool_use_id',
      'raised_seq',
      'settled_seq',
      'changed_seq',
      'delivered_seq',
    ],
  ],
  ['items', ['session_id', 'seq', 'id', 'status', 'status_seq']],
  ['rules', ['session_id', 'id', 'added_seq', 'removed_seq']],
  ['records', ['collection', 'key', 'value', 'sum']],
]
const NULLABLE = new Set(['tool_use_id', 'settled_seq', 'delivered_seq', 'status', 'removed_seq'])

/** One row of a table, by its order. */
const pick = (table: string, row: number) =>
  `(SELECT * FROM (SELECT row_number() OVER () - 1 AS n, ${KEYS[table]} FROM ${table})
    WHERE n = ${row} % (SELECT count(*) FROM ${table}))`
const KEYS: Record<string, string> = {
  events: 'seq',
  sessions: 'id',
  places: 'last_seq',
  asks: 'id',
  items: 'id',
  rules: 'id',
  records: 'rowid AS rowid',
}
const where = (table: string, row: number) => {
  const key = table === 'records' ? 'rowid' : (KEYS[table] ?? '')
  return `WHERE ${key} = (SELECT ${key} FROM ${pick(table, row)})`
}

const row = fc.nat(400)
const table = fc.constantFrom(...COLUMNS.map(([name]) => name))
const edit = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...COLUMNS.flatMap(([name, columns]) => columns.map((column) => [name, column] as const))),
      row,
    )
    .map(([[name, column], n]) => {
      const other = NULLABLE.has(column)
        ? `iif(${column} IS NULL, 1, NULL)`
        : `iif(typeof(${column}) = 'integer', ${column} + 1, ${column} || 'x')`
      return `UPDATE ${name} SET ${column} = ${other} ${where(name, n)}`
    }),
  fc
    .tuple(
      table.filter((name) => name !== 'records'),
      row,
    )
    .map(([name, n]) => `DELETE FROM ${name} ${where(name, n)}`),
  fc.nat(300).map((n) => `DELETE FROM events WHERE seq > ${n}`),
  row.map(
    (n) => `UPDATE events SET data = replace(data, 'allowed', 'denied') ${where('events', n)} AND data LIKE '%allowed%';
    UPDATE events SET data = replace(data, 'message', 'massage') ${where('events', n)}`,
  ),
  row.map((n) => `UPDATE events SET data = (SELECT data FROM events ${where('events', n + 1)}) ${where('events', n)}`),
  row.map(
    (n) => `INSERT INTO events SELECT (SELECT max(seq) + 1 FROM events), session_id,
      (SELECT max(session_seq) + 1 FROM events e WHERE e.session_id = events.session_id), type, at, prev_hash, hash, data
      FROM events ${where('events', n)}`,
  ),
  row.map(
    (n) => `INSERT INTO asks SELECT id || 'x', session_id, epoch, request_id || 'x', tool_use_id, raised_seq,
      settled_seq, changed_seq, delivered_seq FROM asks ${where('asks', n)}`,
  ),
)

async function verifyEdited(options: { driver: SqliteDriver; good: string; path: string; sql: string }) {
  const { driver, good, path, sql } = options
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  copyFileSync(good, path)
  const connection = driver.open(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = OFF')
  try {
    connection.exec(sql)
  } catch (error) {
    if (/constraint failed/.test(String(error))) return 'refused by the table'
    throw error
  } finally {
    connection.close()
  }
  const store = await openSqliteStore({ path, driver })
  try {
    return await store.verify()
  } catch (error) {
    if (error instanceof StoreFault) return 'refused by the store'
    throw error
  } finally {
    await store.close()
  }
}

describe.each(sqliteDrivers)('verifying on $name', (driver) => {
  async function sample() {
    const folder = temporaryFolder()
    const good = join(folder, 'good.db')
    const store = await openSqliteStore({ path: good, driver })
    await fillSample(store)
    const report = await store.verify()
    await store.close()
    return { good, path: join(folder, 'edited.db'), report }
  }

  it('finds every edit, cut and forgery of the tables (T46)', { timeout: 120_000 }, async () => {
    const { good, path, report } = await sample()
    expect(report.fault).toBeUndefined()
    let found = 0
    const check = async (sql: string) => {
      const result = await verifyEdited({ driver, good, path, sql })
      if (typeof result === 'string') return
      found++
      // An edit that changes no row leaves the same log, and is none.
      if (!result.fault) expect(await unchanged({ driver, good, path })).toBe(true)
    }
    const runs = LONG ? 2_000 : 40
    await fc.assert(fc.asyncProperty(edit, check), { numRuns: runs })
    expect(found).toBeGreaterThan(runs * 0.4)
    tell(`T46: ${runs} edits`)
  })

  it('names the first row that does not fit', async () => {
    const { good, path } = await sample()
    const fault = async (sql: string) => ((await verifyEdited({ driver, good, path, sql })) as ChainReport).fault
    expect(await fault("UPDATE events SET data = replace(data, 'Bash', 'bash') WHERE seq = 7")).toMatchObject({
      sessionId: sessionId(1),
      seq: 7,
      sessionSeq: 7,
    })
    expect(await fault('DELETE FROM events WHERE seq = 7')).toMatchObject({ seq: 8, sessionSeq: 8 })
    expect(await fault('DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)')).toMatchObject({
      sessionId: sessionId(2),
      sessionSeq: 154,
    })
  })

  it.each([
    ['a line', "data || char(10) || 'more'"],
    ['a NUL and more', "data || char(0) || 'more'"],
    // Then the rows that follow are read out of the one before them, whatever they hold themselves.
    [
      'the rows that follow, and a NUL',
      'data || char(10) || (SELECT group_concat(concat_ws(char(9), seq, session_seq, at, prev_hash, hash, session_id, type, data), char(10)) FROM (SELECT * FROM events WHERE seq BETWEEN 8 AND 32)) || char(0)',
    ],
  ])('T46 finds %s put behind the text of an event of a session that has ended', async (_, data) => {
    const folder = temporaryFolder()
    const good = join(folder, 'good.db')
    await makeLongPast(folder, { sessions: 2, calls: 8, live: 0 })
    renameSync(join(folder, 'holdpoint.db'), good)
    const sql = `UPDATE events SET data = ${data} WHERE seq = 7;
      UPDATE events SET data = replace(data, 'grep', 'rm -rf') WHERE seq BETWEEN 8 AND 32 AND ${data.includes('group_concat')}`
    const edited = await verifyEdited({ driver, good, path: join(folder, 'edited.db'), sql })
    expect((edited as ChainReport).fault).toMatchObject({ seq: 7, problem: 'it does not match its hash' })
  })

  it.each([
    ['is missing', 'DELETE FROM items WHERE id = ?', /^items is missing /],
    ['has another id', "UPDATE items SET id = id || 'x' WHERE id = ?", /^items has .*, which is in no event$/],
    ['has a status', "UPDATE items SET status = 'sent' WHERE id = ?", /^items does not match the events of /],
  ])("T46 finds that the row of a tool's output %s", async (_, edit, problem) => {
    const folder = temporaryFolder()
    const good = join(folder, 'good.db')
    await makeLongPast(folder, { sessions: 2, calls: 8, live: 0 })
    renameSync(join(folder, 'holdpoint.db'), good)
    const sql = edit.replace('?', `'${itemId(2003)}'`)
    const edited = await verifyEdited({ driver, good, path: join(folder, 'edited.db'), sql })
    expect((edited as ChainReport).fault?.problem).toMatch(problem)
  })

  it('shows in the head when the newest session was removed without a trace', async () => {
    const { good, path, report } = await sample()
    const tables = ['events', 'places', 'asks', 'items', 'rules'].map(
      (name) => `DELETE FROM ${name} WHERE session_id = '${sessionId(2)}'`,
    )
    const sql = [...tables, `DELETE FROM sessions WHERE id = '${sessionId(2)}'`].join(';')
    const edited = (await verifyEdited({ driver, good, path, sql })) as ChainReport
    expect(edited.fault).toBeUndefined()
    expect(edited.head).not.toBe(report.head)
  })

  it('finds no fault in a log that grows while it reads', async () => {
    const store = await openSqliteStore({ path: join(temporaryFolder(), 'holdpoint.db'), driver })
    const events = eventsOf(1)
    const many = Array.from({ length: 5000 }, (_, n) => events.added(sampleMessage(n + 1)))
    await store.append([sampleAppend({ after: 0, events: many })])
    const verified = store.verify()
    await store.append([sampleAppend({ after: 5000, events: [events.added(sampleMessage(5001))] })])
    expect(await verified).toEqual({ events: 5001, sessions: 1, head: expect.any(String) })
    await store.close()
  })
})

/** Compares every table, row by row. */
async function unchanged(options: { driver: SqliteDriver; good: string; path: string }): Promise<boolean> {
  const read = (path: string) => {
    const connection = options.driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const rows = COLUMNS.map(([name]) => connection.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all([]))
    connection.close()
    return JSON.stringify(rows)
  }
  return read(options.good) === read(options.path)
}
