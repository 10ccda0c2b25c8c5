import { createCoreWorld } from '@holdpoint/testing/core-world'
import { LONG, report } from '@holdpoint/testing/long'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ASKS_AT_ONCE, ASKS_PER_SECOND, createAskRate, RAISED_CHARACTERS } from './ask-rate.ts'
import { MAX_OPEN_ASKS } from './open-room.ts'

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

it('F35 saves nothing up: after an hour of silence a session may ask two hundred times at once, and no more', () => {
  let at = 0
  const rate = createAskRate({ monotonic: () => at })
  const takenAtOnce = () => {
    let taken = 0
    while (taken < 10 * ASKS_AT_ONCE && rate.take('ses_calm')) taken++
    return taken
  }
  expect(takenAtOnce()).toBe(ASKS_AT_ONCE)
  at += 3_600_000
  expect(takenAtOnce()).toBe(ASKS_AT_ONCE)
})

it('says how long somebody has to wait', () => {
  let at = 0
  const rate = createAskRate({ monotonic: () => at }, { atOnce: 2, perSecond: 0.5 })
  expect(rate.waitMs('dev_one')).toBe(0)
  while (rate.take('dev_one'));
  expect(rate.waitMs('dev_one')).toBe(2000)
  at += 500
  expect([rate.waitMs('dev_one'), rate.waitMs('dev_other')]).toEqual([1500, 0])
  at += 1500
  expect([rate.waitMs('dev_one'), rate.take('dev_one')]).toEqual([0, true])
})

it('F35 forgets a session that has ended: its next life may ask two hundred times at once again', async () => {
  const world = await createCoreWorld()
  const { session } = await world.session()
  const flood = async (count: number, epoch: number) => {
    const asks = Array.from({ length: count }, (_, n) => askRequest({ requestId: `r${n}` }))
    const raised = asks.map((request) => world.broker.raise({ sessionId: session.id, epoch, request }))
    return (await Promise.all(raised)).filter((result) => !result.ok && result.refusal === 'too_fast').length
  }
  expect(await flood(3 * ASKS_AT_ONCE, 1)).toBeGreaterThan(0)
  await world.sessions.end(session.id)
  expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true, value: { epoch: 2 } })
  expect(await flood(ASKS_AT_ONCE, 2)).toBe(0)
})

it('F35 counts what takes the place of a changed one, too: each is a new card and a new row of the record', async () => {
  const world = await createCoreWorld()
  const { session } = await world.session()
  const raise = (n: number) => {
    const request = askRequest({ requestId: 'plan', kind: 'plan', plan: { text: `Version ${n}` } })
    return world.broker.raise({ sessionId: session.id, epoch: 1, request })
  }
  let last = await raise(0)
  for (let n = 1; last.ok && n < 3 * ASKS_AT_ONCE; n++) last = await raise(n)
  expect(last).toEqual({ ok: false, refusal: 'too_fast' })
  // Its agent was told no: nobody waits behind the card of the version before.
  expect(world.view(session)?.asks.size).toBe(0)
})

it('F35 counts what programs raise apart: a flood of theirs keeps no agent from asking', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  const raisedBy = { id: 'dev_ci', name: 'CI' } as const
  const raise = async (n: number) => {
    const request = askRequest({ requestId: `raised${n}` })
    const raised = await world.broker.raise({ sessionId: session.id, epoch: 1, request, raisedBy })
    if (raised.ok) await world.broker.withdraw(raised.ask.id, 'agent-cancelled')
    return raised.ok ? 'taken' : raised.refusal
  }
  let last = ''
  for (let n = 0; last !== 'too_fast' && n < 3 * ASKS_AT_ONCE; n++) last = await raise(n)
  expect(last).toBe('too_fast')
  void agent.ask({ requestId: 'mine' })
  expect(await world.open(session)).toMatchObject({ requestId: 'mine' })
})

