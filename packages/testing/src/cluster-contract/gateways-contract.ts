import type { DurableEvent } from '@holdpoint/schema/event'
import { afterEach, describe, expect, it } from 'vitest'
import { createCoreWorld } from '../core-world.ts'
import { createManualClock } from '../manual-clock.ts'
import { type ClusterFixture, clusterWorld } from './cluster-world.ts'

type World = Awaited<ReturnType<typeof createCoreWorld>>

/** A call that acts in no folder and on no files: any gateway can take a yes to it. */
const ANYWHERE = { context: {} }

/** What two gateways on one log promise of asks and answers. `rounds`: how often what can go wrong by chance is tried. */
export function gatewaysContract(
  name: string,
  create: () => Promise<ClusterFixture>,
  { rounds }: { readonly rounds: number },
): void {
  describe(`two gateways on ${name}`, () => {
    const cluster = clusterWorld(create)
    let worlds: World[] = []
    afterEach(async () => {
      for (const { broker, ledger } of worlds) {
        broker.close()
        await ledger.close()
      }
      worlds = []
    })

    /** Each on a machine of its own. */
    async function two() {
      const time = createManualClock()
      const open = async (machine: string) => {
        const { store, cluster: others } = await cluster.join(machine)
        const world = await createCoreWorld({ store, others, node: others.node, authority: others.authority, time })
        worlds.push(world)
        return world
      }
      return { time, a: await open('a'), b: await open('b') }
    }

    function published(world: World) {
      const seen: { seq: number; type: DurableEvent['type'] }[] = []
      world.ledger.subscribe((stored) => seen.push(...stored.map(({ seq, event }) => ({ seq, type: event.type }))))
      return seen
    }

    it('[I7] show what the other one has recorded', async () => {
      const { a, b } = await two()
      const { session, agent } = await a.session()
      void agent.ask({ requestId: 'one' }).catch(() => {})
      const ask = await a.open(session)
      expect(await b.open(session)).toEqual(ask)
      expect(b.view(session)?.session).toMatchObject({ node: session.node, openAsks: 1 })
    })

    it('[I5] give an answer that came in at one to the agent at the other', async () => {
      const { a, b } = await two()
      const { session, agent } = await a.session()
      const waiting = agent.ask(ANYWHERE)
      const ask = await b.open(session)
      expect(await b.answer(ask, { kind: 'allow' })).toMatchObject({ ok: true })
      expect(await waiting).toMatchObject({ kind: 'allowed' })
      await expect.poll(() => a.view(session)?.asks.size).toBe(0)
    })

    it('[I1] agree on one outcome where both are answered at once', async () => {
      const { a, b } = await two()
      const { session, agent } = await a.session()
      for (let round = 0; round < rounds; round++) {
        const waiting = agent.ask({ ...ANYWHERE, requestId: `round-${round}` })
        // Perhaps before it is published where it was raised.
        const ask = await b.open(session)
        const results = await Promise.all([a.answer(ask, { kind: 'allow' }), b.answer(ask, { kind: 'deny' })])
        const winners = results.filter(({ ok }) => ok)
        expect(winners).toHaveLength(1)
        const outcome = await waiting
        for (const result of results)
          expect(result.ok ? result.outcome : 'outcome' in result.refusal && result.refusal.outcome).toEqual(outcome)
        await expect.poll(() => [a.view(session)?.asks.size, b.view(session)?.asks.size]).toEqual([0, 0])
      }
    })

    it('publish every event once, in the order of the log, whoever wrote it', async () => {
      const { time, a, b } = await two()
      const before = a.ledger.seq()
      const seen = [published(a), published(b)]
      const first = await a.session()
      const second = await b.session()
      await Promise.all(
        Array.from({ length: rounds }, async (_, number) => {
          const { agent } = number % 2 ? first : second
          const asked = agent.ask({ ...ANYWHERE, requestId: `ask-${number}` })
          if (number % 3 === 0) void agent.say(`word ${number}`)
          const session = number % 2 ? first.session : second.session
          const answering = number % 5 < 3 ? a : b
          await expect
            .poll(() =>
              [...(answering.view(session)?.asks.values() ?? [])].some((ask) => ask.requestId === `ask-${number}`),
            )
            .toBe(true)
          const ask = [...(answering.view(session)?.asks.values() ?? [])].find(
            ({ requestId }) => requestId === `ask-${number}`,
          )
          if (ask) await answering.answer(ask, { kind: 'allow' })
          expect(await asked).toMatchObject({ kind: 'allowed' })
        }),
      )
      // What is left waits a moment for company.
      const rest = async () => {
        time.advance(1000)
        const last = await a.store.lastSeq()
        const undelivered = [first, second].map(({ session }) => a.view(session)?.undelivered.size)
        return [last - a.ledger.seq(), last - b.ledger.seq(), ...undelivered]
      }
      await expect.poll(rest).toEqual([0, 0, 0, 0])
      for (const events of seen)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => before + index + 1))
      expect(a.view(first.session)).toEqual(b.view(first.session))
      expect(a.view(second.session)).toEqual(b.view(second.session))
    })
  })
}
