import { createCoreWorld } from '@holdpoint/testing/core-world'
import { LONG, report } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ASKS_AT_ONCE, ASKS_PER_SECOND, createAskRate } from './ask-rate.ts'
import { MAX_OPEN_ASKS } from './broker.ts'

it('F35 lets no session ask more than two hundred times at once and sixty times a second, and each by itself', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2000 }), { maxLength: 60 }), (pauses) => {
      let at = 0
      const rate = createAskRate({ monotonic: () => at })
      let taken = 0
      for (const pause of [0, ...pauses]) {
        at += pause
        while (rate.take('ses_flood')) taken++
        expect(taken).toBeLessThanOrEqual(ASKS_AT_ONCE + (at / 1000) * ASKS_PER_SECOND)
        expect(rate.take('ses_flood')).toBe(false)
      }
      expect(taken).toBeGreaterThanOrEqual(ASKS_AT_ONCE)
      expect(rate.take('ses_calm')).toBe(true)
    }),
  )
})

it('F35 refuses an agent that asks in a loop, tells it so, and tells people once', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  const calm = await world.session()
  const wanted = LONG ? 10_000 : 1000
  const codes = new Map<string, number>()
  const messages = new Set<string>()
  for (let n = 0; n < wanted; n++) {
    agent.ask({ requestId: `r${n}` }).catch(({ code, message }: { code: string; message: string }) => {
      codes.set(code, (codes.get(code) ?? 0) + 1)
      messages.add(message)
    })
  }
  await expect
    .poll(() => [...codes.values()].reduce((sum, count) => sum + count, 0), { timeout: 50_000 })
    .toBe(wanted - MAX_OPEN_ASKS)
  // Those of the first two hundred that found a place wait; the others are refused for the one reason or the other.
  expect(codes.get('too-many-open')).toBeGreaterThanOrEqual(ASKS_AT_ONCE - MAX_OPEN_ASKS)
  expect(codes.get('too-fast')).toBeGreaterThan(wanted / 2)
  const notices = async () => {
    const { items } = await world.store.items({ sessionId: session.id, limit: 1000 })
    return items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
  }
  await expect.poll(notices).toEqual([expect.stringContaining('asks faster than anybody can answer')])
  expect([...messages]).toContainEqual(expect.stringContaining('stop and think'))

  // A request that is on record is no new one, however often it is delivered.
  const first = await world.open(session)
  for (let n = 0; n < 5; n++) {
    const raised = await world.broker.raise({ sessionId: session.id, epoch: session.epoch, request: first })
    expect(raised).toMatchObject({ ok: true, ask: { id: first.id } })
  }
  // Another session is not held up by this one.
  void calm.agent.ask({ requestId: 'mine' })
  await world.open(calm.session)
  report(`F35: ${wanted} asks, ${codes.get('too-fast')} refused for their rate`)
})