it('F35 I10 limits the characters that one program raises, also of asks that it withdraws, and no other program', async () => {
  const world = await createCoreWorld()
  const [first, second] = [await world.session(), await world.session()]
  const content = 'x'.repeat(1_900_000)
  let raised = 0
  const raise = async ({ session }: typeof first, raisedBy: { id: 'dev_ci' | 'dev_other'; name: string }) => {
    const request = askRequest({ requestId: `r${raised++}`, tool: { name: 'Write', input: { content } } })
    const result = await world.broker.raise({ sessionId: session.id, epoch: 1, request, raisedBy })
    if (result.ok) await world.broker.withdraw(result.ask.id, 'agent-cancelled')
    return result.ok ? 'taken' : result.refusal
  }
  const ci = { id: 'dev_ci', name: 'CI' } as const
  for (let n = 0; n < 4; n++) expect(await raise(first, ci)).toBe('taken')
  expect(await raise(first, ci)).toBe('too_fast')
  // In all sessions together.
  expect(await raise(second, ci)).toBe('too_fast')
  expect(await raise(first, { id: 'dev_other', name: 'Other' })).toBe('taken')
  first.agent.ask({ requestId: 'mine', tool: { name: 'Write', input: { content } } }).catch(() => {})
  expect(await world.open(first.session)).toMatchObject({ requestId: 'mine' })
  // Enough for one of them, not for two.
  world.time.skip((2_000_000 / RAISED_CHARACTERS.perSecond) * 1000)
  expect([await raise(first, ci), await raise(first, ci)]).toEqual(['taken', 'too_fast'])
})

it('F35 tells people once a minute, in the session, that asks of a program are refused for their rate', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  // Otherwise it would end: nothing happens in it for a minute.
  agent.ask({ requestId: 'mine' }).catch(() => {})
  let count = 0
  const raise = async (length: number) => {
    const tool = { name: 'Write', input: { content: 'x'.repeat(length) } }
    const request = askRequest({ requestId: `r${count++}`, tool })
    const raisedBy = { id: 'dev_ci', name: 'CI' } as const
    const raised = await world.broker.raise({ sessionId: session.id, epoch: 1, request, raisedBy })
    if (raised.ok) await world.broker.withdraw(raised.ask.id, 'agent-cancelled')
    return raised.ok ? 'taken' : raised.refusal
  }
  const raiseMany = async (length: number) => {
    let last = 'taken'
    while (last === 'taken') last = await raise(length)
    expect(last).toBe('too_fast')
  }
  const notices = async () => {
    const { items } = await world.store.items({ sessionId: session.id, limit: 1000 })
    return items.filter((item) => item.type === 'notice' && item.text.includes('A program raises asks too fast'))
  }
  for (let n = 0; n < 2; n++) await raiseMany(1_900_000)
  expect(await notices()).toHaveLength(1)
  world.time.skip(50_000)
  await raiseMany(1_900_000)
  expect(await notices()).toHaveLength(1)
  world.time.skip(10_000)
  // For their count as for their size.
  for (let n = 0; n < 2; n++) await raiseMany(1)
  expect(await notices()).toHaveLength(2)
})

it('F35 refuses an agent that asks in a loop, tells it so each time, and people once a minute', async () => {
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
  expect(codes.get('too_many_open')).toBeGreaterThanOrEqual(ASKS_AT_ONCE - MAX_OPEN_ASKS)
  expect(codes.get('too_fast')).toBeGreaterThan(wanted / 2)
  const notices = async () => {
    const { items } = await world.store.items({ sessionId: session.id, limit: 1000 })
    const texts = items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    return texts.filter((text) => text.includes('asks too fast'))
  }
  await expect.poll(notices).toHaveLength(1)
  expect([...messages]).toContainEqual(expect.stringContaining('stop and think'))
  // A minute later it still asks in a loop: what it may ask again by then is used up by itself.
  world.time.skip(60_000)
  for (let n = 0; n < 2 * ASKS_AT_ONCE; n++) agent.ask({ requestId: `later${n}` }).catch(() => {})
  await expect.poll(async () => (await notices()).length).toBe(2)

  // A request that is on record is no new one, however often it is delivered.
  const first = await world.open(session)
  for (let n = 0; n < 5; n++) {
    const raised = await world.broker.raise({ sessionId: session.id, epoch: session.epoch, request: first })
    expect(raised).toMatchObject({ ok: true, ask: { id: first.id } })
  }
  // Another session is not held up by this one.
  void calm.agent.ask({ requestId: 'mine' })
  await world.open(calm.session)
  report(`F35: ${wanted} asks, ${codes.get('too_fast')} refused for their rate`)
})
