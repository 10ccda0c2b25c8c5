import { spawnSync } from 'node:child_process'
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { CommitInDoubt, type Store, StoreFault } from '@holdpoint/core/store'
import { LONG, report } from '@holdpoint/testing/long'
import { eventsOf, sampleAppend, sampleAsk, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { failingDriver } from './fixtures/failing-driver.ts'
import { fillSample, readSample } from './fixtures/sample-database.ts'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { wasmSqliteDriver } from './wasm-sqlite-driver.ts'

const one = eventsOf(1)
const raise = (n: number, after: number) =>
  sampleAppend({ after, events: [one.raised(sampleAsk(n)), one.added(sampleMessage(n))] })

async function open(path: string, driver: SqliteDriver): Promise<Store> {
  const store = await openSqliteStore({ path, driver })
  onTestFinished(() => store.close())
  return store
}

describe.each(sqliteDrivers)('the SQLite store on $name, when something goes wrong', (driver) => {
  it.each([
    ['database or disk is full', 'full'],
    ['disk I/O error', 'io'],
    ['database is locked', 'busy'],
    ['database disk image is malformed', 'corrupt'],
  ])(
    'throws a fault for "%s" at any operation, writes nothing, and goes on afterwards (F21)',
    async (message, code) => {
      const failing = failingDriver(driver, message)
      const store = await open(join(temporaryFolder(), 'holdpoint.db'), failing.driver)
      let seq = 0
      let failures = 0
      for (const times of [1, 2, 1000]) {
        for (let after = 0; after < 50; after++) {
          failing.arm({ after, times })
          const result = await store.append([raise(seq + 1, seq)]).catch((error: unknown) => error)
          failing.disarm()
          if (result instanceof StoreFault) {
            failures++
            expect(result.code).toBe(code)
            expect(await store.lastSeq()).toBe(seq)
            expect(await store.events({ after: seq, limit: 1 })).toEqual([])
            const [again] = await store.append([raise(seq + 1, seq)])
            expect(again?.ok).toBe(true)
          } else {
            expect(result).toMatchObject([{ ok: true }])
          }
          seq += 2
        }
      }
      expect(failures).toBeGreaterThan(15)
      expect((await store.verify()).fault).toBeUndefined()
    },
  )

  it('gives reads a fault too, and reads on afterwards (F21)', async () => {
    const failing = failingDriver(driver, 'disk I/O error')
    const store = await open(join(temporaryFolder(), 'holdpoint.db'), failing.driver)
    await store.append([raise(1, 0)])
    failing.arm({ after: 0, times: 1000 })
    await expect(store.asks({ status: 'open', limit: 10 })).rejects.toMatchObject({ code: 'io' })
    await expect(store.endedSessions({ limit: 10 })).rejects.toBeInstanceOf(StoreFault)
    await expect(store.records.put('a', 'b', 1)).rejects.toBeInstanceOf(StoreFault)
    failing.disarm()
    expect(await store.asks({ status: 'open', limit: 10 })).toHaveLength(1)
    expect(await store.records.get('a', 'b')).toBeUndefined()
  })

  it('takes a commit that failed but reached the disk for what it is: the retry conflicts', async () => {
    const failing = failingDriver(driver, 'disk I/O error')
    const store = await open(join(temporaryFolder(), 'holdpoint.db'), failing.driver)
    await store.append([raise(1, 0)])
    const operations = 7 // BEGIN, four inserts, the session's row, COMMIT
    failing.arm({ after: operations - 1, times: 1, late: true })
    await expect(store.append([raise(2, 2)])).rejects.toMatchObject({ code: 'io' })
    failing.disarm()
    expect(await store.append([raise(2, 2)])).toEqual([{ ok: false, seq: 4 }])
    expect(await store.append([raise(3, 4)])).toMatchObject([{ ok: true }])
    expect((await store.verify()).fault).toBeUndefined()
  })

  it('refuses writes while the disk is full, still reads, and goes on when there is room (F20)', async ({ skip }) => {
    const folder = join(temporaryFolder(), 'small')
    mkdirSync(folder)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status === 0
    skip(!mounted, 'only the superuser can mount a small disk')
    onTestFinished(() => void spawnSync('umount', ['-l', folder]))
    const store = await openSqliteStore({ path: join(folder, 'holdpoint.db'), driver })
    onTestFinished(() => store.close())
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(1_000_000))
    let seq = 0
    const add = (text: string) =>
      store.append([sampleAppend({ after: seq, events: [one.added(sampleMessage(seq + 1, { text }))] })])
    for (let round = 0; round < 3; round++) {
      let fault: unknown
      while (!fault) {
        await add('x'.repeat(20_000)).then(
          () => seq++,
          (error: unknown) => {
            fault = error
          },
        )
      }
      expect(fault).toBeInstanceOf(StoreFault)
      expect(fault).toMatchObject({ code: 'full' })
      expect(await store.lastSeq()).toBe(seq)
      expect(await store.events({ after: seq - 1, limit: 10 })).toHaveLength(1)
      await expect(add('x'.repeat(20_000))).rejects.toMatchObject({ code: 'full' })
      truncateSync(ballast, 1_000_000 - (round + 1) * 300_000)
      expect(await add('there is room again')).toMatchObject([{ ok: true }])
      seq++
    }
    expect(await store.verify()).toMatchObject({ events: seq })
  })

  it('refuses a database of a later version and says what to do (F26)', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    await (await openSqliteStore({ path, driver })).close()
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 99')
    connection.close()
    await expect(openSqliteStore({ path, driver })).rejects.toMatchObject({
      code: 'newer-schema',
      message: expect.stringContaining('Update Holdpoint'),
    })
  })

  it.each([
    ['no database at all', () => Buffer.from('this is not a database, it only has its name. '.repeat(100))],
    ['empty', () => Buffer.alloc(0)],
    ['cut in half', (good: Buffer) => good.subarray(0, Math.floor(good.length / 2))],
    ['cut to its first page', (good: Buffer) => good.subarray(0, 4096)],
    ['all zeros', (good: Buffer) => Buffer.alloc(good.length)],
  ])('refuses a file that is %s and leaves it as it is (F24)', async (_what, damage) => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const good = await openSqliteStore({ path, driver })
    await fillSample(good)
    await good.close()
    const bad = damage(readFileSync(path))
    writeFileSync(path, bad)
    await expect(openSqliteStore({ path, driver })).rejects.toMatchObject({ name: 'StoreFault', code: 'corrupt' })
    expect(readFileSync(path).equals(bad)).toBe(true)
  })

  it('refuses to start afresh beside the rest of a lost database, or in a foreign one (F24)', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    writeFileSync(`${path}-wal`, 'what was not yet moved into the database')
    await expect(openSqliteStore({ path, driver })).rejects.toMatchObject({ code: 'corrupt' })
    expect(existsSync(path)).toBe(false)
    rmSync(`${path}-wal`)
    const foreign = driver.open(path)
    foreign.exec('CREATE TABLE theirs (a)')
    foreign.close()
    await expect(openSqliteStore({ path, driver })).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('reads the truth or nothing after any byte of the file was changed (F24)', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    const good = join(folder, 'good.db')
    const store = await openSqliteStore({ path: good, driver })
    await fillSample(store)
    const truth = await readSample(store)
    await store.close()
    const bytes = readFileSync(good)
    const path = join(folder, 'holdpoint.db')
    const seen = { refused: 0, named: 0, harmless: 0 }
    const change = fc.record({ offset: fc.nat(bytes.length - 1), bits: fc.integer({ min: 1, max: 255 }) })
    const checkChange = async ({ offset, bits }: { offset: number; bits: number }) => {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(offset) ^ bits, offset)
      for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
      writeFileSync(path, changed)
      let opened: Store | undefined
      try {
        opened = await openSqliteStore({ path, driver })
        if ((await opened.verify()).fault) seen.named++
        else {
          expect(await readSample(opened)).toEqual(truth)
          seen.harmless++
        }
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        seen.refused++
      } finally {
        await opened?.close()
      }
    }
    const runs = LONG ? 2_000 : 50
    await fc.assert(fc.asyncProperty(change, checkChange), { numRuns: runs })
    report(`F24: ${runs} changed bytes`)
    expect(seen.refused + seen.named).toBeGreaterThan(0)
  })

  it('makes every file for its owner alone (T54)', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    for (let round = 0; round < 2; round++) {
      const store = await openSqliteStore({ path, driver })
      await store.append([raise(round + 1, round * 2)])
      const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file))
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
      await store.close()
    }
  })

  it('shrinks its write-ahead file again: nothing keeps old pages alive', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const store = await open(path, driver)
    const text = 'x'.repeat(20_000)
    for (let n = 0; n < 1200; n++) {
      await store.append([sampleAppend({ after: n, events: [one.added(sampleMessage(n + 1, { text }))] })])
      await store.session(one.started().sessionId)
    }
    expect(statSync(`${path}-wal`).size).toBeLessThan(24_000_000)
  })

  it('opens a copy of the database and its write-ahead file taken at any moment (F22)', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'holdpoint.db')
    const copy = join(folder, 'copy.db')
    const store = await open(path, driver)
    for (let n = 0; n < 10; n++) {
      await store.append([raise(n + 1, n * 2)])
      copyFileSync(path, copy)
      copyFileSync(`${path}-wal`, `${copy}-wal`)
      const copied = await openSqliteStore({ path: copy, driver })
      expect(await copied.verify()).toEqual(await store.verify())
      await copied.close()
    }
  })
})

it.each([
  ['plenty of', 1_000_000_000],
  ['hardly any', 500_000],
])(
  '[F57, I3] says after a flush that failed in COMMIT, with %s space left, what a next process finds',
  async (_, left) => {
    const folder = temporaryFolder()
    const path = join(folder, 'holdpoint.db')
    const copy = join(folder, 'copy.db')
    const driver = await wasmSqliteDriver()
    const store = await open(path, driver)
    await store.append([raise(1, 0)])
    vi.spyOn(fs, 'statfsSync').mockImplementation((() => ({
      bavail: left,
      bsize: 1,
    })) as unknown as typeof fs.statfsSync)
    const fsync = vi.spyOn(fs, 'fsyncSync').mockImplementationOnce(() => {
      throw new Error('ENOSPC: no space left on device, fsync')
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })
    await expect(store.append([raise(2, 2)])).rejects.toBeInstanceOf(CommitInDoubt)
    expect(fsync).toHaveBeenCalled()
    const found = (await store.events({ after: 2, limit: 10 })).length
    copyFileSync(path, copy)
    copyFileSync(`${path}-wal`, `${copy}-wal`)
    const next = await open(copy, driver)
    expect(found).toBe((await next.events({ after: 2, limit: 10 })).length)
  },
)
