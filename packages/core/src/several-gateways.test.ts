import type { DurableEvent } from '@holdpoint/schema/event'
import { gatewaysContract } from '@holdpoint/testing/cluster-contract/gateways-contract'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { holdable } from '@holdpoint/testing/held-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { overrideStore } from '@holdpoint/testing/override-store'
import { eventsOf, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import { createLedger } from './ledger.ts'
import { LedgerClosed, LedgerConflict } from './ledger-error.ts'
import type { Append, LiveSession } from './store.ts'

/** A gateway of its own on the log. */
function on(shared: ReturnType<typeof createMemoryCluster>, name: string) {
  const { store, cluster } = shared.node(name)
  return { store, others: cluster, node: cluster.node, authority: cluster.authority }
}

/** A call that acts in no folder and on no files: any gateway can take a yes to it. */
const ANYWHERE = { context: {} }

const commit = (world: Awaited<ReturnType<typeof createCoreWorld>>, n: number, ...events: DurableEvent[]) =>
  world.ledger.transact(sessionId(n), () => ({ events, result: undefined }))

/** Two gateways, each on a machine of its own, on one log. */
async function twoGateways() {
  const shared = createMemoryCluster()
  const time = createManualClock()
  const a = await createCoreWorld({ ...on(shared, 'a'), time })
  const b = await createCoreWorld({ ...on(shared, 'b'), time })
  return { shared, time, a, b }
}

gatewaysContract(
  'one log in memory',
  async () => {
    const shared = createMemoryCluster()
    return { join: async (name) => shared.node(name), lose: async () => {}, dispose: async () => {} }
  },
  { rounds: 200 },
)

describe('two gateways on one log', () => {
  it('[I8] T32 allow nothing that was remembered once a rule that denies it is on record, before they know that rule', async () => {
    const shared = createMemoryCluster()
    const a = shared.node('a')
    const b = on(shared, 'b')
    const verdict = { reason: 'because', parts: [] }
    let effect: 'none' | 'deny' = 'none'
    const world = await createCoreWorld({ ...b, policy: { look: async () => () => ({ effect, ...verdict }) } })
    const { session } = await world.session()
    const raise = (requestId: string) =>
      world.broker.raise({
        sessionId: session.id,
        epoch: 1,
        request: askRequest({ requestId, tool: { name: 'Bash', input: { command: 'make' } } }),
      })
    const first = await raise('first')
    if (!first.ok) throw new Error(first.refusal)
    await world.answer(first.ask, { kind: 'allow', remember: { scope: 'session' } })
    expect(await raise('second')).toMatchObject({ outcome: { kind: 'allowed', via: 'rule' } })
    let read = () => {}
    const reading = new Promise<void>((resolve) => {
      read = resolve
    })
    b.others.onRecords(async () => {
      await reading
      effect = 'deny'
    })
    const authority = a.cluster.authority()
    const added = a.store.records.put('policy-rules', 'rul_1', {})
    const raised = raise('third')
    await expect.poll(() => b.authority()).toBe(authority)
    await new Promise((resolve) => setImmediate(resolve))
    read()
    await added
    expect(await raised).toMatchObject({ outcome: { kind: 'denied', via: 'rule' } })
  })

  it('[I7] publish nothing that was in the log when they read it first', async () => {
    const shared = createMemoryCluster()
    const a = await createCoreWorld(on(shared, 'a'))
    await a.session()
    const b = on(shared, 'b')
    let before = 0
    const store = overrideStore(b.store, {
      lastSeq: async () => {
        before = await b.store.lastSeq()
        // Somebody else writes while the log is being read.
        await a.session()
        await new Promise((resolve) => setImmediate(resolve))
        return before
      },
    })
    const ledger = createLedger({ store, others: b.others, clock: a.time.clock, warn: () => {} })
    const seen: number[] = []
    ledger.subscribe((stored) => seen.push(...stored.map(({ seq }) => seq)))
    await ledger.load()
    await expect.poll(async () => ledger.seq() === (await shared.store.lastSeq())).toBe(true)
    expect(seen).toEqual(Array.from({ length: ledger.seq() - before }, (_, index) => before + 1 + index))
    expect([...ledger.views().values()].map(({ session }) => session.state)).toEqual(['user_turn', 'user_turn'])
    await ledger.close()
  })

  it('[I1] wait for an ask that is on record and not published where it is answered', async () => {
    const shared = createMemoryCluster()
    const time = createManualClock()
    const own = on(shared, 'a')
    const held = holdable(own.store)
    const a = await createCoreWorld({ ...own, store: held.store, time })
    const b = await createCoreWorld({ ...on(shared, 'b'), time })
    const { session, agent } = await a.session()
    const release = held.holdAfter()
    const waiting = agent.ask()
    const ask = await b.open(session)
    expect(a.view(session)?.asks.size).toBe(0)
    const answered = a.answer(ask, { kind: 'allow' })
    release()
    expect(await answered).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'allowed' })
  })

  it.each(['answer', 'withdraw', 'outcome'] as const)(
    '[I1] take up an ask of another one that is due for %s',
    async (act) => {
      const shared = createMemoryCluster()
      const time = createManualClock()
      const a = await createCoreWorld({ ...on(shared, 'a'), time })
      const own = on(shared, 'b')
      // It is never told of what others write.
      const b = await createCoreWorld({ ...own, others: { ...own.others, onAppended: () => () => {} }, time })
      const { session, agent } = await a.session()
      const waiting = agent.ask(ANYWHERE).catch(() => undefined)
      const ask = await a.open(session)
      if (act === 'answer') expect(await b.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
      if (act === 'withdraw')
        expect(await b.broker.withdraw(ask.id, 'agent-cancelled')).toMatchObject({ kind: 'withdrawn' })
      if (act === 'outcome') {
        const heard = b.broker.outcome(ask.id, { signal: new AbortController().signal })
        await expect.poll(() => b.view(session)?.asks.has(ask.id)).toBe(true)
        expect(await b.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
        expect(await heard).toMatchObject({ kind: 'denied' })
      }
      await waiting
    },
  )

  it('[I7] publish what is appended while the log is being read', async () => {
    const shared = createMemoryCluster()
    const time = createManualClock()
    const a = await createCoreWorld({ ...on(shared, 'a'), time })
    const own = on(shared, 'b')
    const meanwhile: { act?: () => Promise<unknown> } = {}
    const store = overrideStore(own.store, {
      events: async (query) => {
        const page = await own.store.events(query)
        const { act } = meanwhile
        delete meanwhile.act
        await act?.()
        return page
      },
    })
    const b = await createCoreWorld({ ...own, store, time })
    await expect.poll(() => b.ledger.seq()).toBe(0)
    meanwhile.act = () => commit(a, 2, eventsOf(2).started())
    await commit(a, 1, eventsOf(1).started())
    await expect.poll(() => b.ledger.seq()).toBe(2)
  })

  it('take turns in a session that the other one writes to without a pause', async () => {
    const shared = createMemoryCluster()
    const time = createManualClock()
    const a = await createCoreWorld({ ...on(shared, 'a'), time })
    const own = on(shared, 'b')
    let moves = 0
    const disturbed = overrideStore(own.store, {
      append: async (appends: readonly Append[]) => {
        const id = appends[0]?.sessionId
        // Whatever is decided here, the other gateway was first, ten times in a row.
        if (id && moves++ < 10) {
          await a.ledger.transact(id, (_, at) => ({
            events: [{ type: 'session-changed', sessionId: id, at, changes: { title: `move ${moves}` } }],
            result: undefined,
          }))
        }
        return own.store.append(appends)
      },
    })
    const b = await createCoreWorld({ ...own, store: disturbed, time })
    const { session, agent } = await a.session()
    const waiting = agent.ask()
    const ask = await b.open(session)
    expect(await b.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'denied' })
    expect(moves).toBeGreaterThan(10)
  })

  it('[I4] leave an allow to the machine that can look once more, and take a no at once', async () => {
    const { a, b } = await twoGateways()
    const { session, agent } = await a.session()
    const files = [{ path: '/somewhere/run.sh', use: 'runs' as const, sha256: 'f'.repeat(64) }]
    const waiting = agent.ask({ files })
    const ask = await b.open(session)
    expect(await b.answer(ask, { kind: 'allow' })).toEqual({ ok: false, refusal: { code: 'machine_unreachable' } })
    expect(b.view(session)?.asks.has(ask.id)).toBe(true)
    expect(await b.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ kind: 'denied' })
  })

  describe('[I8] where somebody’s rights are taken away', () => {
    /** Gateway `b` knows of them only once `reading` is let go. */
    async function revoking() {
      const shared = createMemoryCluster()
      const time = createManualClock()
      const a = await createCoreWorld({ ...on(shared, 'a'), time })
      const own = on(shared, 'b')
      const b = await createCoreWorld({ ...own, time })
      let may: 'yes' | 'no' = 'yes'
      let isHeld = false
      const reading = { go: () => {} }
      own.others.onRecords(async () => {
        if (!isHeld) return
        await new Promise<void>((resolve) => {
          reading.go = resolve
        })
        may = 'no'
      })
      await a.store.records.put('devices', 'dev', 1)
      const { session, agent } = await a.session()
      const outcome = agent.ask(ANYWHERE)
      const ask = await b.open(session)
      isHeld = true
      void a.store.records.remove('devices', 'dev')
      const answer = b.answer(ask, { kind: 'allow' }, { mayAnswer: () => may })
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      answer.then(settled, settled)
      // Nobody else has to wait.
      await b.session()
      await commit(b, 9, eventsOf(9).started())
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(isSettled).toBe(false)
      expect(b.view(session)?.asks.size).toBe(1)
      return { a, b, time, session, ask, outcome, answer, reading }
    }

    it('decide an answer only once they know, and then by what they know', async () => {
      const { a, b, session, ask, outcome, answer, reading } = await revoking()
      reading.go()
      expect(await answer).toEqual({ ok: false, refusal: { code: 'forbidden' } })
      expect(b.view(session)?.asks.size).toBe(1)
      expect(await a.answer(ask, { kind: 'deny' })).toMatchObject({ ok: true })
      expect(await outcome).toMatchObject({ kind: 'denied' })
    })

    it('record nothing where they do not come to know', async () => {
      const { b, time, session, answer, reading } = await revoking()
      time.advance(5_000)
      await expect(answer).rejects.toBeInstanceOf(LedgerConflict)
      expect(b.view(session)?.asks.size).toBe(1)
      reading.go()
    })

    it('settle who waits when they close', async () => {
      const { b, answer, reading } = await revoking()
      await b.ledger.close()
      await expect(answer).rejects.toBeInstanceOf(LedgerClosed)
      reading.go()
    })
  })

  it('leave the agent, its idling and its messages to the machine where it runs', async () => {
    const { time, a, b } = await twoGateways()
    const { session, agent } = await a.session()
    await expect.poll(() => b.view(session)?.session.state).toBe('user_turn')
    expect(await b.sessions.send(session.id, { text: 'from the other machine' })).toMatchObject({ ok: true })
    await expect.poll(() => agent.messages.map(({ text }) => text)).toEqual(['from the other machine'])
    b.sessions.reattach()
    expect(b.synthetic.agents.size).toBe(0)
    expect(await b.sessions.interrupt(session.id)).toEqual({ ok: false, refusal: 'machine_unreachable' })
    expect(await b.sessions.end(session.id)).toMatchObject({ ok: true })
    await expect.poll(() => agent.stopped()).toBe('in time')
    expect(await b.sessions.resume(session.id, { trusted: false })).toEqual({
      ok: false,
      refusal: 'machine_unreachable',
    })
    time.advance(1)
  })

  it('expire an ask of the other machine only when that one had its time', async () => {
    const { time, a, b } = await twoGateways()
    const { session, agent } = await a.session({ askTimeoutMs: 60_000 })
    const waiting = agent.ask().catch(() => {})
    const ask = await b.open(session)
    await a.ledger.close()
    a.broker.close()
    time.advance(62_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(b.view(session)?.asks.has(ask.id)).toBe(true)
    time.advance(5_000)
    await expect.poll(() => b.view(session)?.asks.has(ask.id)).toBe(false)
    expect((await b.store.ask(ask.id))?.outcome).toMatchObject({ kind: 'expired', via: 'gateway' })
    await waiting
  })

  describe('where one reads a session while the other goes on in it', () => {
    const changed = (n: number, changes: Partial<LiveSession['session']>): DurableEvent =>
      ({ type: 'session-changed', sessionId: sessionId(n), at: 1, changes }) as DurableEvent
    const ended = (n: number): DurableEvent =>
      ({ type: 'session-ended', sessionId: sessionId(n), at: 1, reason: 'ended-by-person' }) as DurableEvent

    /** A gateway `b`, for which something happens right after it has read a session for the first time. */
    async function disturbed(options: { readonly isTold: boolean }) {
      const shared = createMemoryCluster()
      const time = createManualClock()
      const a = await createCoreWorld({ ...on(shared, 'a'), time })
      for (const n of [1, 2]) await commit(a, n, eventsOf(n).started(), ended(n))
      const own = on(shared, 'b')
      const meanwhile: { act?: () => Promise<unknown> } = {}
      const store = overrideStore(own.store, {
        liveSession: async (id) => {
          const live = await own.store.liveSession(id)
          const { act } = meanwhile
          delete meanwhile.act
          await act?.()
          return live
        },
      })
      const others = options.isTold ? own.others : { ...own.others, onAppended: () => () => {} }
      const b = await createCoreWorld({ ...own, store, others, time })
      return { a, b, meanwhile }
    }

    it('[I7] follow it to the end of what was published', async () => {
      const { a, b, meanwhile } = await disturbed({ isTold: true })
      meanwhile.act = () =>
        Promise.all([commit(a, 1, changed(1, { title: 'later' })), commit(a, 2, changed(2, { title: 'later' }))])
      await Promise.all([1, 2].map((n) => commit(a, n, changed(n, { state: 'user_turn', epoch: 2 }))))
      await expect.poll(() => b.ledger.seq()).toBe(8)
      expect([1, 2].map((n) => b.view({ id: sessionId(n) })?.session.title)).toEqual(['later', 'later'])
    })

    it('do not take one for alive that has ended meanwhile', async () => {
      const { a, b, meanwhile } = await disturbed({ isTold: false })
      await commit(a, 1, changed(1, { state: 'user_turn', epoch: 2 }))
      meanwhile.act = () => commit(a, 1, ended(1))
      const seen = await b.ledger.transact(sessionId(1), (view) => ({ events: [], result: view?.session.state }))
      expect(seen).toBe('dead')
      expect(b.view({ id: sessionId(1) })).toBeUndefined()
    })
  })
})
