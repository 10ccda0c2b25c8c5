import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Broker, createBroker } from '@holdpoint/core/broker'
import { createLedger, type Ledger } from '@holdpoint/core/ledger'
import { createSessions, type Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import { type AskId, idMaker, type SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONG } from './long.ts'
import { createManualClock } from './manual-clock.ts'
import { overrideStore } from './override-store.ts'
import { askRequest, createSyntheticDriver } from './synthetic-driver.ts'
import { isInMemory, openTestStore } from './test-store.ts'

const ASK_TIMEOUT_MS = 10_000

type Step =
  | { act: 'raise'; session: number; request: number }
  | { act: 'answer'; actor: number; ask: number; kind: 'allow' | 'deny'; digest: boolean }
  | { act: 'withdraw'; ask: number }
  | { act: 'wait'; ms: number }
  | { act: 'interrupt' | 'die' | 'resume'; session: number }
  | { act: 'restart' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('raise' as const), session: fc.nat(1), request: fc.nat(5) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('answer' as const),
      actor: fc.nat(7),
      ask: fc.nat(7),
      kind: fc.constantFrom('allow' as const, 'deny' as const),
      digest: fc.nat(9).map((roll) => roll > 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('withdraw' as const), ask: fc.nat(7) }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.constantFrom(1, 5_000, ASK_TIMEOUT_MS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom('interrupt' as const, 'die' as const, 'resume' as const),
      session: fc.nat(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('restart' as const) }) },
)

/** One world: a store, the gateways that come and go on it, agents that ask again after each. */
async function createWorld({ store, isBusy }: ReturnType<typeof watched>, scheduler: fc.Scheduler) {
  const time = createManualClock()
  let seed = 0
  const newId = idMaker({
    now: time.clock.now,
    randomBytes: (count) => createHash('sha512').update(String(seed++)).digest().subarray(0, count),
  })
  // Commits take their turn in any order that the scheduler likes.
  const slowStore = overrideStore(store, {
    append: (appends) => scheduler.schedule(Promise.resolve()).then(() => store.append(appends)),
  })
  const heard: { askId: AskId; outcome: Outcome; sessionId: SessionId; requestId: string }[] = []
  const acknowledged: { askId: AskId; outcome: Outcome }[] = []
  const allowsGiven = new Set<AskId>()
  const faults: string[] = []
  let ledger: Ledger
  let broker: Broker
  let sessions: Sessions
  let synthetic: ReturnType<typeof createSyntheticDriver>
  let generation = 0
  const sessionIds: SessionId[] = []

  async function boot() {
    generation++
    synthetic = createSyntheticDriver()
    ledger = createLedger({ store: slowStore, clock: time.clock, warn: () => {} })
    await ledger.load()
    broker = createBroker({
      ledger,
      store: slowStore,
      clock: time.clock,
      newId,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    })
    sessions = createSessions({
      ledger,
      broker,
      store: slowStore,
      clock: time.clock,
      newId,
      newUuid: () => newId('uid'),
      drivers: new Map([['synthetic', synthetic.driver]]),
      beforeTurn: async () => {},
      publishLive: () => {},
      warn: () => {},
      timeLimits: () => [],
      idleMs: 1e12,
    })
    broker.resume()
    sessions.reattach()
  }

  const records = () => store.asks({ status: 'all', limit: 10_000 })

  async function pick(index: number) {
    const all = await records()
    return all[index % Math.max(all.length, 1)]
  }

  async function raise(session: number, request: number) {
    const sessionId = sessionIds[session]
    const agent = sessionId && synthetic.agents.get(sessionId)
    if (!agent) return
    const mine = generation
    const requestId = `req-${request}`
    const outcome = await agent.start
      .ask(askRequest({ requestId, tool: { name: 'Bash', input: { command: `do ${request}` } } }), {
        signal: new AbortController().signal,
      })
      .catch(() => undefined)
    if (!outcome || mine !== generation) return
    const record = await store.askByRequest({ sessionId, epoch: agent.start.epoch, requestId })
    if (!record) return void faults.push('an outcome came without a row')
    // I3: committed before anybody hears of it.
    if (JSON.stringify(record.outcome) !== JSON.stringify(outcome)) faults.push('the agent heard what is not recorded')
    heard.push({ askId: record.ask.id, outcome, sessionId, requestId })
  }

  async function answer(input: Extract<Step, { act: 'answer' }>) {
    const record = await pick(input.ask)
    if (!record) return
    const { ask } = record
    const answer = { kind: input.kind, digest: input.digest ? ask.digest : `${ask.digest}x` }
    if (input.kind === 'allow' && input.digest) allowsGiven.add(ask.id)
    const result = await broker
      .answer({
        askId: ask.id,
        answer,
        actor: { device: `dev-${input.actor}`, name: `person ${input.actor}`, role: 'approver' },
        via: 'api',
        mayAnswer: () => 'yes',
      })
      .catch(() => undefined)
    if (!result?.ok) return
    const stored = await store.ask(ask.id)
    if (JSON.stringify(stored?.outcome) !== JSON.stringify(result.outcome))
      faults.push('acknowledged, but not recorded')
    if (!input.digest) faults.push('an answer with a wrong digest counted')
    acknowledged.push({ askId: ask.id, outcome: result.outcome })
  }

  return {
    isBusy,
    heard,
    acknowledged,
    allowsGiven,
    faults,
    async begin() {
      await boot()
      for (let count = 0; count < 2; count++) {
        const started = await sessions.start({
          agent: 'synthetic',
          cwd: '/somewhere',
          permissionMode: 'default',
          gate: 'default',
          onTimeout: 'deny',
          trusted: false,
          askTimeoutMs: ASK_TIMEOUT_MS,
        })
        if (started.ok) sessionIds.push(started.value.id)
      }
    },
    async take(next: Step) {
      switch (next.act) {
        case 'raise':
          return raise(next.session, next.request)
        case 'answer':
          return answer(next)
        case 'withdraw': {
          const record = await pick(next.ask)
          if (record) await broker.withdraw(record.ask.id, 'agent-cancelled').catch(() => {})
          return
        }
        case 'wait':
          return time.advance(next.ms)
        case 'interrupt':
          return void (await sessions.interrupt(sessionIds[next.session] as SessionId).catch(() => {}))
        case 'die':
          return synthetic.agents.get(sessionIds[next.session] as SessionId)?.die()
        case 'resume':
          return void (await sessions.resume(sessionIds[next.session] as SessionId, { trusted: false }).catch(() => {}))
        case 'restart':
          // As after kill -9: nothing is closed, the old gateway is simply not heard any more.
          return boot()
        default:
          return next satisfies never
      }
    },
    records,
    events: () => store.events({ after: 0, limit: 100_000 }),
  }
}

