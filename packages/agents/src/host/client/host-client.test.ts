import { type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createHostFixture, ECHO, isRunning, listen, openRaw, spawnScript, until } from '../fixtures/host-fixture.ts'
import { MAX_LINE_BYTES } from '../wire/protocol.ts'
import { connectHost } from './host-client.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const fixture = createHostFixture()

const mode = async (path: string) => (await stat(path)).mode & 0o777
const runHost = (dataDir: string, stdio: StdioOptions = 'pipe') => {
  const host = spawn(process.execPath, [fixture.hostMain, '--data', dataDir, '--linger', '60000'], { stdio })
  return { pid: host.pid ?? 0, exit: new Promise<number | null>((resolve) => host.on('exit', resolve)) }
}

describe('starting a host', () => {
  it('leaves nothing that another user could read or connect to (T54)', async () => {
    const dataDir = await fixture.dataDir()
    await chmod(dataDir, 0o755)
    const client = await fixture.connect(dataDir)
    const agent = await spawnScript(client, { script: ECHO })
    expect(await mode(dataDir)).toBe(0o700)
    const names = (await readdir(dataDir)).sort()
    const record = process.platform === 'linux' ? ['host.agents.json'] : []
    expect(names).toEqual([...record, 'host.log', 'host.sock'])
    for (const name of names) expect([name, await mode(join(dataDir, name))]).toEqual([name, 0o600])
    await agent.kill('SIGKILL')
  })

  it('makes a folder that is missing, with the same care (T54)', async () => {
    const dataDir = join(await fixture.dataDir(), 'new')
    await fixture.connect(dataDir)
    expect(await mode(dataDir)).toBe(0o700)
  })

  it('by many at once ends with one, and a second one leaves quietly', async () => {
    const dataDir = await fixture.dataDir()
    const clients = await Promise.all(Array.from({ length: 6 }, () => fixture.connect(dataDir)))
    expect(new Set(clients.map(({ pid }) => pid)).size).toBe(1)
    expect(await runHost(dataDir).exit).toBe(3)
    expect(await readFile(join(dataDir, 'host.log'), 'utf8')).toBe('')
  })

  it.skipIf(!existsSync('/dev/full'))(
    'keeps its agents where it can neither record them nor log that (F20)',
    async () => {
      const dataDir = await fixture.dataDir()
      await mkdir(join(dataDir, 'host.agents.json.new'))
      const full = await open('/dev/full', 'w')
      runHost(dataDir, ['ignore', full.fd, full.fd])
      await until(() => existsSync(join(dataDir, 'host.sock')), 'the host')
      const client = await fixture.connect(dataDir)
      const kept = await spawnScript(client, { key: 'kept', script: ECHO })
      const ended = await spawnScript(client, { key: 'ended', script: '' })
      await ended.exit
      const heard = listen(kept)
      await kept.write('still here')
      await until(() => heard.text().includes('still here'), 'the agent that was left')
      await full.close()
    },
  )

  it('by many at once ends with one where a dead host has left its socket and its lock', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    process.kill(first.pid, 'SIGKILL')
    expect(await first.closed).toMatchObject({ code: 'host-gone' })
    await writeFile(join(dataDir, 'host.lock'), String(first.pid))
    expect(await readdir(dataDir)).toContain('host.sock')
    const clients = await Promise.all(Array.from({ length: 6 }, () => fixture.connect(dataDir)))
    expect(new Set(clients.map(({ pid }) => pid)).size).toBe(1)
    const alive = await Promise.all([first.pid, ...new Set(clients.map(({ pid }) => pid))].map(isRunning))
    expect(alive).toEqual([false, true])
  })

  it('hands none of our own variables on', async () => {
    vi.stubEnv('HOLDPOINT_TOKEN', 'secret')
    const client = await fixture.connect(await fixture.dataDir())
    vi.unstubAllEnvs()
    if (process.platform !== 'linux') return
    const environment = await readFile(`/proc/${client.pid}/environ`, 'utf8')
    expect(environment).toContain('PATH=')
    expect(environment).not.toContain('HOLDPOINT_')
  })

  it('refuses a folder whose path is too long for a socket', async () => {
    const dataDir = join(await fixture.dataDir(), 'x'.repeat(100))
    await expect(fixture.connect(dataDir)).rejects.toMatchObject({ code: 'path-too-long' })
    await mkdir(dataDir)
    expect(await runHost(dataDir).exit).toBe(1)
  })

  it('that fails says what the host said', async () => {
    const dataDir = await fixture.dataDir()
    const hostMain = join(dataDir, 'broken.mjs')
    await writeFile(hostMain, `console.error('no luck today'); process.exit(1)`)
    await expect(connectHost({ dataDir, hostMain })).rejects.toMatchObject({
      code: 'no-host',
      message: expect.stringContaining('no luck today'),
    })
  })

  it('is given up when the signal says so', async () => {
    const dataDir = await fixture.dataDir()
    const hostMain = join(dataDir, 'idle.mjs')
    await writeFile(hostMain, `setTimeout(() => process.exit(3), 1000)`)
    const reason = new Error('enough')
    await expect(connectHost({ dataDir, hostMain, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const connecting = connectHost({ dataDir, hostMain, signal: controller.signal })
    await until(async () => (await readdir(dataDir)).includes('host.log'), 'the start')
    controller.abort(reason)
    await expect(connecting).rejects.toBe(reason)
  })
})

describe('talking to a host', () => {
  it('of another time ends with the versions it speaks', async () => {
    const dataDir = await fixture.dataDir()
    await fixture.connect(dataDir)
    const { socket, messages } = await openRaw(dataDir)
    socket.write('{"t":"hello","versions":[998,999]}\n')
    await until(() => socket.closed, 'the end of the connection')
    expect(messages).toEqual([{ t: 'refused', code: 'version', versions: [2] }])

    const elsewhere = await fixture.dataDir()
    const server = createServer((peer) => peer.end('{"t":"later"}\n{"t":"refused","code":"version","versions":[7]}\n'))
    await new Promise<void>((resolve) => server.listen(join(elsewhere, 'host.sock'), resolve))
    await expect(fixture.connect(elsewhere)).rejects.toMatchObject({ code: 'version' })
    server.close()
  })

  it('in nonsense gets errors and harms nobody (F36)', async () => {
    const dataDir = await fixture.dataDir()
    const client = await fixture.connect(dataDir)
    const agent = await spawnScript(client, { script: ECHO })
    const { text } = listen(agent)
    const { socket, messages } = await openRaw(dataDir)
    socket.write(
      '{"t":"ack","key":"agent","line":1}\nnot json\n[]\n{"t":"later"}\n\0\xff\n\n{"t":"hello","versions":"1"}\n',
    )
    await until(() => messages.length === 7, 'seven errors')
    expect(messages.map(({ code }) => code)).toEqual([
      'no-hello',
      'bad-message',
      'bad-message',
      'unknown',
      'bad-message',
      'bad-message',
      'bad-message',
    ])
    socket.write(Buffer.alloc(MAX_LINE_BYTES + 1, 'x'))
    await until(() => socket.closed, 'the end of the connection')
    expect(messages.at(-1)).toMatchObject({ t: 'error', code: 'line-too-long' })
    await agent.write('unharmed')
    await until(() => text().includes('unharmed'), 'the echo')
  })

  it('refuses a line that is too long to be passed on, and goes on', async () => {
    const client = await fixture.connect(await fixture.dataDir())
    const agent = await spawnScript(client, { script: ECHO })
    await expect(agent.write('x'.repeat(MAX_LINE_BYTES))).rejects.toMatchObject({ code: 'line-too-long' })
    expect(await agent.write('short')).toEqual({ dropped: false })
    expect(() => agent.write('two\nlines')).toThrow(TypeError)
  })

  it('that dies settles everyone who waits', async () => {
    const client = await fixture.connect(await fixture.dataDir())
    const agent = await spawnScript(client, { script: `setInterval(() => {}, 1000)` })
    // More than the pipe takes: the write waits for an agent that does not read.
    const write = agent.write('x'.repeat(1024 * 1024))
    process.kill(client.pid, 'SIGKILL')
    await expect(write).rejects.toMatchObject({ code: 'host-gone' })
    expect(await agent.exit).toMatchObject({ problem: 'host-gone' })
    expect(await client.closed).toMatchObject({ code: 'host-gone' })
    await expect(agent.memoryBytes()).rejects.toMatchObject({ code: 'host-gone' })
    await expect(client.attach({ key: 'agent', after: 0 })).rejects.toMatchObject({ code: 'host-gone' })
    process.kill(-agent.pid, 'SIGKILL')
  })
})

describe('the end of a host', () => {
  it('comes by itself when it has neither agents nor a gateway', async () => {
    const dataDir = await fixture.dataDir()
    const client = await fixture.connect(dataDir, { lingerMs: 50 })
    const agent = await spawnScript(client, { script: '' })
    await agent.exit
    client.close()
    // The end of the agent has not been seen to: it is kept for whoever comes.
    const again = await fixture.connect(dataDir, { lingerMs: 50 })
    expect(again.pid).toBe(client.pid)
    const found = await again.attach({ key: 'agent', after: 0 })
    await found?.exit
    found?.forget()
    expect(await again.attach({ key: 'agent', after: 0 })).toBeUndefined()
    again.close()
    await until(async () => !(await isRunning(client.pid)), 'the host to end')
    expect(await readdir(dataDir)).not.toContain('host.sock')
  })

  it('by shutdown leaves no process and no socket', async () => {
    const dataDir = await fixture.dataDir()
    const client = await fixture.connect(dataDir)
    const agents = await Promise.all(
      ['one', 'two'].map((key) =>
        spawnScript(client, {
          key,
          script: `process.on('SIGTERM', () => {}); require('node:child_process').spawn('sleep', ['1000']); console.log('up'); setInterval(() => {}, 1000)`,
        }),
      ),
    )
    for (const agent of agents) {
      const { lines } = listen(agent)
      await until(() => lines.length === 1, 'the agent')
    }
    await client.shutdown()
    expect(await client.closed).toBeUndefined()
    for (const agent of agents) {
      expect(await agent.exit).toMatchObject({ signal: 'SIGKILL' })
      expect(() => process.kill(-agent.pid, 0)).toThrow()
    }
    await until(async () => !(await isRunning(client.pid)), 'the host to end')
    expect(await readdir(dataDir)).not.toContain('host.sock')
  })

  it('by SIGTERM takes the agents along and is a clean exit', async () => {
    const dataDir = await fixture.dataDir()
    const host = runHost(dataDir)
    await until(async () => (await readdir(dataDir)).includes('host.sock'), 'the host')
    const client = await fixture.connect(dataDir)
    const agent = await spawnScript(client, { script: ECHO })
    process.kill(host.pid, 'SIGTERM')
    expect(await host.exit).toBe(0)
    expect(await isRunning(agent.pid)).toBe(false)
    expect(client.pid).toBe(host.pid)
  })

  it('comes when its socket is gone and no gateway can reach it any more', async () => {
    const dataDir = await fixture.dataDir()
    const client = await fixture.connect(dataDir)
    const agent = await spawnScript(client, { script: ECHO })
    client.close()
    await rm(join(dataDir, 'host.sock'))
    await until(async () => !(await isRunning(client.pid)), 'the host to end')
    expect(await isRunning(agent.pid)).toBe(false)
  })
})

describe.runIf(process.platform === 'linux')('what a killed host leaves behind (F5)', () => {
  it('is ended by the next one', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: `setInterval(() => {}, 1000)` })
    process.kill(first.pid, 'SIGKILL')
    await first.closed
    expect(await isRunning(agent.pid)).toBe(true)
    const second = await fixture.connect(dataDir)
    expect(await isRunning(agent.pid)).toBe(false)
    expect(second.agents()).toEqual([])
  })

  it('is not taken for another process that has its pid', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: `setInterval(() => {}, 1000)` })
    process.kill(first.pid, 'SIGKILL')
    await first.closed
    const record = join(dataDir, 'host.agents.json')
    const [recorded] = JSON.parse(await readFile(record, 'utf8'))
    expect(recorded.pid).toBe(agent.pid)
    await writeFile(
      record,
      JSON.stringify([{ ...recorded, startTime: '1' }, { ...recorded, boot: 'another' }, { pid: -1 }]),
    )
    await fixture.connect(dataDir)
    expect(await isRunning(agent.pid)).toBe(true)
    process.kill(-agent.pid, 'SIGKILL')
  })
})
