import { createCoreWorld, IDLE_MS } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { expect, it } from 'vitest'

const attached = { attached: true, vendorSessionId: 'vendor-1' } as const

it('begins with the conversation that it is, and is not ended for being idle', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session(attached)
  expect(session).toMatchObject(attached)
  expect(agent.start.resume).toBe('vendor-1')
  await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
  await world.time.advance(2 * IDLE_MS)
  expect(world.view(session)?.session.state).toBe('user_turn')
})

it('is taken up again by its own kind alone', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session(attached)
  agent.die({ reason: 'ended-at-terminal' })
  await expect.poll(() => world.view(session)?.session.state).toBeUndefined()
  expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ refusal: 'not_supported' })
  expect(await world.sessions.resume(session.id, { trusted: false, attached: true })).toMatchObject({ ok: true })
  const other = await world.session()
  other.agent.die()
  await expect.poll(() => world.view(other.session)?.session.state).toBeUndefined()
  const wrong = await world.sessions.resume(other.session.id, { trusted: false, attached: true })
  expect(wrong).toMatchObject({ refusal: 'not_supported' })
})

it('[I1] is answered elsewhere once: an ask that has its outcome keeps it', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session(attached)
  const { start } = agent
  const signal = new AbortController().signal
  const waiting = start.ask(askRequest({ requestId: 'r1' }), { signal })
  await world.open(session)
  const there = { kind: 'withdrawn', via: 'terminal', reason: 'answered-elsewhere', answer: { kind: 'allow' } }
  expect(await start.answeredElsewhere('r1', { kind: 'allow' })).toMatchObject(there)
  expect(await waiting).toMatchObject(there)
  expect(await start.answeredElsewhere('r1', { kind: 'deny' })).toMatchObject(there)

  const second = start.ask(askRequest({ requestId: 'r2' }), { signal })
  await world.answer(await world.open(session), { kind: 'deny' })
  expect(await second).toMatchObject({ kind: 'denied' })
  expect(await start.answeredElsewhere('r2', { kind: 'allow' })).toMatchObject({ kind: 'denied' })
  expect(await start.answeredElsewhere('unknown', undefined)).toBeUndefined()
})

it('[T21] is compared by the request where the call had no id yet', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session(attached)
  const { toolUseId: _, ...request } = askRequest({ requestId: 'r1' })
  const waiting = agent.start.ask(request, { signal: new AbortController().signal })
  await world.answer(await world.open(session), { kind: 'allow' })
  await waiting
  const ran = { toolUseId: 'toolu_1', requestId: 'r1', name: request.tool?.name ?? '' }
  await agent.start.ran({ ...ran, input: request.tool?.input })
  expect(world.view(session)?.session.frozen).toBeUndefined()
  await agent.start.ran({ ...ran, input: { command: 'something else' } })
  expect(world.view(session)?.session.frozen).toBe(true)
})
