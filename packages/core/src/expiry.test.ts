import type { Ask } from '@holdpoint/schema/ask'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createExpiry } from './expiry.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

async function askWithLimit(askTimeoutMs?: number) {
  const world = await createCoreWorld()
  const { session, agent } = await world.session(askTimeoutMs === undefined ? {} : { askTimeoutMs })
  const outcome = agent.ask()
  outcome.catch(() => {})
  return { world, outcome, ask: await world.open(session) }
}

const expired = { ok: false, refusal: { code: 'already_settled', outcome: { kind: 'expired' } } }

it('F28 a clock set back an hour gives nobody more time', async () => {
  const { world, outcome, ask } = await askWithLimit(20_000)
  world.time.set(-HOUR_MS)
  world.time.skip(24_000)
  expect(await world.answer(ask, { kind: 'allow' })).toMatchObject(expired)
  expect(await outcome).toMatchObject({ kind: 'expired' })
})

it('F28 the limit rings though the time of day says that there is an hour left', async () => {
  const { world, outcome } = await askWithLimit(20_000)
  world.time.set(-HOUR_MS)
  world.time.advance(20_000)
  expect(await outcome).toMatchObject({ kind: 'expired' })
})

it('F28 the next look is no later than the limit, also when the time of day says that there is an hour left', () => {
  const time = createManualClock()
  const rung: string[] = []
  const expiry = createExpiry({ clock: time.clock, expire: ({ id }) => rung.push(id) })
  const ask = sampleAsk(1, { expiresAt: time.clock.now() + 40_000 })
  expiry.watch(ask)
  time.set(-HOUR_MS)
  time.advance(30_000)
  expect(rung).toEqual([])
  time.advance(10_000)
  expect(rung).toEqual([ask.id])
})

it('F28 a clock set back a day while the gateway is down gives no more time than the ask had', async () => {
  const { world: first, ask } = await askWithLimit(HOUR_MS)
  await first.sessions.close()
  await first.ledger.close()
  first.broker.close()
  const world = await createCoreWorld({ store: first.store })
  world.time.set(-DAY_MS)
  world.broker.resume()
  world.time.skip(HOUR_MS + 1000)
  expect(await world.answer(ask, { kind: 'allow' })).toMatchObject(expired)
})

it('F28 an ask that is raised again because it has changed gets no more time from a clock set back', async () => {
  const world = await createCoreWorld({ whatChanged: async () => 'The plan has changed.' })
  const { session, agent } = await world.session({ askTimeoutMs: 20_000 })
  const plan = (text: string) => ({ kind: 'plan', plan: { text } }) as const
  const outcome = agent.ask(plan('first'), undefined, () => plan('second'))
  const first = await world.open(session)
  world.time.set(-HOUR_MS)
  world.time.skip(10_000)
  expect(await world.answer(first, { kind: 'allow' })).toMatchObject({ refusal: { code: 'changed' } })
  const second = await world.open(session)
  expect(second).toMatchObject({ replaces: first.id, expiresAt: first.expiresAt })
  world.time.skip(11_000)
  // By a no, for which nothing is looked at: what is due then is the time limit alone.
  expect(await world.answer(second, { kind: 'deny' })).toMatchObject(expired)
  expect(await outcome).toMatchObject({ kind: 'expired' })
})

it('F28 whatever is done to the clock, an allow counts only within the time that really passed', async () => {
  const limit = 22_500
  const step = fc.oneof(
    fc.constantFrom(5000, 10_000).map((ms) => ({ pass: ms })),
    fc.constantFrom(-HOUR_MS, HOUR_MS, -10 * YEAR_MS, 10 * YEAR_MS, -1000, 1000).map((ms) => ({ set: ms })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, timersAreLate) => {
      const { world, ask } = await askWithLimit(limit)
      let passed = 0
      let shown = 0
      let latest = 0
      for (const one of steps) {
        if ('set' in one) {
          world.time.set(one.set)
          shown += one.set
        } else {
          passed += one.pass
          shown += one.pass
          if (timersAreLate) world.time.skip(one.pass)
          else world.time.advance(one.pass)
        }
        latest = Math.max(latest, shown)
      }
      const result = await world.answer(ask, { kind: 'allow' })
      if (passed > limit || shown > limit) expect(result).toMatchObject(expired)
      // Was it over by the time of day for a while, somebody may have looked just then, or not.
      else if (latest < limit) expect(result.ok).toBe(true)
      await world.store.close()
    }),
    { numRuns: 60 },
  )
})

it('F29 a machine that slept for eight hours finds the ask expired where it has a limit, and open where it has none', async () => {
  const limited = await askWithLimit(HOUR_MS)
  // Asleep, only the time of day goes on; timers wait as if no time had passed.
  limited.world.time.set(8 * HOUR_MS)
  expect(await limited.world.answer(limited.ask, { kind: 'allow' })).toMatchObject(expired)

  const again = await askWithLimit(HOUR_MS)
  again.world.time.set(8 * HOUR_MS)
  again.world.time.advance(30_000)
  expect(await again.outcome).toMatchObject({ kind: 'expired' })

  const unlimited = await askWithLimit()
  unlimited.world.time.set(8 * HOUR_MS)
  unlimited.world.time.advance(30_000)
  expect((await unlimited.world.answer(unlimited.ask, { kind: 'allow' })).ok).toBe(true)
  expect(await unlimited.outcome).toMatchObject({ kind: 'allowed' })
})

it('F42 holds an ask for thirty days, and lets it be answered then', async () => {
  const unlimited = await askWithLimit()
  const limited = await askWithLimit(31 * DAY_MS)
  for (const { world } of [unlimited, limited]) for (let day = 0; day < 30; day++) world.time.advance(DAY_MS)
  for (const { world, ask, outcome } of [unlimited, limited]) {
    expect(world.view({ id: ask.sessionId })?.asks.has(ask.id)).toBe(true)
    expect((await world.answer(ask, { kind: 'allow' })).ok).toBe(true)
    expect(await outcome).toMatchObject({ kind: 'allowed' })
  }
  const late = await askWithLimit(29 * DAY_MS)
  for (let day = 0; day < 30; day++) late.world.time.advance(DAY_MS)
  expect(await late.outcome).toMatchObject({ kind: 'expired' })
})

it('F28 keeps no limit of a changed ask that is never raised again, once its session has ended', () => {
  const time = createManualClock()
  const expiry = createExpiry({ clock: time.clock, expire: () => {} })
  const ask = sampleAsk(1, { expiresAt: time.clock.now() + 1000 })
  const other = sampleAsk(2, { sessionId: 'ses_other', expiresAt: ask.expiresAt })
  for (const each of [ask, other]) {
    expiry.watch(each)
    expiry.forget(each.id, true)
  }
  time.advance(2000)
  const later = time.clock.now() + 1000
  expiry.forgetSession(ask.sessionId)
  const isDue = (each: Ask) => expiry.isDue({ ...each, expiresAt: later }, time.clock.now())
  expect([isDue(ask), isDue(other)]).toEqual([false, true])
})
