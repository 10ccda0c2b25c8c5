import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { Session } from '@holdpoint/schema/session'
import { type BuiltGateway, runCommand, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { until } from '@holdpoint/testing/until'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'

/** The programs in dist/, as people run them, with the real agent on the demo model. */
describe('the command', () => {
  let gateway: BuiltGateway
  let session: Session

  beforeAll(async () => {
    gateway = await startBuiltGateway()
    session = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'demo', prompt: 'Show me around.' })
    await openAsk()
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    rmSync(gateway.dataDir, { recursive: true, force: true })
  })

  function openAsk(other?: Ask): Promise<Ask> {
    const isNext = async () => (await gateway.api.openAsks(session.id)).find((ask) => ask.id !== other?.id)
    return until(isNext, 'an ask of the demo')
  }

  it('status tells gateway, host, agents and what they do', async () => {
    const { code, stdout } = await gateway.command(['status', '--json'])
    expect(code).toBe(0)
    const status = JSON.parse(stdout)
    expect(status).toMatchObject({ running: true, pid: gateway.pid, url: gateway.url, openAsks: 1 })
    expect(status.sessions).toMatchObject({ assistant_turn: 1 })
    expect(await runningProcess(status.host.pid)).toBeDefined()
    expect(status.host.agents).toHaveLength(1)
    // Looking must not take the host away from its gateway.
    const memory = async () => (await gateway.api.ok<Session>('GET', `/api/sessions/${session.id}`)).memoryBytes
    await until(async () => (await memory()) !== undefined, 'the host to tell its memory')
  })

  it('status goes without a token, and asks do not', async () => {
    const env = { HOLDPOINT_TOKEN: '' }
    const status = await gateway.command(['status'], { env })
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining(gateway.url) })
    expect(status.stdout).not.toContain('Asks')
    expect(await gateway.command(['asks'], { env })).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringContaining('HOLDPOINT_TOKEN'),
    })
    const wrong = await gateway.command(['asks'], { env: { HOLDPOINT_TOKEN: 'x'.repeat(40) } })
    expect(wrong).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringContaining('does not know this HOLDPOINT_TOKEN'),
    })
  })

  it('asks lists and shows; the sighting is noted', async () => {
    const ask = await openAsk()
    const short = ask.id.slice(-6)
    expect((await gateway.command(['asks'])).stdout).toContain(`${short}  `)
    const detail = await gateway.command(['asks', short])
    expect(detail.stdout).toContain('Command:\n  │ date > started.txt\n')
    expect(detail.stdout).toContain('The agent says:\n  │ ')
    expect(JSON.parse((await gateway.command(['asks', '--json'])).stdout).asks).toEqual([ask])
    expect(await eventsSoFar(gateway)).toContain('ask-seen')
  })

  it('sessions lists what runs, with its open asks; --all also what has ended', async () => {
    const { stdout } = await gateway.command(['sessions'])
    expect(stdout).toMatch(/^ID +STATE +AGENT +ASKS +FOLDER +TITLE\n/)
    expect(stdout).toMatch(new RegExp(`^${session.id.slice(-6)} +needs answer \\d+s +demo +1 +~/`, 'm'))
    const start = { agent: 'demo', prompt: 'Show me around.', title: 'Over soon' }
    const over = await gateway.api.ok<Session>('POST', '/api/sessions', start)
    await gateway.api.call('DELETE', `/api/sessions/${over.id}`)
    await until(async () => !(await gateway.command(['sessions'])).stdout.includes('Over soon'), 'it to be over')
    expect((await gateway.command(['sessions', '--all'])).stdout).toMatch(/ended \d+s .*Over soon/)
    const listed = JSON.parse((await gateway.command(['sessions', '--json'])).stdout).sessions as Session[]
    expect(listed.map(({ id }) => id)).toEqual([session.id])
    expect(await gateway.command(['asks', '--session', 'zzzzzz'])).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringContaining('"holdpoint sessions" lists them'),
    })
  })

  it('login prints a link that works once', async () => {
    const { code, stdout } = await gateway.command(['login'])
    expect(code).toBe(0)
    const [url, login] = stdout.trim().split(/\/login\/[\w-]+#login=/)
    expect(url).toBe(gateway.url)
    const logIn = () => gateway.api.call('POST', '/api/login', { code: login })
    expect((await logIn()).status).toBe(200)
    expect((await logIn()).status).toBe(401)
  })

  it('answer refuses what does not fit, answers, and tells a late one who won (I1)', async () => {
    const ask = await openAsk()
    expect(await gateway.command(['answer', ask.id, 'cancel'])).toMatchObject({ code: EXIT.usage })
    const edited = await gateway.command(['answer', ask.id, 'allow', '--input', '{"command":5}'])
    expect(edited).toMatchObject({
      code: EXIT.refused,
      stderr: expect.stringContaining('updatedInput.command must be string'),
    })
    expect(await gateway.command(['answer', 'zzzzzzzz', 'allow'])).toMatchObject({ code: EXIT.failure })

    const allowed = await gateway.command(['answer', ask.id.slice(-6), 'allow'])
    expect(allowed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${ask.id} allowed by "HOLDPOINT_TOKEN"`),
    })
    expect(allowed.stderr).toContain('date > started.txt')
    const record = await gateway.api.ok<Ask>('GET', `/api/asks/${ask.id}`)
    expect(record.outcome).toMatchObject({ kind: 'allowed', via: 'terminal' })

    for (const id of [ask.id, ask.id.slice(-6)]) {
      const late = await gateway.command(['answer', id, 'deny', '--message', 'no'])
      expect(late).toMatchObject({
        code: EXIT.refused,
        stderr: expect.stringMatching(/Too late.*allowed by "HOLDPOINT_TOKEN" \(owner\) at a command line/),
      })
    }
    await openAsk(ask)
  })

  it('watch prints what is open and what comes', async () => {
    const ask = await openAsk()
    const child = execFile(process.execPath, ['dist/cli.js', 'asks', '--watch', '--data', gateway.dataDir], {
      env: { HOLDPOINT_TOKEN: gateway.token },
    })
    let text = ''
    child.stdout?.on('data', (chunk: string) => {
      text += chunk
    })
    const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)))
    await until(() => text.includes(`open  ${ask.id.slice(-6)}`), 'the open ask')
    expect((await gateway.command(['answer', ask.id, 'deny', '--message', 'Not this one.'])).code).toBe(0)
    await until(() => text.includes(`done  ${ask.id.slice(-6)}  denied`), 'its outcome')
    const next = await openAsk(ask)
    await until(() => text.includes(`open  ${next.id.slice(-6)}`), 'the next ask')
    child.kill('SIGINT')
    expect(await ended).toBe(EXIT.interrupted)
  })

  it('attach --renew gives terminals a credential again after a revoke, and attach alone does not (I8)', async () => {
    const attach = (...flags: string[]) => gateway.command(['attach', '--yes', ...flags])
    expect((await attach()).stderr).not.toContain('revoked')
    const terminals = async () =>
      (await gateway.api.ok<{ devices: Device[] }>('GET', '/api/devices')).devices.filter(
        ({ name }) => name === 'Terminals on this machine',
      )
    const [device] = await terminals()
    await gateway.api.call('DELETE', `/api/devices/${device?.id}`)
    expect((await attach()).stderr).toContain('"holdpoint attach --renew" gives them a new one.')
    expect(await attach('--renew')).toMatchObject({ code: 0, stderr: expect.stringContaining('a new credential') })
    expect((await attach()).stderr).not.toContain('revoked')
    expect(await terminals()).toHaveLength(1)
    expect(await runCommand(['detach', '--yes'], { home: gateway.dataDir })).toMatchObject({ code: 0 })
  })

  it('verify wants the gateway stopped', async () => {
    const { code, stderr } = await gateway.command(['verify'])
    expect(code).toBe(EXIT.locked)
    expect(stderr).toContain('holdpoint stop')
  })

  it('a second gateway on the same folder is refused in one sentence (F27)', async () => {
    const second = await gateway.command(['start', '--port', '0'])
    expect(second).toMatchObject({ code: EXIT.locked, stdout: '' })
    expect(second.stderr).toContain(`process ${gateway.pid}`)
    expect((await gateway.api.call('GET', '/api/health')).status).toBe(200)
  })

  it('an ask that is open when the gateway stops is open for the next one', async () => {
    const ask = await openAsk()
    expect((await gateway.command(['stop'])).code).toBe(0)
    const { dataDir, token } = gateway
    gateway = await startBuiltGateway({ dataDir, token })
    expect((await gateway.api.openAsks(session.id)).map(({ id }) => id)).toEqual([ask.id])
    expect(await gateway.command(['answer', ask.id, 'cancel'])).toMatchObject({ code: 0 })
    await openAsk(ask)
  })

  it('stop leaves the agents, verify finds the record whole, stop --all leaves nothing', async () => {
    const { host } = JSON.parse((await gateway.command(['status', '--json'])).stdout)
    const pids: number[] = [gateway.pid, host.pid, ...host.agents]
    const stopped = await gateway.command(['stop'])
    expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining('1 agent still runs') })
    const { code, stdout, stderr } = await gateway.exited
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        `^Holdpoint is ready: ${gateway.url}/login/[\\w-]{11}#login=${gateway.loginCode}\\n$`,
      ),
    })
    // Everything but the ready line is a log, in JSON lines.
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
    expect(await runningProcess(host.pid)).toBeDefined()

    expect(await gateway.command(['status'])).toMatchObject({ code: EXIT.notRunning })
    expect(await gateway.command(['asks'])).toMatchObject({
      code: EXIT.notRunning,
      stderr: expect.stringContaining(`No gateway is running for the data folder ${gateway.dataDir}: start it with`),
    })
    const verified = await gateway.command(['verify'])
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/events +\d+\nsessions +2\nhead +[0-9a-f]{64}\n/),
    })

    const ended = await gateway.command(['stop', '--all'])
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Ended 1 agent and the host (process ${host.pid})`),
    })
    for (const pid of pids) expect(await runningProcess(pid)).toBeUndefined()
    expect(await gateway.command(['stop', '--all'])).toMatchObject({ code: 0 })

    // A person ended it: that is no failure.
    const { dataDir, token } = gateway
    gateway = await startBuiltGateway({ dataDir, token })
    const after = await until(async () => {
      const known = await gateway.api.ok<Session>('GET', `/api/sessions/${session.id}`)
      return known.state === 'dead' && known
    }, 'the session has ended')
    expect(after).toMatchObject({ endReason: 'all-stopped' })
    expect(after).not.toHaveProperty('error')
    await gateway.command(['stop', '--all'])
    await gateway.exited
  })

  it('verify names the row that was changed', async () => {
    const { openSqliteFile } = await import('@holdpoint/store/sqlite-file')
    const { loadSqliteDriver } = await import('@holdpoint/store/sqlite-driver')
    const database = openSqliteFile({ path: join(gateway.dataDir, 'holdpoint.db'), driver: await loadSqliteDriver() })
    database.exec("UPDATE events SET data = replace(data, 'date > started.txt', 'true') WHERE type = 'ask-raised'")
    database.close()
    const { code, stderr } = await gateway.command(['verify'])
    expect(code).toBe(EXIT.failure)
    expect(stderr).toMatch(new RegExp(`NOT intact. Session: ${session.id}. Row: seq \\d+`))
  })
})

describe('start', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'refuses to listen on %s without TLS, before anything listens (T7)',
    async (host) => {
      const folder = mkdtempSync(join(tmpdir(), 'hp-'))
      try {
        const port = await freePort()
        const { code, stdout, stderr } = await runCommand([
          'start',
          '--host',
          host,
          '--port',
          String(port),
          '--data',
          folder,
        ])
        expect({ code, stdout }).toEqual({ code: EXIT.refused, stdout: '' })
        expect(stderr).toContain('TLS')
        expect(await isListening(port)).toBe(false)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )

  it('says what to do about a port that is taken, a token that is too short, a command that is none', async () => {
    await using gateway = await startBuiltGateway()
    const other = mkdtempSync(join(tmpdir(), 'hp-'))
    try {
      const port = new URL(gateway.url).port
      expect(await runCommand(['start', '--port', port, '--data', other])).toMatchObject({
        code: EXIT.failure,
        stderr: expect.stringContaining(`Port ${port} is taken`),
      })
      const short = await runCommand(['start', '--data', other], { env: { HOLDPOINT_TOKEN: 'short' } })
      expect(short).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('openssl rand') })
      expect(await runCommand(['start', '--port', '70000', '--data', other])).toMatchObject({ code: EXIT.usage })
      expect(await runCommand(['start', '--dialects', 'klingon', '--data', other])).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining('there is no dialect "klingon"; choose from process-state'),
      })
      expect(await runCommand(['start', '--ask-timeout', '5', '--data', other])).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining('expected a time, such as 90s, 5m, 2h or 1d'),
      })
      expect(await runCommand(['start', '--tools', join(other, 'tools.mjs'), '--data', other])).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining('there is no such file'),
      })
      expect(await runCommand(['begin'])).toMatchObject({ code: EXIT.usage })
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })

  it('gives new sessions a time limit, and puts tools to people as the file says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hp-tools-'))
    const file = join(folder, 'tools.mjs')
    writeFileSync(
      file,
      `export default [{
        name: 'when', kind: 'question',
        matches: (tool) => tool === 'Bash',
        toAsk: () => ({ title: 'When?', questions: [{ question: 'When?', options: [{ label: 'Now' }], multiSelect: false }] }),
        fromOutcome: ({ input }, { answer }) => ({ ...input, description: answer.answers[0].selected[0] }),
      }]`,
    )
    try {
      await using gateway = await startBuiltGateway({ args: ['--ask-timeout', '2h', '--tools', file] })
      expect(await gateway.api.ok('GET', '/api/time-limits')).toMatchObject({ ofGateway: { afterMs: 7_200_000 } })
      const session = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'demo', prompt: 'Go.' })
      const ask = await until(async () => (await gateway.api.openAsks(session.id))[0], 'the ask')
      expect(ask).toMatchObject({ kind: 'question', title: 'When?', tool: { name: 'Bash' } })
      expect((ask.expiresAt ?? 0) - ask.raisedAt).toBe(7_200_000)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('T34 lists trusted folders and stops trusting one, also one that is gone', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-trusted-')))
    await using gateway = await startBuiltGateway()
    try {
      expect(await gateway.command(['trusted'])).toMatchObject({ code: 0, stderr: 'No folder is trusted.\n' })
      await gateway.api.ok('POST', '/api/sessions', { agent: 'demo', cwd: folder, trust: true })
      const listed = await gateway.command(['trusted'])
      expect(listed.stdout).toMatch(new RegExp(`^${folder}\\n  trusted \\d+s ago by "HOLDPOINT_TOKEN"\\n$`))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    expect((await gateway.command(['trusted'])).stdout).toContain('Not trusted now. There is no such folder any more.')
    expect(await gateway.command(['trusted', '--revoke', folder])).toMatchObject({ code: 0 })
    expect((await gateway.command(['trusted', '--revoke', folder])).code).not.toBe(0)
    expect((await gateway.command(['trusted', '--json'])).stdout).toBe('{\n  "folders": []\n}\n')
  })

  it('every command has a help text with an example', async () => {
    for (const name of [
      'start',
      'run',
      'stop',
      'status',
      'sessions',
      'asks',
      'answer',
      'attach',
      'detach',
      'trusted',
      'login',
      'verify',
    ]) {
      expect(await runCommand([name, '--help'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/Examples?:\n {2}.*holdpoint/),
      })
    }
  })

  it('a folder without a record cannot be verified, and is not made', async () => {
    const folder = join(tmpdir(), `hp-none-${process.pid}`)
    expect(await runCommand(['verify', '--data', folder])).toMatchObject({ code: EXIT.failure })
    await expect(promisify(execFile)('ls', [folder])).rejects.toThrow()
  })
})

async function eventsSoFar(gateway: BuiltGateway): Promise<string[]> {
  const { cursor } = await gateway.api.ok<{ cursor: string }>('GET', '/api/asks')
  const types: string[] = []
  const { body } = await fetch(`${gateway.url}/api/events?after=0`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  const texts = (body as unknown as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())
  for await (const { id, event = '' } of texts.pipeThrough(new EventSourceParserStream())) {
    types.push(event)
    if (id === cursor) break
  }
  return types
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
