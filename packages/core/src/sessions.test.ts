import { createCoreWorld, IDLE_MS } from '@holdpoint/testing/core-world'
import { describe, expect, it } from 'vitest'
import type { AgentDriver } from './driver.ts'

describe('a session', () => {
  it('hands messages over one turn at a time, in order', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session({ prompt: 'first' })
    await expect.poll(() => agent.messages.map((message) => message.text)).toEqual(['first'])
    expect(world.view(session)?.session.state).toBe('assistant_turn')
    expect(await world.sessions.send(session.id, { text: 'second' })).toMatchObject({ ok: true, value: { queued: 1 } })
    expect(await world.sessions.send(session.id, { text: 'third' })).toMatchObject({ ok: true, value: { queued: 2 } })
    await agent.endTurn()
    expect(agent.messages.map((message) => message.text)).toEqual(['first', 'second'])
    await agent.endTurn()
    await agent.endTurn()
    expect(agent.messages.map((message) => message.text)).toEqual(['first', 'second', 'third'])
    expect(world.view(session)?.session).toMatchObject({ state: 'user_turn', queuedMessages: 0 })
  })

  it('T34 tells its agent at any time whether the folder is trusted now', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    expect([agent.start.trusted, agent.start.isTrusted()]).toEqual([false, false])
    await world.sessions.setTrusted(session.id, true)
    expect([agent.start.trusted, agent.start.isTrusted()]).toEqual([false, true])
    await world.sessions.setTrusted(session.id, false)
    expect(agent.start.isTrusted()).toBe(false)
  })

  it('T34 hands no message over before it is certain that its folder has not changed', async () => {
    const order: string[] = []
    let release = () => {}
    const beforeTurn = async () => {
      order.push('checked')
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    const world = await createCoreWorld({ beforeTurn })
    const { session, agent } = await world.session({ trusted: true, prompt: 'first' })
    await expect.poll(() => order).toEqual(['checked'])
    expect([agent.messages, world.view(session)?.session.queuedMessages]).toEqual([[], 1])
    release()
    await expect.poll(() => agent.messages.map(({ text }) => text)).toEqual(['first'])
  })

  it('T34 that ends while its folder is checked keeps its message for its next life', async () => {
    let checks = 0
    const beforeTurn = () => (checks++ === 0 ? new Promise<void>(() => {}) : Promise.resolve())
    const world = await createCoreWorld({ beforeTurn })
    const { session, agent } = await world.session({ trusted: true, prompt: 'first' })
    await expect.poll(() => checks).toBe(1)
    expect(await world.sessions.end(session.id, { epoch: 2, notice: 'no' })).toMatchObject({ refusal: 'session_ended' })
    expect(await world.sessions.end(session.id, { epoch: 1, notice: 'it has changed' })).toMatchObject({ ok: true })
    expect(await world.store.session(session.id)).toMatchObject({ endReason: 'trust-lost' })
    expect(await world.sessions.resume(session.id, { trusted: false, unattended: true })).toMatchObject({ ok: true })
    await expect.poll(() => world.synthetic.agents.get(session.id)?.messages.map(({ text }) => text)).toEqual(['first'])
    expect(agent.messages).toEqual([])
  })

  it('T34 that a person ends while it is restarted for lost trust stays ended', async () => {
    const world = await createCoreWorld()
    const { driver } = world.synthetic
    const begin = driver.start
    let kill = () => {}
    const isKilled = new Promise<void>((resolve) => {
      kill = resolve
    })
    const start: AgentDriver['start'] = async (options) => {
      const run = await begin(options)
      return { ...run, stop: (how) => isKilled.then(() => run.stop(how)) }
    }
    Object.assign(driver, { start })
    const { session } = await world.session({ trusted: true })
    const restart = world.sessions
      .end(session.id, { epoch: 1, notice: 'it has changed' })
      .then(() => world.sessions.resume(session.id, { trusted: false, unattended: true }))
    await expect.poll(() => world.view(session)).toBeUndefined()
    const ending = world.sessions.end(session.id)
    await expect.poll(async () => (await world.store.session(session.id))?.endReason).toBe('ended-by-person')
    kill()
    expect(await ending).toMatchObject({ ok: true })
    expect(await restart).toMatchObject({ refusal: 'session_ended' })
    expect(await world.sessions.end(session.id)).toMatchObject({ refusal: 'session_ended' })
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ value: { epoch: 2 } })
  })

  it('T34 restarted for lost trust before it told what came of a yes says so in the thread', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session({ trusted: true })
    const waiting = agent.ask({ title: 'Bash: deploy' })
    await world.answer(await world.open(session), { kind: 'allow' })
    await waiting
    await world.sessions.end(session.id, { epoch: 1, notice: 'it has changed' })
    const { items } = await world.store.items({ sessionId: session.id, limit: 100 })
    expect(items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))).toEqual([
      'it has changed',
      expect.stringContaining('allowed, Bash: deploy. It may have run in part, or not at all.'),
    ])
  })

  it('T34 that is ended while its agent is being started has no agent, and ends for its own reason', async () => {
    const world = await createCoreWorld()
    let load = () => {}
    const isLoaded = new Promise<void>((resolve) => {
      load = resolve
    })
    const spawned: number[] = []
    const start: AgentDriver['start'] = async ({ epoch, stopping }) => {
      await isLoaded
      stopping.throwIfAborted()
      spawned.push(epoch)
      return { stop: async () => {}, detach: async () => {}, done: new Promise(() => {}) }
    }
    Object.assign(world.synthetic.driver, { start })
    const options = { permissionMode: 'default', gate: 'default', onTimeout: 'deny', trusted: true } as const
    const started = await world.sessions.start({ agent: 'synthetic', cwd: '/somewhere', ...options })
    if (!started.ok) expect.fail(started.refusal)
    const { id } = started.value
    const ended = world.sessions.end(id)
    await expect.poll(() => world.view({ id })).toBeUndefined()
    load()
    expect(await ended).toMatchObject({ ok: true })
    expect(await world.sessions.resume(id, { trusted: false })).toMatchObject({ ok: true })
    await expect.poll(() => spawned).toEqual([2])
    const events = (await world.store.events({ after: 0, limit: 100 })).map(({ event }) => event)
    expect(events.flatMap((event) => (event.type === 'session-ended' ? [event.reason] : []))).toEqual([
      'ended-by-person',
    ])
    expect(world.warnings).toEqual([])
  })

  it('is interrupted between turns, too: its agents may be at work in the background', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    expect(await world.sessions.interrupt(session.id)).toMatchObject({ ok: true })
    expect(agent.interrupts()).toBe(1)
  })

  it('without a title or a prompt is called by the last part of its folder', async () => {
    const world = await createCoreWorld()
    expect((await world.session({ cwd: '/home/ann/payments' })).session.title).toBe('payments')
    expect((await world.session({ cwd: '/' })).session.title).toBe('/')
  })

  it('that idles in the user’s turn is ended, but never one that waits for a person', async () => {
    const world = await createCoreWorld()
    const idle = await world.session()
    const asking = await world.session()
    await expect.poll(() => world.view(idle.session)?.session.state).toBe('user_turn')
    await expect.poll(() => world.view(asking.session)?.session.state).toBe('user_turn')
    void asking.agent.ask()
    await world.open(asking.session)
    world.time.advance(IDLE_MS)
    await expect.poll(() => world.view(idle.session)).toBeUndefined()
    expect(await world.store.session(idle.session.id)).toMatchObject({ state: 'dead', endReason: 'idle' })
    expect(world.view(asking.session)?.asks.size).toBe(1)
  })

  it('that has idled long enough is not ended while a message is on its way to its agent', async () => {
    let checks = 0
    let release = () => {}
    const beforeTurn = () => {
      checks++
      return new Promise<void>((resolve) => {
        release = resolve
      })
    }
    const world = await createCoreWorld({ beforeTurn })
    const { session, agent } = await world.session()
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    const sent = world.sessions.send(session.id, { text: 'do this' })
    await expect.poll(() => checks).toBe(1)
    world.time.advance(IDLE_MS)
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await sent
    await expect.poll(() => agent.messages.map(({ text }) => text)).toEqual(['do this'])
  })

  it('whose last message is cancelled after it has idled long enough is ended then', async () => {
    const world = await createCoreWorld({ beforeTurn: () => Promise.reject(new Error('the folder cannot be read')) })
    const { session } = await world.session()
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    const sent = await world.sessions.send(session.id, { text: 'do this' })
    if (!sent.ok) expect.fail(sent.refusal)
    world.time.advance(IDLE_MS)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await world.sessions.cancelMessage(session.id, sent.value.messageId)).toMatchObject({ ok: true })
    await expect.poll(() => world.view(session)).toBeUndefined()
    expect(await world.store.session(session.id)).toMatchObject({ endReason: 'idle' })
  })

  it('that works is never ended for idling', async () => {
    const world = await createCoreWorld()
    const { session } = await world.session({ prompt: 'work' })
    await expect.poll(() => world.view(session)?.session.state).toBe('assistant_turn')
    world.time.advance(10 * IDLE_MS)
    await new Promise((resolve) => setImmediate(resolve))
    expect(world.view(session)?.session.state).toBe('assistant_turn')
  })

  it('whose agent goes has its asks withdrawn as orphaned', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const waiting = agent.ask()
    await world.open(session)
    agent.die({ reason: 'agent-exited', error: { code: 'agent-exited', message: 'it went' } })
    expect(await waiting).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
    expect(await world.store.session(session.id)).toMatchObject({ state: 'dead', error: { message: 'it went' } })
  })

  it('whose agent goes before it told what came of a yes says so in the thread', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    for (const name of ['told', 'lost', 'denied']) {
      const waiting = agent.ask({ requestId: name, toolUseId: name, title: `Bash: ${name}` })
      await world.answer(await world.open(session), { kind: name === 'denied' ? 'deny' : 'allow' })
      await waiting
    }
    await agent.start.emit([
      { type: 'item', item: { type: 'tool-result', toolUseId: 'told', text: '', isError: false } },
    ])
    agent.die({ reason: 'agent-exited', error: { code: 'agent-exited', message: 'it went' } })
    await expect.poll(() => world.view(session)).toBeUndefined()
    const { items } = await world.store.items({ sessionId: session.id, limit: 100 })
    const notices = items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    expect(notices).toEqual([
      'The agent ended before it reported the result of this answer: allowed, Bash: lost. It may have run in part, or not at all.',
    ])
  })

  it('resumed goes on as the same session with the next epoch; one that runs is not resumed', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    await agent.start.emit([{ type: 'identified', vendorSessionId: 'theirs' }])
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ refusal: 'session_alive' })
    agent.die()
    await expect.poll(() => world.view(session)).toBeUndefined()
    expect(await world.sessions.resume(session.id, { trusted: true })).toMatchObject({
      value: { id: session.id, epoch: 2, trusted: true },
    })
    expect(world.synthetic.agents.get(session.id)?.start).toMatchObject({ epoch: 2, resume: 'theirs' })
  })
})

