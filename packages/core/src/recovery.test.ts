import { createCoreWorld, IDLE_MS } from '@holdpoint/testing/core-world'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openTestStore } from '@holdpoint/testing/test-store'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { DriverError, isDetached } from './driver.ts'
import { RecordDamaged } from './store.ts'

/** A session whose store fails as it is told. */
async function troubledSession() {
  const troubled = await createTroubledStore()
  const world = await createCoreWorld(troubled)
  return { troubled, world, ...(await world.session()) }
}

/** Whether it is over by now. */
function settled(promise: Promise<unknown>): Promise<boolean> {
  const soon = new Promise<false>((resolve) => setImmediate(() => resolve(false)))
  return Promise.race([promise.then(() => true as const), soon])
}

async function idleSession() {
  const test = await troubledSession()
  await expect.poll(() => test.world.view(test.session)?.session.state).toBe('user_turn')
  return test
}

describe('a commit in doubt: on disk, but reported as failed', () => {
  it('[F57] of a session that cannot be read any more does not hold up the others', async () => {
    const troubled = await createTroubledStore()
    let damaged: string | undefined
    const store = overrideStore(troubled.store, {
      liveSession: (id) =>
        id === damaged ? Promise.reject(new RecordDamaged('it was changed')) : troubled.store.liveSession(id),
    })
    const world = await createCoreWorld({ store })
    const { session } = await world.session()
    const other = await world.session()
    const waiting = other.agent.ask()
    const ask = await world.open(other.session)
    troubled.set('doubt')
    await expect(world.sessions.end(session.id)).rejects.toThrow()
    damaged = session.id
    expect(await world.answer(ask, { kind: 'allow' })).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'allowed' })
    await expect(world.sessions.end(session.id)).rejects.toThrow('it was changed')
  })

  it('[I4, F57] of a session that cannot be read any more ends its agent at once: nobody could see or stop it', async () => {
    const troubled = await createTroubledStore()
    let damaged: string | undefined
    const store = overrideStore(troubled.store, {
      liveSession: (id) =>
        id === damaged ? Promise.reject(new RecordDamaged('it was changed')) : troubled.store.liveSession(id),
    })
    const world = await createCoreWorld({ store })
    const other = await world.session()
    const { session, agent } = await world.session({ prompt: 'go' })
    const waiting = agent.ask()
    const ask = await world.open(session)
    troubled.set('doubt')
    damaged = session.id
    await expect(world.answer(ask, { kind: 'deny' })).rejects.toMatchObject({ code: 'io' })
    await expect.poll(() => world.time.advance(1000) ?? agent.stopped()).toBe('now')
    expect(await waiting).toMatchObject({ kind: 'denied' })
    await expect(agent.ask()).rejects.toThrow('it was changed')
    expect(world.warnings).toContain('session_lost')
    expect([other.agent.stopped(), world.view(other.session)?.session.state]).toEqual([undefined, 'user_turn'])
  })

  it('[I3] of an answer reaches the agent once the log is looked at again', async () => {
    const { troubled, world, session, agent } = await troubledSession()
    const waiting = agent.ask()
    const ask = await world.open(session)
    troubled.set('doubt')
    await expect(world.answer(ask, { kind: 'allow' }, { retryKey: 'key' })).rejects.toMatchObject({ code: 'io' })
    expect(await world.answer(ask, { kind: 'allow' }, { retryKey: 'key' })).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'allowed' })
  })

  it('[I7] is published without anybody having to try again', async () => {
    const { troubled, world, session, agent } = await troubledSession()
    void agent.ask()
    const ask = await world.open(session)
    const seqs: number[] = []
    world.ledger.subscribe((stored) => seqs.push(...stored.map(({ seq }) => seq)))
    const before = world.ledger.seq()
    troubled.set('doubt')
    await expect(world.answer(ask, { kind: 'deny' })).rejects.toMatchObject({ code: 'io' })
    world.time.advance(1000)
    await expect.poll(() => world.view(session)?.asks.size).toBe(0)
    void agent.say('and on')
    world.time.advance(1000)
    await expect.poll(() => seqs.length).toBeGreaterThan(1)
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => before + 1 + index))
  })

  it('[I4] of a raise leaves no ask behind that nobody waits for', async () => {
    const { troubled, world, session, agent } = await idleSession()
    troubled.set('doubt')
    await expect(agent.ask()).rejects.toMatchObject({ code: 'io' })
    world.time.advance(1000)
    await expect.poll(() => world.time.advance(1000) ?? world.view(session)?.asks.size).toBe(0)
  })
})

