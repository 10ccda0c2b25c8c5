import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { LONG, report as tell } from '@holdpoint/testing/long'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildChild, killChild, startChild } from './fixtures/child.ts'
import { MIGRATION_STEPS } from './fixtures/migration-steps.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { loadSqliteDriver } from './sqlite-driver.ts'
import { readPragma } from './sqlite-migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'

const CYCLES = LONG ? 10 : 5
/** How much later than the one before each round is killed. */
const MIGRATION_STEP = LONG ? { ms: 15, factor: 1.2 } : { ms: 40, factor: 1.5 }
const CREATION_STEP_MS = LONG ? 12 : 24

let programs: string
let appendChild: string
let migrateChild: string
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'holdpoint-programs-'))
  appendChild = await buildChild('append-child', programs)
  migrateChild = await buildChild('migrate-child', programs)
})
afterAll(() => rmSync(programs, { recursive: true }))

it('has every acknowledged append after kill -9, again and again (I3, F22)', { timeout: 60_000 }, async () => {
  const path = join(temporaryFolder(), 'holdpoint.db')
  let acknowledged = 0
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    const child = startChild(appendChild, [path])
    const enough = acknowledged + 10 + cycle * 7
    for await (const line of createInterface(child.stdout)) {
      acknowledged = Number(line)
      if (acknowledged === enough) child.kill('SIGKILL')
    }
    await killChild(child)
    expect(child.signalCode).toBe('SIGKILL')
    const store = await openSqliteStore({ path })
    const lastSeq = await store.lastSeq()
    expect(lastSeq).toBeGreaterThanOrEqual(acknowledged)
    const report = await store.verify()
    expect(report).toMatchObject({ events: lastSeq })
    expect(report.fault).toBeUndefined()
    await store.close()
  }
  tell(`I3: ${CYCLES} kills, ${acknowledged} appends`)
})

it('is at one version or the next after a migration was killed, never between (F25)', { timeout: 60_000 }, async () => {
  const path = join(temporaryFolder(), 'old.db')
  const driver = await loadSqliteDriver()
  const versions = new Set<number>()
  // In larger steps later: on a busy machine the work takes many times as long.
  for (
    let round = 0, delay = 0;
    !versions.has(MIGRATION_STEPS.length);
    round++, delay = Math.max(delay + MIGRATION_STEP.ms, delay * MIGRATION_STEP.factor)
  ) {
    const child = startChild(migrateChild, [path])
    const closed = once(child, 'close')
    await once(child.stdout, 'data')
    // Not a wait for something: each round dies at another moment of the work.
    await Promise.race([setTimeout(delay), closed])
    await killChild(child)
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const version = readPragma(connection, 'user_version')
    const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all([]) as {
      name: string
    }[]
    expect(tables).toHaveLength(version)
    for (const { name } of tables) {
      expect(connection.prepare(`SELECT count(*) AS count FROM ${name}`).get([])).toEqual({ count: 20_000 })
    }
    connection.close()
    versions.add(version)
    if (round % 4 === 3) for (const suffix of ['', '-wal']) rmSync(path + suffix, { force: true })
  }
  expect(versions.size).toBeGreaterThan(1)
})

it('starts afresh when it was killed while it made its database (F25)', { timeout: 60_000 }, async () => {
  for (let delay = 0; delay <= 120; delay += CREATION_STEP_MS) {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const child = startChild(appendChild, [path])
    await Promise.race([setTimeout(60 + delay), once(child.stdout, 'data')])
    await killChild(child)
    const store = await openSqliteStore({ path })
    expect((await store.verify()).fault).toBeUndefined()
    await store.close()
  }
})
