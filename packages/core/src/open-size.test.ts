import type { Session } from '@holdpoint/schema/session'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { expect, it } from 'vitest'

const large = (n: number) => ({
  requestId: `r${n}`,
  tool: { name: 'Write', input: { file_path: '/f', content: 'x'.repeat(1_900_000) } },
})

it('F58 refuses asks beyond 8 million characters of open ones: the agent is told each time, people once until one is taken again', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  const refusals: unknown[] = []
  const raise = (n: number) => agent.ask(large(n)).catch((error: unknown) => refusals.push(error))
  for (let n = 0; n < 7; n++) void raise(n)
  await expect.poll(() => refusals.length).toBe(3)
  expect(refusals).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'too_much_open' })))
  expect(String(refusals[0])).toContain('wait until some of it is answered')
  expect(world.view(session)?.asks.size).toBe(4)
  const notices = async () => {
    world.time.advance(1000)
    const { items } = await world.store.items({ sessionId: session.id, limit: 100 })
    return items.filter((item) => item.type === 'notice').length
  }
  await expect.poll(notices).toBe(1)

  // Room again, and full again.
  await world.answer(await world.open(session), { kind: 'deny' })
  void raise(8)
  await expect.poll(() => world.view(session)?.asks.size).toBe(4)
  void raise(9)
  await expect.poll(() => refusals.length).toBe(4)
  await expect.poll(notices).toBe(2)
})

it('F58 has room for an ask that takes the place of an open one: the call behind it was let in already', async () => {
  const world = await createCoreWorld()
  const { session } = await world.session()
  const raise = (letter: string) => {
    const request = askRequest({ requestId: 'plan', kind: 'plan', plan: { text: letter.repeat(5_000_000) } })
    return world.broker.raise({ sessionId: session.id, epoch: 1, request })
  }
  expect(await raise('a')).toMatchObject({ ok: true })
  expect(await raise('b')).toMatchObject({ ok: true })
  expect(world.view(session)?.asks.size).toBe(1)
})

it('F58 refuses asks beyond 64 million characters of open ones in all sessions together, also when they come at the same moment', async () => {
  const world = await createCoreWorld()
  const started: { session: Session }[] = []
  for (let n = 0; n < 10; n++) started.push(await world.session())
  const open = () => started.flatMap(({ session }) => [...(world.view(session)?.asks.values() ?? [])])
  const raise = async (from: { session: Session }, n: number, { broker } = world) => {
    const request = askRequest(large(n))
    const raised = await broker.raise({ sessionId: from.session.id, epoch: 1, request })
    return raised.ok ? 'taken' : raised.refusal
  }
  // Four of each session fit beside each other; of all forty 33 do.
  const results = await Promise.all(started.flatMap((from) => [0, 1, 2, 3].map((n) => raise(from, n))))
  expect(results.filter((result) => result === 'taken')).toHaveLength(33)
  expect(results.filter((result) => result === 'too_much_open')).toHaveLength(7)
  expect(open()).toHaveLength(33)

  // Room again, and full again.
  const [first] = open()
  const last = started.at(-1)
  if (!first || !last) throw new Error('nothing is open')
  expect(await raise(last, 4)).toBe('too_much_open')
  await world.answer(first, { kind: 'deny' })
  expect(await raise(last, 5)).toBe('taken')
  expect(await raise(last, 6)).toBe('too_much_open')

  // A gateway that is started again counts what it finds open.
  const restarted = await createCoreWorld({ store: world.store })
  restarted.broker.resume()
  expect(await raise(last, 7, restarted)).toBe('too_much_open')
})

it('F58 gives programs room of their own: however much they raise, agents can still ask', async () => {
  const world = await createCoreWorld()
  const started: { session: Session }[] = []
  for (let n = 0; n < 3; n++) started.push(await world.session())
  const raise = async (
    { session }: { session: Session },
    n: number,
    raisedBy?: { id: `dev_${string}`; name: string },
  ) => {
    const call = { sessionId: session.id, epoch: 1, request: askRequest(large(n)), ...(raisedBy && { raisedBy }) }
    const raised = await world.broker.raise(call)
    return raised.ok ? 'taken' : raised.refusal
  }
  // Four fit in a session, and eight in all. Each is raised by another program: none raises too fast.
  const programs = [0, 1, 2, 3, 4].map((n) => ({ id: `dev_ci${n}`, name: 'CI' }) as const)
  const results = await Promise.all(started.flatMap((from) => programs.map((program, n) => raise(from, n, program))))
  expect(results.filter((result) => result === 'taken')).toHaveLength(8)
  expect(results.filter((result) => result === 'too_much_open')).toHaveLength(7)
  for (const from of started) expect(await raise(from, 9)).toBe('taken')
})

it('F58 keeps no ask in memory once it is settled, fetched or not, after a restart neither', async () => {
  const world = await createCoreWorld()
  // Its agent works: one that has nothing to do is ended while the time goes by.
  const { session } = await world.session({ prompt: 'go' })
  const raisedBy = { id: 'dev_00000000000000000000000001', name: 'CI' } as const
  for (let n = 0; n < 5; n++) {
    const call = { sessionId: session.id, epoch: 1, request: askRequest(large(n)), raisedBy }
    const raised = await world.broker.raise(call)
    if (!raised.ok) throw new Error(raised.refusal)
    // Until as much may be raised again.
    world.time.skip(60_000)
    expect(await world.answer(raised.ask, { kind: 'deny' })).toMatchObject({ ok: true })
    // Whoever comes late, or asks the same again, is told what was recorded.
    expect(await world.answer(raised.ask, { kind: 'allow' })).toMatchObject({ refusal: { code: 'already_settled' } })
    expect(await world.broker.raise(call)).toMatchObject({
      ok: true,
      ask: { id: raised.ask.id },
      outcome: { kind: 'denied' },
    })
  }
  const restarted = await createCoreWorld({ store: world.store })
  for (const { ledger } of [world, restarted]) {
    const undelivered = [...(ledger.views().get(session.id)?.undelivered ?? [])]
    expect(undelivered.map(([, { requestId, kind }]) => [requestId, kind])).toEqual(
      [0, 1, 2, 3, 4].map((n) => [`r${n}`, 'denied']),
    )
    expect(JSON.stringify(undelivered).length).toBeLessThan(1000)
  }
})