describe('a change in doubt', () => {
  it('of output that is offered again is not recorded twice', async () => {
    const { troubled, world, session, agent } = await idleSession()
    const output = [
      { type: 'item' as const, item: { type: 'message' as const, role: 'assistant' as const, text: 'once' } },
    ]
    troubled.set('doubt')
    await expect(agent.start.tryEmit(output, 7)).rejects.toMatchObject({ code: 'io' })
    await agent.start.tryEmit(output, 7)
    const { items } = await world.store.items({ sessionId: session.id, limit: 10 })
    expect(items.filter((item) => 'text' in item && item.text === 'once')).toHaveLength(1)
  })

  it.each(['doubt', 'flush-failed', 'lost'] as const)(
    'of output without a checkpoint is not recorded twice: %s',
    async (trouble) => {
      const { troubled, world, session, agent } = await idleSession()
      troubled.set(trouble)
      const said = agent.say('once')
      await expect.poll(async () => world.time.advance(1000) ?? (await settled(said))).toBe(true)
      const { items } = await world.store.items({ sessionId: session.id, limit: 10 })
      expect(items.filter((item) => 'text' in item && item.text === 'once')).toHaveLength(1)
    },
  )

  it('of a message that counts as sent still brings it to the agent, once', async () => {
    const { troubled, world, session, agent } = await idleSession()
    // The message is recorded; handing it over is what goes wrong.
    world.ledger.subscribe((stored) => {
      if (stored.some(({ event }) => event.type === 'item-added')) troubled.set('doubt')
    })
    await world.sessions.send(session.id, { text: 'hello' })
    await expect.poll(() => world.time.advance(1000) ?? agent.messages.map(({ text }) => text)).toEqual(['hello'])
  })

  it('of an end stops the agent all the same, and the session can be resumed', async () => {
    const { troubled, world, session } = await idleSession()
    troubled.set('doubt')
    await expect(world.sessions.end(session.id)).rejects.toMatchObject({ code: 'io' })
    await expect.poll(() => world.time.advance(1000) ?? world.view(session)).toBeUndefined()
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true, value: { epoch: 2 } })
  })

  it('of a start does not come to life after it was reported as failed', async () => {
    const troubled = await createTroubledStore()
    const world = await createCoreWorld(troubled)
    troubled.set('doubt')
    await expect(world.session({ prompt: 'deploy' })).rejects.toMatchObject({ code: 'io' })
    await expect
      .poll(
        async () =>
          world.time.advance(1000) ??
          (await world.store.endedSessions({ limit: 10 })).sessions.map(({ state }) => state),
      )
      .toEqual(['dead'])
    expect(world.synthetic.agents.size).toBe(0)
  })

  it('of a raise that was refused to the agent cannot be answered any more', async () => {
    const { troubled, world, agent } = await idleSession()
    troubled.set('doubt')
    await expect(agent.ask()).rejects.toMatchObject({ code: 'io' })
    await expect
      .poll(
        async () =>
          world.time.advance(1000) ??
          (await world.store.asks({ status: 'all', limit: 5 })).map(({ outcome }) => outcome?.kind),
      )
      .toEqual(['withdrawn'])
    const events = await world.store.events({ after: 0, limit: 100 })
    expect(events.map(({ event }) => event.type)).not.toContain('ask-delivered')
  })
})

