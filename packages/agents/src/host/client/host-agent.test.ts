import { tmpdir } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { createHostFixture, ECHO, isRunning, listen, spawnScript, until } from '../fixtures/host-fixture.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const fixture = createHostFixture()

async function connect() {
  return fixture.connect(await fixture.dataDir())
}

describe('an agent on the host', () => {
  it('is written to and read from line by line', async () => {
    const agent = await spawnScript(await connect(), { script: ECHO })
    const { lines } = listen(agent)
    expect(await agent.write('{"text":"grüße \u2028 €"}')).toEqual({ dropped: false })
    expect(await agent.write('')).toEqual({ dropped: false })
    expect(await agent.write('second')).toEqual({ dropped: false })
    await until(() => lines.length === 3, 'three lines')
    expect(lines).toEqual([
      { n: 1, line: '{"text":"grüße \u2028 €"}', replay: false },
      { n: 2, line: '', replay: false },
      { n: 3, line: 'second', replay: false },
    ])
  })

  it('gets the environment it was given and nothing else, and the usual file mode mask', async () => {
    const script = `console.log(JSON.stringify([process.env.A, Object.keys(process.env).length, process.umask()]))`
    const agent = await spawnScript(await connect(), { script, env: { A: 'b' } })
    const { text } = listen(agent)
    await agent.exit
    expect(text()).toEqual([JSON.stringify(['b', 1, process.umask()])])
  })

  it('ends with its code after its last line, terminated or not', async () => {
    const agent = await spawnScript(await connect(), {
      script: `process.stdout.write('a\\nlast'); process.stderr.write('oh no'); process.exitCode = 7`,
    })
    const { text } = listen(agent)
    expect(await agent.exit).toEqual({ code: 7, signal: null, stderrTail: 'oh no' })
    expect(text()).toEqual(['a', 'last'])
  })

  it('ends with the signal that killed it', async () => {
    const agent = await spawnScript(await connect(), { script: `process.kill(process.pid, 'SIGKILL')` })
    expect(await agent.exit).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  it('keeps the end of what it wrote to its standard error, and tells it live', async () => {
    const agent = await spawnScript(await connect(), {
      script: `process.stderr.write('€'.repeat(10000) + 'end', () => process.stdin.resume())`,
    })
    let live = ''
    agent.onStderr((text) => {
      live += text
    })
    await until(() => live.endsWith('end'), 'standard error')
    await agent.kill('SIGKILL')
    const { stderrTail } = await agent.exit
    expect(Buffer.byteLength(stderrTail)).toBeGreaterThan(16 * 1024 - 4)
    expect(stderrTail).toMatch(/^€+end$/)
  })

  it('that cannot be started is a refusal and leaves nothing behind', async () => {
    const client = await connect()
    const missing = { key: 'k', command: 'no-such-program', args: [], cwd: tmpdir(), env: {} }
    await expect(client.spawn(missing)).rejects.toMatchObject({ code: 'cannot-start' })
    await expect(client.spawn({ ...missing, command: process.execPath, cwd: '/no/such/folder' })).rejects.toMatchObject(
      {
        code: 'cannot-start',
        message: expect.stringContaining('/no/such/folder'),
      },
    )
    await expect(client.spawn({ ...missing, command: 'a\0b' })).rejects.toMatchObject({ code: 'cannot-start' })
    const agent = await spawnScript(client, { key: 'k', script: ECHO })
    await expect(spawnScript(client, { key: 'k', script: ECHO })).rejects.toMatchObject({ code: 'key-taken' })
    expect(await agent.write('still there')).toEqual({ dropped: false })
  })

  it('that is gone takes no more lines', async () => {
    const agent = await spawnScript(await connect(), { script: '' })
    await agent.exit
    await expect(agent.write('late')).rejects.toMatchObject({ code: 'agent-gone' })
  })

  it('is told of as ended while something it started still holds its output', async () => {
    const agent = await spawnScript(await connect(), {
      script: `
        const child = require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
        console.log(child.pid)
        setTimeout(() => process.exit(0), 300)`,
    })
    const { text } = listen(agent)
    expect(await agent.exit).toMatchObject({ code: 0 })
    expect(await isRunning(Number(text()[0]))).toBe(true)
    await until(async () => !(await isRunning(Number(text()[0]))), 'what it started to be ended')
  })

  it('is killed with everything it started, what ignores SIGTERM and what left its group included', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`
    const agent = await spawnScript(await connect(), {
      script: `
        const { spawn } = require('node:child_process')
        for (const detached of [false, true]) spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit', detached })
        ${stubborn}`,
    })
    const { text } = listen(agent)
    await until(() => text().length === 3, 'three processes')
    // The one that left the group is found by its parent, for which /proc is needed.
    const pids = text().map(Number)
    await agent.kill()
    expect(await agent.exit).toMatchObject({ signal: 'SIGKILL' })
    const left = await Promise.all(pids.map(isRunning))
    expect(left.filter(Boolean)).toHaveLength(process.platform === 'linux' ? 0 : 1)
  })

  it('has the time to end by itself when it is asked to', async () => {
    const agent = await spawnScript(await connect(), {
      script: `process.on('SIGTERM', () => { console.log('bye'); process.exit(5) }); console.log('up'); process.stdin.resume()`,
    })
    const { text } = listen(agent)
    await until(() => text().includes('up'), 'the agent')
    await agent.kill()
    expect(await agent.exit).toMatchObject({ code: 5, signal: null })
    expect(text()).toEqual(['up', 'bye'])
  })

  it.runIf(process.platform === 'linux')('says how much memory it and its children take', async () => {
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], { stdio: 'inherit' })`
    const agent = await spawnScript(await connect(), { script })
    const { lines } = listen(agent)
    await until(() => lines.length === 1, 'the child')
    expect(await agent.memoryBytes()).toBeGreaterThan(2 * 20 * 1024 * 1024)
  })

  it('that writes a line without end is killed alone (F37)', async () => {
    const client = await connect()
    const other = await spawnScript(client, { key: 'other', script: ECHO })
    const agent = await spawnScript(client, {
      key: 'endless',
      script: `console.log('fine'); const chunk = Buffer.alloc(1 << 20, 'x'); const on = () => process.stdout.write(chunk, on); on()`,
    })
    const { text } = listen(agent)
    expect(await agent.exit).toMatchObject({ problem: 'line-too-long', signal: 'SIGKILL' })
    expect(text()).toEqual(['fine'])
    expect(await other.write('unharmed')).toEqual({ dropped: false })
  })

  it('may write one line far above the high water', async () => {
    const length = 40 * 1024 * 1024
    const agent = await spawnScript(await connect(), {
      script: `process.stdout.write('"'.repeat(${length}) + '\\nnext\\n')`,
    })
    const seen: number[] = []
    agent.onLine((n, line) => {
      seen.push(line.length)
      agent.ack(n)
    })
    expect(await agent.exit).toMatchObject({ code: 0 })
    expect(seen).toEqual([length, 4])
  })
})
