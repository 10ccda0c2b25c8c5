import type { Session } from '@holdpoint/schema/session'
import { createCoreWorld, IDLE_MS } from '@holdpoint/testing/core-world'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { describe, expect, it } from 'vitest'
import type { DriverStart } from './driver.ts'

const PARK_MS = 10_000
type World = Awaited<ReturnType<typeof createCoreWorld>>
type Started = Awaited<ReturnType<World['session']>>

const parkingWorld = (options: Parameters<typeof createCoreWorld>[0] = {}) =>
  createCoreWorld({ parkMs: PARK_MS, ...options })

const isParked = (world: World, session: Pick<Session, 'id'>) => world.view(session)?.session.parkedAt !== undefined
const isIdle = (world: World, session: Pick<Session, 'id'>) =>
  soon(() => world.view(session)?.session.state).toBe('user_turn')

/** `expect.poll` that looks often: nothing here takes long. */
function soon<Value>(look: () => Value) {
  return expect.poll(look, { interval: 5 })
}

/** What is under way has had its turn. */
async function settle() {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A session with a conversation, whose agent waits for the next message. */
async function idleSession(world: World, start: Parameters<World['session']>[0] = {}): Promise<Started> {
  const started = await world.session(start)
  await isIdle(world, started.session)
  await started.agent.start.emit([{ type: 'identified', vendorSessionId: `theirs-${started.session.id}`, model: 'm1' }])
  return started
}

async function parkedSession(world: World, start: Parameters<World['session']>[0] = {}): Promise<Started> {
  const started = await idleSession(world, start)
  await park(world, started.session)
  return started
}

async function park(world: World, session: Session) {
  world.time.advance(PARK_MS)
  await soon(() => isParked(world, session)).toBe(true)
}

async function woken(world: World, { id }: Pick<Session, 'id'>, epoch: number) {
  await soon(() => world.synthetic.agents.get(id)?.start.epoch).toBe(epoch)
  const agent = world.synthetic.agents.get(id)
  if (!agent) throw new Error('it is not there')
  return agent
}

describe('an agent that has had nothing to do for long enough', () => {
  it('F65 is parked: its process is ended, its session stays as it is, and the next message goes on with it', async () => {
    const world = await parkingWorld()
    const { session, agent } = await parkedSession(world)
    await soon(agent.stopped).toBe('in time')
    await settle()
    expect(world.view(session)?.session).toMatchObject({ state: 'user_turn', epoch: 1, title: session.title })
    await world.sessions.send(session.id, { text: 'go on' })
    const next = await woken(world, session, 2)
    await soon(() => next.messages.map(({ text }) => text)).toEqual(['go on'])
    expect(next.start).toMatchObject({ resume: `theirs-${session.id}`, model: 'm1' })
    expect(world.view(session)?.session.parkedAt).toBeUndefined()
    expect(world.view(session)?.session.state).toBe('assistant_turn')
    await next.endTurn()
    await park(world, session)
    expect(world.warnings).toEqual([])
  })

  it('that has had no message yet is parked as well, and begins its conversation when it is woken', async () => {
    const world = await parkingWorld()
    const { session } = await world.session()
    await isIdle(world, session)
    await park(world, session)
    await world.sessions.send(session.id, { text: 'begin' })
    expect((await woken(world, session, 2)).start.resume).toBeUndefined()
  })

  it.each<[string, (world: World, started: Started) => unknown]>([
    ['works', ({ sessions }, { session }) => sessions.send(session.id, { text: 'work' })],
    ['waits for a person', (world, { session, agent }) => [void agent.ask(), world.open(session)][1]],
    [
      'has a background command, a subagent, or anything else of its own',
      (_, { agent }) => {
        agent.quietMs = undefined
      },
    ],
    [
      'said something a moment ago',
      (_, { agent }) => {
        agent.quietMs = PARK_MS - 1
      },
    ],
    [
      'has not been given an answer',
      async (world, { session, agent }) => {
        const request = askRequest({ requestId: 'untold' })
        await world.broker.raise({ sessionId: session.id, epoch: agent.start.epoch, request })
        await world.answer(await world.open(session), { kind: 'deny' })
      },
    ],
    [
      'may use a yes to an appeal',
      async (world, { session, agent }) => {
        void agent.ask({ requestId: 'appeal', appeal: { reason: 'It is not known.' } })
        await world.answer(await world.open(session), { kind: 'allow' })
        await soon(() => world.view(session)?.undelivered.size).toBe(0)
        expect(world.view(session)?.grants?.size).toBe(1)
      },
    ],
    ['has a dialog on its screen', (_, { agent }) => agent.start.emit([{ type: 'may-wait', mayWait: true }])],
    [
      'was frozen by an alarm',
      async (world, { session, agent }) => {
        void agent.ask({ requestId: 'r', tool: { name: 'Bash', input: { command: 'ls' } } }).catch(() => {})
        await world.answer(await world.open(session), { kind: 'allow' })
        await agent.start.ran({ toolUseId: 'tool-r', name: 'Bash', input: { command: 'rm' } })
        expect(world.view(session)?.session.frozen).toBe(true)
      },
    ],
  ])('F65 but not one that %s', async (_, act) => {
    const world = await parkingWorld()
    const started = await idleSession(world)
    await act(world, started)
    for (let times = 0; times < 3; times++) {
      world.time.advance(PARK_MS)
      await settle()
    }
    expect(isParked(world, started.session)).toBe(false)
    expect(started.agent.stopped()).toBeUndefined()
  })

  it('nor one of another program, of a terminal, of a kind that cannot tell, or whose conversation has no name yet', async () => {
    const world = await parkingWorld()
    const { driver } = world.synthetic
    const embedded = await idleSession(world, { embedded: driver })
    const attached = await idleSession(world, { attached: true })
    const nameless = await world.session({ prompt: 'go' })
    await soon(() => nameless.agent.messages.length).toBe(1)
    await nameless.agent.endTurn()
    const start = driver.start
    const blind = async (options: DriverStart) => {
      const { quietMs, ...run } = await start(options)
      return run
    }
    Object.assign(driver, { start: blind })
    const untold = await idleSession(world)
    world.time.advance(PARK_MS)
    await settle()
    const all = [embedded, attached, nameless, untold]
    expect(all.map(({ session }) => isParked(world, session))).toEqual([false, false, false, false])
  })

  it('is looked at again when what it did in the background is over', async () => {
    const world = await parkingWorld()
    const { session, agent } = await idleSession(world)
    agent.quietMs = undefined
    world.time.advance(PARK_MS)
    await settle()
    agent.quietMs = PARK_MS
    await park(world, session)
  })

  it('is not parked where nobody wants that', async () => {
    const world = await createCoreWorld()
    const { session } = await idleSession(world)
    world.time.advance(IDLE_MS - 1000)
    await settle()
    expect(isParked(world, session)).toBe(false)
  })

  it('is not parked when a message came while its folder was looked at', async () => {
    let release = () => {}
    let looks = 0
    const beforeTurn = () =>
      new Promise<void>((resolve) => {
        looks++
        release = resolve
      })
    const world = await parkingWorld({ beforeTurn })
    const { session, agent } = await idleSession(world)
    world.time.advance(PARK_MS)
    await soon(() => looks).toBe(1)
    const first = release
    await world.ledger.transact(session.id, (_, at) => {
      const item = { id: 'itm_01' as never, at, type: 'message', role: 'user', text: 'wait', status: 'queued' } as const
      return { events: [{ type: 'item-added', sessionId: session.id, at, item }], result: undefined }
    })
    first()
    await soon(() => looks).toBe(2)
    release()
    await soon(() => agent.messages.map(({ text }) => text)).toEqual(['wait'])
    expect([isParked(world, session), agent.stopped()]).toEqual([false, undefined])
  })
})

describe('a parked agent', () => {
  it('[I5, F65] is started again only when its last process is gone, however many messages come', async () => {
    const world = await parkingWorld()
    const { driver } = world.synthetic
    const start = driver.start
    const lasting = async (options: DriverStart) => ({ ...(await start(options)), stop: async () => {} })
    Object.assign(driver, { start: lasting })
    const { session, agent } = await parkedSession(world)
    for (const text of ['one', 'two']) await world.sessions.send(session.id, { text })
    await settle()
    expect(world.synthetic.agents.get(session.id)).toBe(agent)
    expect(world.view(session)?.queue).toHaveLength(2)
    agent.die({ reason: 'stopped' })
    const next = await woken(world, session, 2)
    await soon(() => next.messages.map(({ text }) => text)).toEqual(['one'])
    await next.endTurn()
    await soon(() => next.messages.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(agent.messages).toEqual([])
  })

  it('[I5] asks nothing, and what its old process says or asks changes nothing', async () => {
    const world = await parkingWorld()
    const { session, agent } = await parkedSession(world)
    await expect(agent.ask()).rejects.toThrow()
    await agent.start.emit([{ type: 'turn-started' }, { type: 'mode-changed', permissionMode: 'bypassPermissions' }])
    agent.die({ reason: 'agent-exited', error: { code: 'agent-exited', message: 'it went' } })
    await settle()
    expect(world.view(session)?.session).toMatchObject({ state: 'user_turn', permissionMode: 'default', openAsks: 0 })
    await world.sessions.send(session.id, { text: 'go on' })
    await woken(world, session, 2)
    await expect(agent.ask()).rejects.toThrow()
    expect(world.view(session)?.asks.size).toBe(0)
  })

  it('stays parked when its only message is cancelled before it was started', async () => {
    const world = await parkingWorld()
    const { driver } = world.synthetic
    const start = driver.start
    Object.assign(driver, {
      start: async (options: DriverStart) => ({ ...(await start(options)), stop: async () => {} }),
    })
    const { session, agent } = await parkedSession(world)
    const sent = await world.sessions.send(session.id, { text: 'never mind' })
    if (!sent.ok) expect.fail(sent.refusal)
    await world.sessions.cancelMessage(session.id, sent.value.messageId)
    agent.die({ reason: 'stopped' })
    await settle()
    expect(isParked(world, session)).toBe(true)
    expect(world.synthetic.agents.get(session.id)).toBe(agent)
  })

  it('T61 goes on with the rules of its life; one that was ended and resumed has none', async () => {
    const world = await parkingWorld()
    const { session, agent } = await idleSession(world)
    const first = agent.ask({ requestId: 'first' })
    await world.answer(await world.open(session), { kind: 'allow', remember: { scope: 'session' } })
    await first
    for (const epoch of [2, 3]) {
      await park(world, session)
      await world.sessions.send(session.id, { text: 'go on' })
      const next = await woken(world, session, epoch)
      expect(await next.ask({ requestId: `again ${epoch}` })).toMatchObject({ kind: 'allowed', via: 'rule' })
      expect(world.view(session)?.session).toMatchObject({ epoch, lifeEpoch: 1 })
      await next.endTurn()
    }
    expect(await world.store.liveSession(session.id)).toMatchObject({ rules: [{ epoch: 1 }] })
    await park(world, session)
    await world.sessions.end(session.id)
    await world.sessions.resume(session.id, { trusted: false })
    const last = await woken(world, session, 4)
    expect(world.view(session)?.rules).toEqual([])
    expect(world.view(session)?.session.lifeEpoch).toBeUndefined()
    expect(await world.store.liveSession(session.id)).toMatchObject({ rules: [] })
    void last.ask({ requestId: 'asked' })
    expect(await world.open(session)).toMatchObject({ requestId: 'asked', epoch: 4 })
  })

  it('takes another mode and model, and is started with them', async () => {
    const world = await parkingWorld()
    const { session } = await parkedSession(world, { permissionMode: 'acceptEdits' })
    expect(await world.sessions.setMode(session.id, 'plan')).toMatchObject({
      ok: true,
      value: { permissionMode: 'plan' },
    })
    expect(await world.sessions.setModel(session.id, 'm2')).toMatchObject({ ok: true, value: { model: 'm2' } })
    expect(isParked(world, session)).toBe(true)
    await world.sessions.send(session.id, { text: 'go on' })
    expect((await woken(world, session, 2)).start).toMatchObject({ permissionMode: 'plan', model: 'm2' })
  })

  it('[I4] that was set to a mode as it was parked and woken never runs in another one than the record says', async () => {
    const world = await parkingWorld()
    const { driver } = world.synthetic
    let release = () => {}
    const start = driver.start
    const slow = async (options: DriverStart) => ({
      ...(await start(options)),
      setMode: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    })
    Object.assign(driver, { start: slow })
    const { session } = await idleSession(world, { permissionMode: 'acceptEdits' })
    const set = world.sessions.setMode(session.id, 'default')
    await settle()
    await park(world, session)
    await world.sessions.send(session.id, { text: 'go on' })
    const next = await woken(world, session, 2)
    release()
    expect(await set).toMatchObject({ ok: false, refusal: 'agent_refused' })
    expect(next.start.permissionMode).toBe('acceptEdits')
    expect(world.view(session)?.session.permissionMode).toBe('acceptEdits')
  })

  it('can be interrupted, which does nothing, and ended', async () => {
    const world = await parkingWorld()
    const { session, agent } = await parkedSession(world)
    expect(await world.sessions.interrupt(session.id)).toMatchObject({ ok: true })
    expect([isParked(world, session), agent.interrupts()]).toEqual([true, 0])
    expect(await world.sessions.end(session.id)).toMatchObject({ ok: true })
    const ended = await world.store.session(session.id)
    expect(ended).toMatchObject({ state: 'dead', endReason: 'ended-by-person' })
    expect(ended?.parkedAt).toBeUndefined()
  })

  it('idles anew from when it was parked', async () => {
    const world = await parkingWorld()
    const { session } = await parkedSession(world)
    world.time.advance(IDLE_MS - 1000)
    await settle()
    expect(isParked(world, session)).toBe(true)
    world.time.advance(1000)
    await soon(() => world.view(session)).toBeUndefined()
    expect(await world.store.session(session.id)).toMatchObject({ endReason: 'idle' })
  })

  it('that cannot be looked at yet keeps its message, and is tried again', async () => {
    let fails = false
    const beforeTurn = () => (fails ? Promise.reject(new Error('the folder cannot be read')) : Promise.resolve())
    const world = await parkingWorld({ beforeTurn })
    const { session } = await parkedSession(world)
    fails = true
    await world.sessions.send(session.id, { text: 'go on' })
    await soon(() => world.warnings).toContain('agent_not_woken')
    expect([isParked(world, session), world.view(session)?.queue.length]).toEqual([true, 1])
    fails = false
    world.time.advance(10_000)
    expect((await woken(world, session, 2)).start.resume).toBe(`theirs-${session.id}`)
  })
})

describe('a gateway that dies', () => {
  async function next(world: World) {
    const after = await parkingWorld({ store: world.store, time: world.time })
    after.sessions.reattach()
    return after
  }

  it('[F1] between the parking and the end of the process leaves a parked session, which starts nothing', async () => {
    const world = await parkingWorld()
    const { session } = await parkedSession(world)
    const after = await next(world)
    await settle()
    expect(isParked(after, session)).toBe(true)
    expect(after.synthetic.agents.size).toBe(0)
    await after.sessions.send(session.id, { text: 'go on' })
    const agent = await woken(after, session, 2)
    await soon(() => agent.messages.map(({ text }) => text)).toEqual(['go on'])
  })

  it('[F1] between a message and the waking has its next one wake it', async () => {
    const world = await parkingWorld()
    const { session } = await parkedSession(world)
    await world.sessions.close()
    expect(await world.sessions.send(session.id, { text: 'go on' })).toMatchObject({ ok: true })
    expect(world.view(session)?.queue).toHaveLength(1)
    const after = await next(world)
    const agent = await woken(after, session, 2)
    await soon(() => agent.messages.map(({ text }) => text)).toEqual(['go on'])
    expect(agent.start.attach).toBeUndefined()
  })

  it('[F1] after the waking was recorded has its next one start the agent, with the rules of its life', async () => {
    const world = await parkingWorld()
    const { driver } = world.synthetic
    const start = driver.start
    const { session, agent } = await idleSession(world)
    const first = agent.ask({ requestId: 'first' })
    await world.answer(await world.open(session), { kind: 'allow', remember: { scope: 'session' } })
    await first
    await park(world, session)
    Object.assign(driver, { start: () => new Promise(() => {}) })
    await world.sessions.send(session.id, { text: 'go on' })
    await soon(() => world.view(session)?.session).toMatchObject({ state: 'starting', epoch: 2 })
    Object.assign(driver, { start })
    const after = await next(world)
    const woke = await woken(after, session, 2)
    expect(woke.start).toMatchObject({ resume: `theirs-${session.id}`, attach: { mayBeMissing: true } })
    await soon(() => woke.messages.map(({ text }) => text)).toEqual(['go on'])
    expect(await woke.ask({ requestId: 'again' })).toMatchObject({ kind: 'allowed', via: 'rule' })
  })
})

describe('a commit in doubt', () => {
  it('[F57] of a parking ends the process all the same, once it is known to be on record', async () => {
    const troubled = await createTroubledStore()
    const world = await parkingWorld({ store: troubled.store })
    const { session, agent } = await idleSession(world)
    troubled.set('doubt')
    world.time.advance(PARK_MS)
    await soon(() => world.warnings).toContain('agent_not_parked')
    expect(agent.stopped()).toBeUndefined()
    await soon(() => world.time.advance(500) ?? agent.stopped()).toBe('in time')
    expect(isParked(world, session)).toBe(true)
    await world.sessions.send(session.id, { text: 'go on' })
    await woken(world, session, 2)
  })

  it.each(['doubt', 'lost', 'flush-failed'] as const)(
    '[F57] of a waking (%s) starts the agent once, and loses no message',
    async (trouble) => {
      const troubled = await createTroubledStore()
      let arm = () => {}
      const beforeTurn = async () => arm()
      const world = await parkingWorld({ store: troubled.store, beforeTurn })
      const { session } = await parkedSession(world)
      arm = () => {
        arm = () => {}
        troubled.set(trouble)
      }
      await world.sessions.send(session.id, { text: 'go on' })
      await soon(() => world.time.advance(1000) ?? world.synthetic.agents.get(session.id)?.start.epoch).toBe(2)
      const agent = await woken(world, session, 2)
      await soon(() => agent.messages.map(({ text }) => text)).toEqual(['go on'])
      expect(world.view(session)?.session.state).toBe('assistant_turn')
    },
  )
})

it('wakes an agent of another machine there, for a message that was sent here; away, it waits', async () => {
  const shared = createMemoryCluster()
  const time = createManualClock()
  const on = (name: string) => {
    const { store, cluster } = shared.node(name)
    return { store, others: cluster, node: cluster.node, authority: cluster.authority, time }
  }
  const here = on('a')
  const a = await parkingWorld(here)
  const b = await parkingWorld(on('b'))
  const { session } = await parkedSession(a)
  await soon(() => isParked(b, session)).toBe(true)
  await b.sessions.send(session.id, { text: 'from b' })
  const agent = await woken(a, session, 2)
  await soon(() => agent.messages.map(({ text }) => text)).toEqual(['from b'])
  expect(b.synthetic.agents.size).toBe(0)
  await agent.endTurn()
  await park(a, session)
  await soon(() => isParked(b, session)).toBe(true)
  await a.sessions.close()
  await a.ledger.close()
  await b.sessions.send(session.id, { text: 'nobody there' })
  await settle()
  expect(b.view(session)?.queue).toHaveLength(1)
  const back = await parkingWorld(here)
  back.sessions.reattach()
  const again = await woken(back, session, 3)
  await soon(() => again.messages.map(({ text }) => text)).toEqual(['nobody there'])
})

it.each([0, 1])(
  'wakes for a message that comes as the one before it is found to be taken back (%i turns later)',
  async (later) => {
    let release = () => {}
    let isHeld = false
    const held = () => new Promise<void>((resolve) => (release = resolve))
    const world = await parkingWorld({ beforeTurn: () => (isHeld ? held() : Promise.resolve()) })
    const { session } = await parkedSession(world)
    isHeld = true
    const first = await world.sessions.send(session.id, { text: 'one' })
    if (!first.ok) throw new Error(first.refusal)
    await settle()
    await world.sessions.cancelMessage(session.id, first.value.messageId)
    isHeld = false
    release()
    for (let turn = 0; turn < later; turn++) await new Promise((resolve) => setImmediate(resolve))
    void world.sessions.send(session.id, { text: 'two' })
    const agent = await woken(world, session, 2)
    await soon(() => agent.messages.map(({ text }) => text)).toEqual(['two'])
  },
)

it('1,000 parked agents are no process, and a gateway that starts with them starts none', async () => {
  const world = await parkingWorld()
  const sessions: Started[] = []
  for (let n = 0; n < 1000; n++) sessions.push(await world.session())
  await expect
    .poll(() => sessions.every(({ session }) => world.view(session)?.session.state === 'user_turn'))
    .toBe(true)
  world.time.advance(PARK_MS)
  await expect.poll(() => sessions.every(({ session }) => isParked(world, session)), { timeout: 10_000 }).toBe(true)
  await soon(() => sessions.every(({ agent }) => agent.stopped() === 'in time')).toBe(true)
  const after = await parkingWorld({ store: world.store, time: world.time })
  after.sessions.reattach()
  await settle()
  expect(after.ledger.views().size).toBe(1000)
  expect(after.synthetic.agents.size).toBe(0)
})
