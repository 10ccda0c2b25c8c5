import { createCoreWorld } from '@holdpoint/testing/core-world'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openTestStore } from '@holdpoint/testing/test-store'
import { describe, expect, it } from 'vitest'
import { LedgerClosed } from './ledger-error.ts'
import { type Append, RecordDamaged, StoreFault } from './store.ts'

describe('the ledger', () => {
  it('commits what waits together in one go', async () => {
    const store = await openTestStore()
    const sizes: number[] = []
    const counted = overrideStore(store, {
      append: (appends: readonly Append[]) => {
        sizes.push(appends.flatMap((append) => append.events).length)
        return store.append(appends)
      },
    })
    const world = await createCoreWorld({ store: counted })
    const { agent } = await world.session()
    sizes.length = 0
    for (let n = 0; n < 50; n++) void agent.ask({ requestId: `r${n}` })
    await expect.poll(() => world.view({ id: agent.start.sessionId })?.asks.size).toBe(50)
    expect(sizes.length).toBeLessThan(10)
  })

  it('[I3] publishes an event only after it is stored', async () => {
    const store = await openTestStore()
    const world = await createCoreWorld({ store })
    let checked = 0
    world.ledger.subscribe((stored) => {
      for (const { seq } of stored) {
        checked++
        void store.events({ after: seq - 1, limit: 1 }).then(([found]) => expect(found?.seq).toBe(seq))
      }
    })
    const { agent } = await world.session()
    void agent.say('hello')
    world.time.advance(1000)
    await expect.poll(() => checked).toBeGreaterThan(2)
  })

  it('[I4, F21] changes nothing and tells the caller when the store fails, and works again afterwards', async () => {
    const store = await openTestStore()
    let failing = false
    const world = await createCoreWorld({
      store: overrideStore(store, {
        append: async (appends) => {
          if (failing) throw new StoreFault('full', 'no space left')
          return store.append(appends)
        },
      }),
    })
    const { session, agent } = await world.session()
    const waiting = agent.ask({ requestId: 'first' })
    const ask = await world.open(session)

    failing = true
    await expect(world.answer(ask, { kind: 'allow' })).rejects.toMatchObject({ code: 'full' })
    await expect(agent.ask({ requestId: 'second' })).rejects.toMatchObject({ code: 'full' })
    expect([...(world.view(session)?.asks.keys() ?? [])]).toEqual([ask.id])

    failing = false
    expect(await world.answer(ask, { kind: 'allow' })).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'allowed' })
  })

  it('T69 refuses a damaged session alone, not what shares its commit', async () => {
    const store = await openTestStore()
    const damaged = 'ses_00000000000000000000000009'
    const world = await createCoreWorld({
      store: overrideStore(store, {
        liveSession: async (id) => {
          if (id === damaged) throw new RecordDamaged('it was changed')
          return store.liveSession(id)
        },
      }),
    })
    const { session, agent } = await world.session()
    const waiting = agent.ask({ requestId: 'first' })
    const ask = await world.open(session)
    const [refused, answered] = await Promise.allSettled([
      world.ledger.transact(damaged, () => ({ events: [], result: 1 })),
      world.answer(ask, { kind: 'allow' }),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(RecordDamaged) })
    expect(answered).toMatchObject({ status: 'fulfilled', value: { ok: true } })
    expect(await waiting).toMatchObject({ kind: 'allowed' })
  })

  it('turns down everything that comes after it was closed', async () => {
    const world = await createCoreWorld()
    const { session } = await world.session()
    await world.ledger.close()
    await expect(world.ledger.transact(session.id, () => ({ events: [], result: 1 }))).rejects.toBeInstanceOf(
      LedgerClosed,
    )
  })

  it('takes up where another one left off', async () => {
    const store = await openTestStore()
    const before = await createCoreWorld({ store })
    const { session, agent } = await before.session()
    void agent.ask({ requestId: 'open' }).catch(() => {})
    const ask = await before.open(session)
    const after = await createCoreWorld({ store })
    expect(after.view(session)).toEqual(before.view(session))
    expect(after.ledger.seq()).toBe(before.ledger.seq())
    after.broker.resume()
    expect(await after.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
    // The one that was left behind finds out that it is not alone, and whose answer counts.
    expect(await before.answer(ask, { kind: 'allow' })).toMatchObject({
      ok: false,
      refusal: { code: 'already_settled', outcome: { kind: 'denied' } },
    })
  })
})
