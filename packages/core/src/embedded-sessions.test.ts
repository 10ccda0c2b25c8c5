import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest, createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import { openTestStore } from '@holdpoint/testing/test-store'
import { expect, it } from 'vitest'
import type { AgentDriver } from './driver.ts'

/** An agent that runs in somebody's program: nobody else can write to it, or stop what it does. */
async function embeddedSession(world: Awaited<ReturnType<typeof createCoreWorld>>) {
  const { driver, agentOf } = createSyntheticDriver()
  const embedded: AgentDriver = {
    ...driver,
    async start(start) {
      const { send: _send, interrupt: _interrupt, ...run } = await driver.start(start)
      return run
    },
  }
  const started = await world.sessions.start({
    agent: 'somebody',
    cwd: '/somewhere',
    permissionMode: 'default',
    gate: 'default',
    onTimeout: 'deny',
    trusted: false,
    embedded,
  })
  if (!started.ok) throw new Error(started.refusal)
  return { session: started.value, agent: await agentOf(started.value.id), embedded }
}

it('takes an agent that no driver is registered for, and says that it is embedded', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await embeddedSession(world)
  expect(session).toMatchObject({ agent: 'somebody', embedded: true })
  const waiting = agent.ask()
  await world.answer(await world.open(session), { kind: 'allow' })
  expect(await waiting).toMatchObject({ kind: 'allowed' })
})

it('refuses a message at once instead of queueing it for ever', async () => {
  const world = await createCoreWorld()
  const { session } = await embeddedSession(world)
  expect(await world.sessions.send(session.id, { text: 'hello' })).toMatchObject({
    ok: false,
    refusal: 'not_supported',
    message: expect.stringContaining('another program'),
  })
  expect(world.view(session)?.queue).toEqual([])
})

it('leaves the asks open where the agent cannot be interrupted', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await embeddedSession(world)
  const waiting = agent.ask()
  const ask = await world.open(session)
  expect(await world.sessions.interrupt(session.id)).toMatchObject({ ok: false, refusal: 'not_supported' })
  await world.answer(ask, { kind: 'allow' })
  expect(await waiting).toMatchObject({ kind: 'allowed' })
})

it('is at work when the agent says so, and idle when it says that', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await embeddedSession(world)
  await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
  await agent.start.emit([{ type: 'turn-started' }])
  expect(world.view(session)?.session.state).toBe('assistant_turn')
  const seq = world.ledger.seq()
  await agent.start.emit([{ type: 'turn-started' }])
  expect(world.ledger.seq()).toBe(seq)
  await agent.endTurn()
  expect(world.view(session)?.session.state).toBe('user_turn')
})

it('[I5] is over in the next gateway, whichever agents that one has, and its asks are orphaned', async () => {
  const store = await openTestStore()
  const before = await createCoreWorld({ store })
  const { session, agent } = await embeddedSession(before)
  agent.ask().catch(() => {})
  const ask = await before.open(session)
  await before.ledger.close()

  const after = await createCoreWorld({ store, agent: 'somebody' })
  after.sessions.reattach()
  await expect.poll(() => after.view(session)).toBeUndefined()
  expect(await store.session(session.id)).toMatchObject({ endReason: 'agent-gone', error: { code: 'agent-gone' } })
  expect(await store.ask(ask.id)).toMatchObject({ outcome: { kind: 'withdrawn', reason: 'orphaned' } })
  expect(after.synthetic.agents.size).toBe(0)
})

it('is taken up again by its program alone', async () => {
  const world = await createCoreWorld()
  const { session, embedded } = await embeddedSession(world)
  await world.sessions.end(session.id)
  expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ refusal: 'not_supported' })
  expect(await world.sessions.resume(session.id, { trusted: false, embedded })).toMatchObject({
    ok: true,
    value: { id: session.id, epoch: 2 },
  })
  const hosted = await world.session()
  await world.sessions.end(hosted.session.id)
  expect(await world.sessions.resume(hosted.session.id, { trusted: false, embedded })).toMatchObject({
    refusal: 'not_supported',
  })
})

it('[I1, I5] keeps an answer that did not reach the agent, and never gives it to the next life of it', async () => {
  const store = await openTestStore()
  const before = await createCoreWorld({ store })
  const { session, agent } = await embeddedSession(before)
  const request = askRequest({ requestId: 'the-same' })
  const waiting = agent.start.ask(request, { signal: new AbortController().signal })
  const ask = await before.open(session)
  await before.answer(ask, { kind: 'allow' })
  await waiting
  await before.ledger.close()

  const after = await createCoreWorld({ store })
  after.sessions.reattach()
  await expect.poll(() => after.view(session)).toBeUndefined()
  expect(await store.ask(ask.id)).toMatchObject({ outcome: { kind: 'allowed' }, delivered: false })
  const { driver, agentOf } = createSyntheticDriver()
  expect(await after.sessions.resume(session.id, { trusted: false, embedded: driver })).toMatchObject({ ok: true })
  const again = (await agentOf(session.id)).start.ask(request, { signal: new AbortController().signal })
  const second = await after.open(session)
  expect(second.id).not.toBe(ask.id)
  await after.answer(second, { kind: 'deny' })
  expect(await again).toMatchObject({ kind: 'denied' })
})
