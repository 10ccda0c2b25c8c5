import { createHash, randomBytes } from 'node:crypto'
import { type AnswerCall, type BrokerDeps, createBroker } from '@holdpoint/core/broker'
import { createLedger } from '@holdpoint/core/ledger'
import type { OtherWriters } from '@holdpoint/core/other-writers'
import { createSessions, type SessionsDeps } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { idMaker, type NodeId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { createManualClock } from './manual-clock.ts'
import { createSyntheticDriver, type SyntheticAgent } from './synthetic-driver.ts'
import { openTestStore } from './test-store.ts'
import { until } from './until.ts'

export const IDLE_MS = 60_000

/** The core alone, without a server: ledger, broker and sessions on a store, with time in the test's hand. */
export async function createCoreWorld(
  options: {
    store?: Store
    agent?: string
    whatChanged?: BrokerDeps['whatChanged']
    policy?: BrokerDeps['policy']
    beforeTurn?: SessionsDeps['beforeTurn']
    timeLimits?: ReturnType<SessionsDeps['timeLimits']>
    parkMs?: number
    /** One of several gateways on the store. */
    node?: NodeId
    others?: OtherWriters
    authority?: BrokerDeps['authority']
    /** Shared by the gateways of a test. */
    time?: ReturnType<typeof createManualClock>
  } = {},
) {
  const agent = options.agent ?? 'synthetic'
  const store = options.store ?? (await openTestStore())
  const time = options.time ?? createManualClock()
  const { node, others } = options
  const isOurs = (session: Session) => session.node === node
  const warnings: string[] = []
  const newId = idMaker({ now: time.clock.now, randomBytes })
  const ledger = createLedger({
    store,
    clock: time.clock,
    warn: (message) => warnings.push(message),
    ...(others && { others }),
  })
  await ledger.load()
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const broker = createBroker({
    ledger,
    store,
    clock: time.clock,
    newId,
    sha256,
    isOurs,
    ...(options.authority && { authority: options.authority }),
    ...(options.whatChanged && { whatChanged: options.whatChanged }),
    ...(options.policy && { policy: options.policy }),
  })
  const synthetic = createSyntheticDriver(agent)
  const sessions = createSessions({
    ledger,
    broker,
    store,
    clock: time.clock,
    newId,
    newUuid: () => newId('uid'),
    drivers: new Map([[agent, synthetic.driver]]),
    beforeTurn: options.beforeTurn ?? (async () => {}),
    publishLive: () => {},
    warn: (message) => warnings.push(message),
    timeLimits: () => options.timeLimits ?? [],
    ...(node && { node }),
    isOurs,
    idleMs: IDLE_MS,
    ...(options.parkMs !== undefined && { parkMs: options.parkMs }),
  })

  return {
    store,
    time,
    ledger,
    broker,
    sessions,
    synthetic,
    warnings,
    async session(
      start: Partial<Parameters<typeof sessions.start>[0]> = {},
    ): Promise<{ session: Session; agent: SyntheticAgent }> {
      const started = await sessions.start({
        agent,
        cwd: '/somewhere',
        permissionMode: 'default',
        gate: 'default',
        trusted: false,
        ...start,
      })
      if (!started.ok) throw new Error(started.refusal)
      return { session: started.value, agent: await synthetic.agentOf(started.value.id) }
    },
    view: (session: Pick<Session, 'id'>) => ledger.views().get(session.id),
    /** The session's open ask, as soon as there is one. */
    open: (session: Pick<Session, 'id'>): Promise<Ask> =>
      until(() => [...(ledger.views().get(session.id)?.asks.values() ?? [])].at(-1), 'an open ask'),
    answer: (ask: Ask, answer: Partial<Answer>, call: Partial<AnswerCall> = {}) =>
      broker.answer({
        askId: ask.id,
        answer: { digest: ask.digest, ...answer } as Answer,
        actor: { device: 'dev', name: 'a person', role: 'owner' },
        via: 'api',
        mayAnswer: () => 'yes',
        ...call,
      }),
  }
}
