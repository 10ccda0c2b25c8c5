import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { expect, it, onTestFinished } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { LONG, report, TIMEOUT_MS } from './long.ts'
import { startPushService } from './push-service.ts'
import { until } from './until.ts'

const PAUSES = LONG ? 30 : 4

/** A gateway process, its host and one synthetic agent that keeps one ask open, each a process of its own. */
async function startWorld(options: Partial<Parameters<typeof startGatewayProcess>[0]> = {}, session: object = {}) {
  const root = mkdtempSync(join(tmpdir(), 'hp-faults-'))
  const dataDir = join(root, 'data')
  const notes = join(root, 'notes')
  mkdirSync(notes)
  const env = { SYNTHETIC_NOTES: notes, SYNTHETIC_TOTAL: '1000' }
  const started: GatewayProcess[] = []
  async function start(more: typeof options = options) {
    const gateway = await startGatewayProcess({ dataDir, ...more, env: { ...env, ...more.env } })
    started.push(gateway)
    return gateway
  }
  let gateway = await start()
  onTestFinished(async () => {
    for (const { kill9 } of started) await kill9()
    await (await connectHost({ dataDir, hostMain: '' })).shutdown()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: root, ...session })
  return {
    id,
    root,
    dataDir,
    /** Another gateway on the same folder. */
    start,
    gateway: () => gateway,
    async restart(more: typeof options = {}): Promise<GatewayProcess> {
      gateway = await start(more)
      return gateway
    },
    openAsk: (): Promise<Ask> => until(async () => (await gateway.api.openAsks(id))[0], 'an open ask'),
    /** What the agent was told about this ask, each time. */
    told: ({ requestId }: Ask) =>
      readFileSync(join(notes, id), 'utf8')
        .split('\n')
        .filter((line) => new RegExp(`^(told|stray) ${requestId} `).test(line)),
    state: async () => (await gateway.api.ok<Session>('GET', `/api/sessions/${id}`)).state,
  }
}

/** An answer that would get through to a stopped gateway has more than enough time for it. */
const STOPPED_MS = 100

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('F30 a gateway that is stopped tells no agent anything, takes nobody for gone, and answers once it goes on', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await startWorld()
  const { pid, api } = world.gateway()
  for (let count = 0; count < PAUSES; count++) {
    const ask = await world.openAsk()
    process.kill(pid, 'SIGSTOP')
    const answering = api.answer(ask, { kind: 'allow' })
    // For how long it stands still is what is tried here, not how long something takes.
    await pause(STOPPED_MS)
    expect(world.told(ask)).toEqual([])
    process.kill(pid, 'SIGCONT')
    expect((await answering).status).toBe(200)
    await until(() => world.told(ask).length > 0, 'the agent to be told')
    expect(world.told(ask)).toEqual([`told ${ask.requestId} allow run ${ask.requestId}`])
  }
  expect(await world.state()).not.toBe('dead')
  report(`F30: ${PAUSES} pauses of the gateway`)
})

it('F30 an allow that waited in a stopped gateway until the time was over is no allow', async () => {
  const world = await startWorld({}, { askTimeoutMs: 1500 })
  const { pid, api } = world.gateway()
  const ask = await world.openAsk()
  process.kill(pid, 'SIGSTOP')
  const answering = api.answer(ask, { kind: 'allow' })
  await pause(Math.max(0, (ask.expiresAt ?? 0) - Date.now()) + STOPPED_MS)
  process.kill(pid, 'SIGCONT')
  expect(await answering).toMatchObject({ status: 409, body: { error: { outcome: { kind: 'expired' } } } })
  await until(() => world.told(ask).length > 0, 'the agent to be told')
  expect(world.told(ask)).toEqual([`told ${ask.requestId} deny `])
})

it('F30 an agent that is stopped is told once, when it goes on', async () => {
  const world = await startWorld()
  const { api } = world.gateway()
  const ask = await world.openAsk()
  const { stdout } = await import('node:child_process').then(({ spawnSync }) =>
    spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }),
  )
  const agent = Number(
    stdout
      .split('\n')
      .find((line) => line.includes(`/${world.id}`))
      ?.trim()
      .split(' ')[0],
  )
  process.kill(agent, 'SIGSTOP')
  expect((await api.answer(ask, { kind: 'allow' })).status).toBe(200)
  expect(await api.answer(ask, { kind: 'deny' })).toMatchObject({ status: 409 })
  expect(world.told(ask)).toEqual([])
  expect(await world.state()).not.toBe('dead')
  process.kill(agent, 'SIGCONT')
  await until(() => world.told(ask).length > 0, 'the agent to be told')
  await world.openAsk()
  expect(world.told(ask)).toEqual([`told ${ask.requestId} allow run ${ask.requestId}`])
})

