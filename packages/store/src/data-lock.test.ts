import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import { eventsOf, sampleAppend, sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { lockDataFolder, readHolder } from './data-lock.ts'
import { buildChild, type Child, killChild, startChild } from './fixtures/child.ts'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { openSqliteStore } from './sqlite-store.ts'

describe('the lock on a data folder (F27)', () => {
  let programs: string
  let program: string
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), 'holdpoint-programs-'))
    program = await buildChild('lock-child', programs)
  })
  afterAll(() => rmSync(programs, { recursive: true }))

  function start(folder: string): Child {
    const child = startChild(program, [folder])
    onTestFinished(() => killChild(child))
    return child
  }
  async function firstLine(child: Child): Promise<string> {
    const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    return text
  }
  const refusal = (folder: string) => lockDataFolder(folder).catch((error: unknown) => error)

  it('is held once, names its holder, and can be taken after its release', async () => {
    const folder = join(temporaryFolder(), 'data')
    const lock = await lockDataFolder(folder)
    const fault = await refusal(folder)
    expect(fault).toBeInstanceOf(StoreFault)
    expect(fault).toMatchObject({ code: 'locked', message: expect.stringContaining(`process ${process.pid}`) })
    lock.describe({ url: 'http://127.0.0.1:4680', version: '0.1.0' })
    expect(await readHolder(folder)).toEqual({ pid: process.pid, url: 'http://127.0.0.1:4680', version: '0.1.0' })
    await lock.release()
    expect(await readHolder(folder)).toBeUndefined()
    const next = await lockDataFolder(folder)
    await next.release()
  })

  it('is free again when its holder was killed', { timeout: 30_000 }, async () => {
    const folder = temporaryFolder()
    const child = start(folder)
    expect(await firstLine(child)).toBe('held\n')
    expect(await readHolder(folder)).toEqual({ pid: child.pid, url: 'http://127.0.0.1:1', version: '1.2.3' })
    expect(await refusal(folder)).toMatchObject({ code: 'locked' })
    await killChild(child)
    expect(await readHolder(folder)).toBeUndefined()
    const lock = await lockDataFolder(folder)
    await lock.release()
  })

  it('stays held while its holder is stopped', { timeout: 30_000 }, async () => {
    const folder = temporaryFolder()
    const child = start(folder)
    await firstLine(child)
    child.kill('SIGSTOP')
    expect(await refusal(folder)).toMatchObject({ code: 'locked' })
    await expect(readHolder(folder)).rejects.toMatchObject({ code: 'busy' })
  })

  it('F27 stays held while its holder lives, whichever of its files were removed', { timeout: 30_000 }, async () => {
    const cases = [
      { removed: ['gateway.sock'], who: (pid: number) => `process ${pid}` },
      { removed: ['gateway.pid'], who: () => 'a process that does not answer' },
      // Only Linux lists a socket whose file is gone.
      ...(process.platform === 'linux'
        ? [{ removed: ['gateway.sock', 'gateway.pid'], who: () => 'a process whose socket was removed' }]
        : []),
    ]
    for (const { removed, who } of cases) {
      const folder = temporaryFolder()
      const child = start(folder)
      await firstLine(child)
      // So that it cannot put them back first.
      child.kill('SIGSTOP')
      for (const name of removed) rmSync(join(folder, name))
      const message = expect.stringContaining(who(child.pid ?? 0))
      expect(await refusal(folder)).toMatchObject({ code: 'locked', message })
      await killChild(child)
      await (await lockDataFolder(folder)).release()
    }
  })

  it('F27 is not kept by a dead process whose pid another has by now', async () => {
    const folder = temporaryFolder()
    const { ino } = statSync(folder)
    const reused = JSON.stringify({ pid: process.pid, start: 'another time', folder: ino })
    for (const text of [reused, '', '{}', '{"pid":1}']) {
      writeFileSync(join(folder, 'gateway.pid'), text)
      await (await lockDataFolder(folder)).release()
    }
    expect(existsSync(join(folder, 'gateway.pid'))).toBe(false)
  })

  it('is not kept by the holder of the folder that this one is a copy of', async () => {
    const folder = temporaryFolder()
    const lock = await lockDataFolder(folder)
    onTestFinished(() => lock.release())
    const copy = temporaryFolder()
    copyFileSync(join(folder, 'gateway.pid'), join(copy, 'gateway.pid'))
    await (await lockDataFolder(copy)).release()
  })

  it('F27 is put back when somebody removes its files, and still answers', { timeout: 30_000 }, async () => {
    const folder = temporaryFolder()
    const lock = await lockDataFolder(folder)
    lock.describe({ url: 'http://127.0.0.1:1' })
    for (const name of ['gateway.sock', 'gateway.pid']) rmSync(join(folder, name))
    lock.check()
    expect(statSync(join(folder, 'gateway.pid')).mode & 0o777).toBe(0o600)
    expect(await until(() => readHolder(folder), 'the socket')).toMatchObject({ url: 'http://127.0.0.1:1' })
    expect(statSync(join(folder, 'gateway.sock')).mode & 0o777).toBe(0o600)
    expect(lock.lost.aborted).toBe(false)
    await lock.release()
    expect(existsSync(join(folder, 'gateway.sock'))).toBe(false)
  })

  it('F27 lets nothing be read or written while its folder is away, and goes on when it is back', async () => {
    const folder = temporaryFolder()
    const lock = await lockDataFolder(folder)
    onTestFinished(() => lock.release())
    renameSync(folder, `${folder}-away`)
    expect(() => lock.check()).toThrow(expect.objectContaining({ name: 'StoreFault', code: 'io' }))
    // A file in the folder's place is no folder either.
    writeFileSync(folder, '')
    expect(() => lock.check()).toThrow(expect.objectContaining({ name: 'StoreFault', code: 'io' }))
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
    lock.check()
    expect(lock.lost.aborted).toBe(false)
  })

  it.each(sqliteDrivers)('F27 once another has it, a store on $name reads and writes nothing more', async (driver) => {
    const folder = temporaryFolder()
    const lock = await lockDataFolder(folder)
    onTestFinished(() => lock.release())
    const path = join(folder, 'holdpoint.db')
    const store = await openSqliteStore({ path, driver, lock })
    const raise = (n: number) => sampleAppend({ after: n - 1, events: [eventsOf(1).raised(sampleAsk(n))] })
    expect(await store.append([raise(1)])).toMatchObject([{ ok: true }])
    rmSync(join(folder, 'gateway.pid'))
    expect(await store.append([raise(2)])).toMatchObject([{ ok: true }])
    rmSync(join(folder, 'gateway.pid'))
    writeFileSync(join(folder, 'gateway.pid'), '{"pid":1}')
    const before = statSync(`${path}-wal`).mtimeMs
    await expect(store.append([raise(3)])).rejects.toMatchObject({ name: 'StoreFault', code: 'locked' })
    await expect(store.records.put('some', 'key', 1)).rejects.toMatchObject({ code: 'locked' })
    await expect(store.lastSeq()).rejects.toMatchObject({ code: 'locked' })
    expect(lock.lost.reason).toMatchObject({ code: 'locked', message: expect.stringContaining('taken') })
    await store.close()
    // Closed in the usual way it would have written its log into the database, and removed it.
    expect(statSync(`${path}-wal`).mtimeMs).toBe(before)
    // For good: what the other has done meanwhile is not known here.
    rmSync(join(folder, 'gateway.pid'))
    expect(() => lock.check()).toThrow(StoreFault)
  })

  it('goes to one of many starters that race for a dead one', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder()
    for (let round = 0; round < 3; round++) {
      const children = Array.from({ length: 6 }, () => start(folder))
      const lines = await Promise.all(children.map(firstLine))
      expect(lines.filter((line) => line === 'held\n')).toHaveLength(1)
      expect(lines.filter((line) => line.startsWith('locked: '))).toHaveLength(5)
      await Promise.all(children.map(killChild))
    }
  })

  it.each([
    ['', 1],
    [', from before the clock was set back (F28)', Date.now() / 1000 + 3600],
  ])('clears away the guard of a starter that died%s', async (_, at) => {
    const folder = temporaryFolder()
    const child = start(folder)
    await firstLine(child)
    await killChild(child)
    const guard = join(folder, 'gateway.lock')
    mkdirSync(guard)
    utimesSync(guard, at, at)
    const lock = await lockDataFolder(folder)
    expect(statSync(guard, { throwIfNoEntry: false })).toBeUndefined()
    await lock.release()
  })

  it('takes a holder that says nonsense for a holder', async () => {
    const folder = temporaryFolder()
    const server = createServer((socket) => socket.end('nonsense\n'))
    server.listen(join(folder, 'gateway.sock'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    expect(await refusal(folder)).toMatchObject({ code: 'locked' })
  })

  it('keeps folder and socket to their owner (T54)', async () => {
    const folder = join(temporaryFolder(), 'a', 'b')
    const lock = await lockDataFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'gateway.sock')).mode & 0o777).toBe(0o600)
    await lock.release()
    chmodSync(folder, 0o755)
    await (await lockDataFolder(folder)).release()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('refuses a folder whose socket path is too long, and says so', async () => {
    const folder = join(temporaryFolder(), 'x'.repeat(100))
    expect(await refusal(folder)).toMatchObject({ code: 'io', message: expect.stringContaining('shorter path') })
  })

  it.skipIf(process.getuid?.() !== 0)('refuses a folder of another user', async () => {
    const folder = temporaryFolder()
    const { chownSync } = await import('node:fs')
    chownSync(folder, 12_345, 12_345)
    expect(await refusal(folder)).toMatchObject({ code: 'io', message: expect.stringContaining('another user') })
  })
})