function holds(name: string, create: () => Promise<Store>, runs: number) {
  const seen = { asks: 0, answers: 0, outcomes: 0 }
  it(
    `[I1–I5, F9, F12, F13] ${name}: any order of raise, answer, expire, withdraw, interrupt, die, restart (${runs} runs)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 40 }),
          fc.scheduler(),
          async (script, scheduler) => {
            const store = await create()
            const world = await createWorld(watched(store), scheduler)
            await scheduler.waitFor(world.begin())
            for (const [next, alone] of script) {
              // Nobody waits for these: a raise may never get its answer.
              void world.take(next)
              if (alone) await settleDown(world, scheduler)
            }
            await settleDown(world, scheduler)
            await check(world)
            seen.asks += (await world.records()).length
            seen.answers += world.acknowledged.length
            seen.outcomes += world.heard.length
            await store.close()
          },
        ),
        { numRuns: runs },
      )
      console.error(
        `model, ${name}: ${runs} runs, ${seen.asks} asks, ${seen.answers} answers that counted, ${seen.outcomes} outcomes heard by agents`,
      )
      expect(Math.min(seen.asks, seen.answers, seen.outcomes)).toBeGreaterThan(runs / 4)
    },
    LONG ? 3_600_000 : 240_000,
  )
}

/** A store that says whether a call is on its way to it. */
function watched(inner: Store) {
  let calls = 0
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        const result: unknown = value.apply(target, given)
        if (!(result instanceof Promise)) return result
        calls++
        return result.finally(() => {
          calls--
        })
      }
    },
  })
  return { store, isBusy: () => calls > 0 }
}

/** Until nothing is on its way any more: microtasks and the store first, then whatever commit the scheduler picks, and again. */
async function settleDown({ isBusy }: Pick<ReturnType<typeof watched>, 'isBusy'>, scheduler: fc.Scheduler) {
  for (let quiet = 0; quiet < 3; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (!isBusy() && scheduler.count() === 0) continue
    quiet = -1
    if (isBusy()) continue
    await scheduler.waitOne()
  }
}

async function check(world: Awaited<ReturnType<typeof createWorld>>) {
  expect(world.faults).toEqual([])
  const settled = new Map<AskId, Outcome>()
  for (const { event } of await world.events()) {
    if (event.type !== 'ask-settled') continue
    // I1: one outcome, however many tried.
    expect(settled.has(event.askId), `${event.askId} settled twice`).toBe(false)
    settled.set(event.askId, event.outcome)
  }
  for (const record of await world.records()) expect(record.outcome).toEqual(settled.get(record.ask.id))
  for (const { askId, outcome } of world.acknowledged) expect(settled.get(askId)).toEqual(outcome)
  for (const { askId, outcome, sessionId, requestId } of world.heard) {
    expect(settled.get(askId)).toEqual(outcome)
    // I4: no yes that nobody gave. I5: to the one who asked.
    if (outcome.kind === 'allowed') expect(world.allowsGiven.has(askId)).toBe(true)
    const record = (await world.records()).find((candidate) => candidate.ask.id === askId)
    expect(record?.ask).toMatchObject({ sessionId, requestId })
  }
}

describe('the broker against its model', () => {
  if (!isInMemory()) return holds('another store', openTestStore, LONG ? 1_000 : 10)
  holds('memory', openTestStore, LONG ? 50_000 : 600)
  holds('SQLite', openTemporary, LONG ? 5_000 : 25)
})

async function openTemporary(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'hp-model-'))
  const store = await openSqliteStore({ path: join(folder, 'holdpoint.db') })
  return overrideStore(store, {
    async close() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  })
}