it('F48 a gateway that is out of files still takes answers over the connection there is, and recovers', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await startWorld({ limits: '-n 64' })
  const { api, url } = world.gateway()
  const ask = await world.openAsk()
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let turnedAway = 0
  for (let count = 0; count < 80; count++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => turnedAway++)
    sockets.push(socket)
  }
  try {
    // It has taken all that it can: those beyond are closed at once.
    await until(() => turnedAway > 0, 'it to be out of files')
    // The connection that the client keeps open was there before.
    expect((await api.answer(ask, { kind: 'allow' })).status).toBe(200)
    await until(() => world.told(ask).length > 0, 'the agent to be told')
    expect(world.told(ask)).toEqual([`told ${ask.requestId} allow run ${ask.requestId}`])
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  const next = await world.openAsk()
  expect((await api.answer(next, { kind: 'deny' })).status).toBe(200)
})

it('F48 a host that is out of files refuses new sessions with a reason, and lets the others be answered', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await startWorld({ limits: '-n 40' })
  const { api } = world.gateway()
  const ask = await world.openAsk()
  let failed: Session | undefined
  for (let count = 0; count < 30 && !failed; count++) {
    const { id } = await api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: world.root })
    failed = await until(async () => {
      const session = await api.ok<Session>('GET', `/api/sessions/${id}`)
      if (session.state === 'dead') return session
      return (await api.openAsks(id)).length > 0 ? null : undefined
    }, 'the session to begin or to fail').then((session) => session ?? undefined)
  }
  expect(failed).toMatchObject({ state: 'dead', error: { message: expect.any(String) } })
  expect((await api.answer(ask, { kind: 'allow' })).status).toBe(200)
  await until(() => world.told(ask).length > 0, 'the agent to be told')
})

it('F49 a gateway that runs out of memory between an answer and its delivery has lost nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await startWorld({
    env: { FAIL_AT: 'before-delivery:1:memory' },
    nodeOptions: ['--max-old-space-size=64'],
  })
  const ask = await world.openAsk()
  const first = world.gateway()
  await first.api.answer(ask, { kind: 'allow' }).catch(() => undefined)
  const [, signal] = await first.exited
  expect(signal).toBe('SIGABRT')
  expect(first.errors()).toMatch(/heap out of memory/)
  expect(world.told(ask)).toEqual([])
  await world.restart()
  await until(() => world.told(ask).length > 0, 'the agent to be told')
  await world.openAsk()
  expect(world.told(ask)).toEqual([`told ${ask.requestId} allow run ${ask.requestId}`])
})

it('F27 a second gateway is refused while the first lives, whatever was removed; one that lost its folder decides nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await startWorld()
  const { api, errors } = world.gateway()
  for (const names of [['gateway.sock'], ['gateway.sock', 'gateway.pid', 'gateway.lock', 'holdpoint.db.lock']]) {
    const ask = await world.openAsk()
    for (const name of names) rmSync(join(world.dataDir, name), { recursive: true, force: true })
    await expect(world.start()).rejects.toThrow('Another Holdpoint')
    expect(await api.answer(ask, { kind: 'allow' })).toMatchObject({ status: 200 })
    await until(() => world.told(ask).length === 1, 'the agent to be told')
  }
  const ask = await world.openAsk()
  rmSync(join(world.dataDir, 'gateway.pid'))
  writeFileSync(join(world.dataDir, 'gateway.pid'), '{"pid":1}')
  expect(await api.answer(ask, { kind: 'allow' })).toMatchObject({
    status: 503,
    body: { error: { code: 'store_unavailable', message: expect.stringContaining('taken over'), recorded: 'no' } },
  })
  expect(world.told(ask)).toEqual([])
  expect(await api.ok('GET', '/api/status')).toMatchObject({
    record: { state: 'failed', problem: expect.stringContaining('taken') },
  })
  expect(errors()).toContain('data_folder_taken_over')
  // What was not decided waits for the gateway that has the folder.
  await world.gateway().kill9()
  const next = await world.restart()
  expect((await next.api.openAsks(world.id)).map(({ id }) => id)).toContain(ask.id)
})

it('F54 tells people after a restart of an ask that it was killed before it could tell', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using service = await startPushService()
  const settings = { kinds: ['ask'], content: 'names' }
  const options = { env: { NOTIFY_ALLOW: service.place } }
  const world = await startWorld(options)
  const earlier = await world.openAsk()
  service.answer(503)
  const { api } = world.gateway()
  await api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings })
  await api.answer(earlier, { kind: 'allow' })
  await service.until(1)
  await world.gateway().kill9()
  service.answer(201)
  await world.restart(options)
  const ask = await world.openAsk()
  const message = await service.message(({ tag }) => tag === ask.id)
  expect(message).toMatchObject({ path: `/asks/${ask.id}`, silent: false })
})