describe('while the host cannot be reached', () => {
  async function unreachable() {
    const first = await createCoreWorld()
    const { session, agent } = await first.session()
    void agent.ask().catch(() => {})
    await first.open(session)
    const world = await createCoreWorld({ store: first.store })
    world.synthetic.fail(new DriverError('host-unavailable', 'no host'))
    world.sessions.reattach()
    return { world, session }
  }

  it('an orderly stop keeps sessions and asks for the next gateway', async () => {
    const { world, session } = await unreachable()
    await world.sessions.close()
    await world.ledger.close()
    expect((await world.store.session(session.id))?.state).not.toBe('dead')
    expect(await world.store.asks({ status: 'open', limit: 5 })).toHaveLength(1)
  })

  it('the thread says so, once, and the asks stay', async () => {
    const { world, session } = await unreachable()
    const texts = async () =>
      (await world.store.items({ sessionId: session.id, limit: 100 })).items.flatMap((item) =>
        item.type === 'notice' ? [item.text] : [],
      )
    await until(async () => (await texts()).length > 0, 'the notice')
    world.time.advance(5000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await texts()).toEqual(['no host'])
    expect(await world.store.asks({ status: 'open', limit: 5 })).toHaveLength(1)
  })

  it('commands say so instead of hanging, and an end counts', async () => {
    const { world, session } = await unreachable()
    expect(await world.sessions.send(session.id, { text: 'x' })).toMatchObject({ ok: true, value: { queued: 1 } })
    expect(await world.sessions.setMode(session.id, 'plan')).toMatchObject({ refusal: 'agent_refused' })
    expect(await world.sessions.end(session.id)).toMatchObject({ ok: true })
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true, value: { epoch: 2 } })
  })
})

describe('while the store cannot write', () => {
  it('[F4] an agent that goes has its asks orphaned as soon as the store is back', async () => {
    const { troubled, world, session, agent } = await troubledSession()
    const waiting = agent.ask()
    await world.open(session)
    troubled.set('full')
    agent.die()
    await expect.poll(() => world.warnings).toContain('record_waits_for_store')
    troubled.set('none')
    world.time.advance(5000)
    expect(await waiting).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
  })

  it('a withdrawal is kept and recorded later', async () => {
    const { troubled, world, session, agent } = await troubledSession()
    const cancel = new AbortController()
    const waiting = agent.ask({}, cancel.signal)
    await world.open(session)
    troubled.set('full')
    cancel.abort()
    await expect.poll(() => world.warnings).toContain('record_waits_for_store')
    troubled.set('none')
    world.time.advance(5000)
    expect(await waiting).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
  })

  it('the output of an agent is held up, and recorded once when the store is back', async () => {
    const { troubled, world, session, agent } = await idleSession()
    troubled.set('full')
    const item = { type: 'message' as const, role: 'assistant' as const, text: 'done' }
    const emitted = agent.start.emit([{ type: 'turn-started' }, { type: 'item', item }], 7)
    await expect(agent.start.tryEmit([{ type: 'item', item }])).rejects.toMatchObject({ code: 'full' })
    await expect.poll(() => world.warnings).toContain('record_waits_for_store')
    troubled.set('none')
    world.time.advance(1000)
    await emitted
    expect(world.ledger.checkpoint(session.id)).toBe(7)
    const { items } = await world.store.items({ sessionId: session.id, limit: 10 })
    expect(items).toMatchObject([{ text: 'done' }])
  })

  it('a gateway that goes down tells the driver so, and leaves the output to the next one', async () => {
    const { troubled, world, session, agent } = await idleSession()
    troubled.set('full')
    const emitted = agent.start.emit([{ type: 'turn-started' }], 7)
    const failure = emitted.catch((error: unknown) => error)
    await expect.poll(() => world.warnings).toContain('record_waits_for_store')
    await world.sessions.close()
    expect(isDetached(await failure)).toBe(true)
    expect(world.ledger.checkpoint(session.id)).toBe(0)
  })
})

