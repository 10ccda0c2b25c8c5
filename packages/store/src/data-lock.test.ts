import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { lockDataFolder, readHolder } from './data-lock.ts'
import { buildChild, type Child, killChild, startChild } from './fixtures/child.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'

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

  it('clears away the guard of a starter that died', async () => {
    const folder = temporaryFolder()
    const child = start(folder)
    await firstLine(child)
    await killChild(child)
    const guard = join(folder, 'gateway.lock')
    mkdirSync(guard)
    utimesSync(guard, 1, 1)
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