describe('[T21, T39, T40] what ran is compared with what was allowed', () => {
  const ran = (input: unknown, toolUseId = 'tool-r') => ({ toolUseId, name: 'Bash', input })

  it('and the same is fine', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const waiting = agent.ask({ requestId: 'r', tool: { name: 'Bash', input: { command: 'ls', timeout: 1 } } })
    await world.answer(await world.open(session), { kind: 'allow' })
    await waiting
    await agent.start.ran(ran({ timeout: 1, command: 'ls' }))
    expect(world.view(session)?.session.frozen).toBeUndefined()
  })

  it.each([
    ['another input', { kind: 'allow' } as const, { command: 'rm' }, 'ran-changed'],
    [
      'not what the person made of it',
      { kind: 'allow', updatedInput: { command: 'pwd' } } as const,
      { command: 'ls' },
      'ran-changed',
    ],
    ['after a denial', { kind: 'deny' } as const, { command: 'ls' }, 'ran-after-deny'],
  ])('and %s is an alarm that freezes the session', async (_, answer, input, code) => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session({ prompt: 'go' })
    const waiting = agent.ask({ requestId: 'r', tool: { name: 'Bash', input: { command: 'ls' } } })
    await world.answer(await world.open(session), answer)
    await waiting
    const other = agent.ask({ requestId: 'other' })
    await world.open(session)

    await agent.start.ran(ran(input))
    expect(world.view(session)?.session.frozen).toBe(true)
    expect(await other).toMatchObject({ kind: 'withdrawn', reason: 'interrupted' })
    await expect.poll(agent.interrupts).toBe(1)
    const events = await world.store.events({ after: 0, limit: 1000 })
    expect(events.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'alarm', code, ran: input }),
    )
    // Nothing in it is allowed any more.
    await expect(agent.ask({ requestId: 'next' })).rejects.toMatchObject({ code: 'session_frozen' })
    expect(await world.sessions.send(session.id, { text: 'go on' })).toMatchObject({ refusal: 'session_frozen' })
    // T34 no restart without a person lifts it.
    await world.sessions.end(session.id, { epoch: 1, notice: 'it has changed' })
    const again = { trusted: false, unattended: true } as const
    expect(await world.sessions.resume(session.id, again)).toMatchObject({ refusal: 'session_frozen' })
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true })
  })

  it('and is one also where the agent cannot be interrupted, which is told', async () => {
    const world = await createCoreWorld()
    const { driver } = world.synthetic
    const interrupt = () => Promise.reject(new Error('the store is closed'))
    const embedded: AgentDriver = {
      ...driver,
      start: async (start) => ({ ...(await driver.start(start)), interrupt }),
    }
    const { session, agent } = await world.session({ gate: 'everything', embedded })
    await agent.start.ran(ran({ command: 'ls' }, 'unknown'))
    expect(world.view(session)?.session.frozen).toBe(true)
    await expect.poll(() => world.warnings).toContain('agent_not_interrupted')
  })

  it('and a call that nobody was asked about is one where everything has to ask', async () => {
    const world = await createCoreWorld()
    const strict = await world.session({ gate: 'everything' })
    const normal = await world.session()
    await strict.agent.start.ran(ran({ command: 'ls' }, 'unknown'))
    await normal.agent.start.ran(ran({ command: 'ls' }, 'unknown'))
    expect(world.view(strict.session)?.session.frozen).toBe(true)
    expect(world.view(normal.session)?.session.frozen).toBeUndefined()
  })
})