describe('one session’s trouble', () => {
  it('[F51] with output that cannot be written down does not touch the others', async () => {
    const world = await createCoreWorld()
    const bad = await world.session()
    const good = await world.session()
    await expect.poll(() => world.view(good.session)?.session.state).toBe('user_turn')
    const depth = 20_000
    const input: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    const item = { type: 'tool-call' as const, toolUseId: 't', name: 'X', input }
    const failing = bad.agent.start.emit([{ type: 'item', item }], 1)
    void good.agent.ask()
    await expect(failing).rejects.toBeInstanceOf(RangeError)
    expect(await world.open(good.session)).toMatchObject({ kind: 'approval' })
  })

  it('with a message that cannot be given to its agent ends it instead of leaving it hanging', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    agent.failSends('the attachment is gone')
    expect(await world.sessions.send(session.id, { text: 'look' })).toMatchObject({ ok: true })
    await expect.poll(() => world.view(session)).toBeUndefined()
    expect(await world.store.session(session.id)).toMatchObject({
      error: { code: 'message-failed', message: expect.stringContaining('attachment') },
    })
  })

  it('of an agent that this gateway does not know ends it and keeps nobody else from starting', async () => {
    const store = await openTestStore()
    const before = await createCoreWorld({ store, agent: 'of-old' })
    const { session } = await before.session()
    const after = await createCoreWorld({ store })
    after.sessions.reattach()
    await expect.poll(() => after.view(session)).toBeUndefined()
    expect(await store.session(session.id)).toMatchObject({ state: 'dead', error: { code: 'unknown-agent' } })
  })

  it('frozen with a message in its queue is ended for idling like any other', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session({ prompt: 'go', gate: 'everything' })
    await expect.poll(() => world.view(session)?.session.state).toBe('assistant_turn')
    await world.sessions.send(session.id, { text: 'later' })
    await agent.start.ran({ toolUseId: 'x', name: 'Bash', input: {} })
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    world.time.advance(IDLE_MS + 1)
    await expect.poll(() => world.view(session)).toBeUndefined()
  })
})

describe('a new gateway', () => {
  it('does not give a resumed agent the last message of the life before', async () => {
    const first = await createCoreWorld()
    const { session, agent } = await first.session({ prompt: 'deploy' })
    await expect.poll(() => agent.messages.length).toBe(1)
    await agent.start.emit([{ type: 'identified', vendorSessionId: 'theirs' }], 40)
    await agent.start.emit([{ type: 'turn-ended' }], 50)
    agent.die()
    await expect.poll(() => first.view(session)).toBeUndefined()
    await first.sessions.resume(session.id, { trusted: false })
    await expect.poll(() => first.view(session)?.session.state).toBe('user_turn')

    const second = await createCoreWorld({ store: first.store })
    second.sessions.reattach()
    const { start } = await second.synthetic.agentOf(session.id)
    expect(start).toMatchObject({ resume: 'theirs', attach: { checkpoint: 0 } })
    expect(start.attach?.sent).toBeUndefined()
  })

  it('takes back asks that the agent cancelled, or was told about, while nobody listened', async () => {
    const first = await createCoreWorld()
    const { session, agent } = await first.session()
    for (const requestId of ['waits', 'cancelled', 'told']) void agent.ask({ requestId }).catch(() => {})
    await expect.poll(() => first.view(session)?.asks.size).toBe(3)
    const second = await createCoreWorld({ store: first.store })
    second.sessions.reattach()
    const { start } = await second.synthetic.agentOf(session.id)
    start.reattached({ open: ['waits'], answered: ['told'] })
    await expect
      .poll(() => [...(second.view(session)?.asks.values() ?? [])].map((ask) => ask.requestId))
      .toEqual(['waits'])
    const settled = await second.store.asks({ status: 'settled', limit: 10 })
    expect(Object.fromEntries(settled.map(({ ask, outcome }) => [ask.requestId, outcome?.reason]))).toEqual({
      cancelled: 'agent-cancelled',
      told: 'answered-elsewhere',
    })
  })

  it('[I5] that gets the same request twice at once gives both the outcome that a rule gave', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const first = agent.ask({ requestId: 'one' })
    await world.answer(await world.open(session), { kind: 'allow', remember: { scope: 'session' } })
    await first
    const both = await Promise.all([agent.ask({ requestId: 'two' }), agent.ask({ requestId: 'two' })])
    expect(both[0]).toEqual(both[1])
    expect(both[0]).toMatchObject({ kind: 'allowed', via: 'rule' })
  })
})
