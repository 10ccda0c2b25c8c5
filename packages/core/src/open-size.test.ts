import { createCoreWorld } from '@holdpoint/testing/core-world'
import { expect, it } from 'vitest'

const large = (n: number) => ({
  requestId: `r${n}`,
  tool: { name: 'Write', input: { file_path: '/f', content: 'x'.repeat(1_900_000) } },
})

it('F58 refuses asks beyond 8 MB of open ones: the agent is told each time, people once until one is taken again', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  const refusals: unknown[] = []
  const raise = (n: number) => agent.ask(large(n)).catch((error: unknown) => refusals.push(error))
  for (let n = 0; n < 7; n++) void raise(n)
  await expect.poll(() => refusals.length).toBe(3)
  expect(refusals).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'too-much-open' })))
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
