import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { askId, sampleAsk, sampleSession, sessionId } from '../store-contract/store-samples.ts'
import { checkHistory, type FaultKind } from './check-history.ts'
import type { RunHistory } from './history.ts'

const INPUT = JSON.stringify({ command: 'ls' })
const SESSION = sessionId(1)
const key = (n: number) => ({ sessionId: SESSION, epoch: 1, requestId: `request-${n}` })
const by = (n: number): Outcome => ({
  kind: n % 2 ? 'allowed' : 'denied',
  at: n,
  by: { device: `dev_${n}`, name: 'a person', role: 'owner' },
  via: 'api',
  retryKey: `key ${n}`,
})
const CANCELLED: Outcome = { kind: 'withdrawn', at: 3, via: 'gateway', reason: 'agent-cancelled' }

/** As a log has them. */
function stored(events: readonly DurableEvent[]): readonly Stored[] {
  const places = new Map<string, number>()
  return events.map((event, index) => {
    const sessionSeq = (places.get(event.sessionId) ?? 0) + 1
    places.set(event.sessionId, sessionSeq)
    return { seq: index + 1, sessionSeq, hash: `hash ${index + 1}`, event }
  })
}

const started: DurableEvent = { type: 'session-started', sessionId: SESSION, at: 0, session: sampleSession(1) }
const raised = (n: number): DurableEvent => ({ type: 'ask-raised', sessionId: SESSION, at: n, ask: sampleAsk(n) })
const settled = (n: number, outcome = by(n)): DurableEvent => ({
  type: 'ask-settled',
  sessionId: SESSION,
  at: n,
  askId: askId(n),
  outcome,
})

/** Asks 1 (allowed), 2 (denied), 3 (withdrawn), 4 (open), 5 (a program's, denied). Two gateways, of which one had two lives. */
function goodRun(): RunHistory {
  const events = [started, raised(1), raised(2), settled(1), raised(3), raised(4), settled(2), settled(3, CANCELLED)]
  const program: DurableEvent = {
    type: 'ask-raised',
    sessionId: SESSION,
    at: 6,
    ask: sampleAsk(6, { raisedBy: 'dev_00000000000000000000000009' }),
  }
  const log = stored([...events, program, settled(6)])
  const all = log.map(({ seq, hash }) => ({ seq, hash }))
  return {
    raises: [
      ...[1, 2, 3, 4].map((n) => ({ ...key(n), input: INPUT, tries: [] })),
      { ...key(6), input: INPUT, tries: [{ told: 'unknown' }, { told: 'done', result: askId(6) }] },
    ],
    answers: [
      { askId: askId(1), kind: 'allow', device: 'dev_1', retryKey: 'key 1', tries: [{ told: 'done', result: by(1) }] },
      { askId: askId(1), kind: 'deny', device: 'dev_7', tries: [{ told: 'refused', outcome: by(1) }] },
      { askId: askId(2), kind: 'deny', device: 'dev_2', retryKey: 'key 2', tries: [{ told: 'unknown' }] },
      { askId: askId(4), kind: 'allow', device: 'dev_4', tries: [{ told: 'nothing' }] },
      { askId: askId(6), kind: 'deny', device: 'dev_6', retryKey: 'key 6', tries: [{ told: 'done', result: by(6) }] },
    ],
    withdrawals: [{ askId: askId(3), tries: [{ told: 'done', result: CANCELLED }] }],
    deliveries: [
      { ...key(1), kind: 'allowed', input: INPUT },
      { ...key(2), kind: 'denied', input: INPUT },
      { ...key(3), kind: 'withdrawn', input: INPUT },
      { ...key(6), kind: 'denied', input: INPUT },
    ],
    waiting: [key(4)],
    ended: [],
    streams: [
      { gateway: 'a', events: all },
      { gateway: 'b', events: all.slice(4) },
    ],
    sightings: [
      { by: 'a phone', askId: askId(1) },
      { by: 'a phone', askId: askId(2), outcome: by(2) },
    ],
    lives: [
      { node: 'a', epoch: 1, after: 0 },
      { node: 'b', epoch: 1, after: 0 },
      { node: 'b', epoch: 2, after: 4 },
    ],
    writes: log.map(({ seq }) => (seq < 4 ? { seq, node: 'b', epoch: 1 } : { seq, node: 'a', epoch: 1 })),
    revocations: [{ device: 'dev_1', after: 4 }],
    log,
    chain: { events: log.length, sessions: 1 },
  }
}

type Change = (run: RunHistory) => Partial<RunHistory>
const logOf = (change: (events: DurableEvent[]) => readonly DurableEvent[]): Change => {
  return (run) => {
    const log = stored(change(run.log.map(({ event }) => event)))
    return { log, chain: { events: log.length, sessions: 1 }, streams: [], lives: [], writes: [] }
  }
}
const changed = <Item>(items: readonly Item[], index: number, changes: Partial<Item>): readonly Item[] =>
  items.map((item, at) => (at === index ? { ...item, ...changes } : item))

const BROKEN: readonly (readonly [FaultKind, string, Change])[] = [
  ['gap', 'a position is missing', ({ log }) => ({ log: [...log.slice(0, 9), { ...log[9], seq: 11 } as Stored] })],
  ['gap', 'a session skips a position', ({ log }) => ({ log: changed(log, 9, { sessionSeq: 12 }) })],
  ['broken-chain', 'a row was changed', ({ chain }) => ({ chain: { ...chain, fault: {} as never } })],
  ['broken-chain', 'a row was not verified', ({ chain }) => ({ chain: { ...chain, events: 9 } })],
  ['second-winner', 'two answers count', logOf((events) => [...events, settled(1)])],
  [
    'second-ask',
    'a request is raised twice',
    logOf((events) => [...events, { ...raised(8), ask: { ...sampleAsk(8), requestId: 'request-1' } } as DurableEvent]),
  ],
  ['lost-raise', 'a program’s ask is gone', logOf((events) => events.slice(0, 8))],
  [
    'lost-raise',
    'what was shown is gone',
    ({ sightings }) => ({ sightings: [...sightings, { by: 'x', askId: askId(9) }] }),
  ],
  ['lost-answer', 'an acknowledged answer is gone', logOf((events) => events.slice(0, 9))],
  [
    'lost-answer',
    'two clients were told that they won',
    ({ answers }) => ({ answers: changed(answers, 1, { tries: [{ told: 'done', result: by(1) }] }) }),
  ],
  [
    'lost-withdrawal',
    'a withdrawal is gone',
    (run) => ({ withdrawals: [...run.withdrawals, { askId: askId(4), tries: [{ told: 'done', result: undefined }] }] }),
  ],
  ['invented-ask', 'nobody asked', ({ raises }) => ({ raises: raises.slice(1) })],
  [
    'invented-ask',
    'another input is shown',
    ({ raises }) => ({ raises: changed(raises, 3, { input: '{"command":"rm"}' }) }),
  ],
  ['invented-outcome', 'nobody answered', ({ answers }) => ({ answers: answers.slice(1) })],
  ['invented-outcome', 'a no became a yes', ({ answers }) => ({ answers: changed(answers, 0, { kind: 'deny' }) })],
  ['invented-outcome', 'nobody withdrew it', () => ({ withdrawals: [] })],
  [
    'invented-outcome',
    'it expired before its time',
    logOf((events) => [...events, settled(4, { kind: 'expired', at: 4, via: 'gateway' })]),
  ],
  [
    'invented-outcome',
    'a rule that nobody made',
    logOf((events) => [...events, settled(4, { kind: 'allowed', at: 4, via: 'rule' })]),
  ],
  [
    'counts-after-all',
    'an answer that was not recorded counts',
    ({ answers }) => ({ answers: changed(answers, 0, { tries: [{ told: 'nothing' }] }) }),
  ],
  [
    'counts-after-all',
    'a raise that was refused is open',
    ({ raises }) => ({ raises: changed(raises, 3, { tries: [{ told: 'refused' }] }) }),
  ],
  [
    'counts-after-all',
    'a withdrawal that was not recorded counts',
    () => ({ withdrawals: [{ askId: askId(3), tries: [{ told: 'nothing' }] }] }),
  ],
  [
    'disagreement',
    'the loser heard of another winner',
    ({ answers }) => ({ answers: changed(answers, 1, { tries: [{ told: 'refused', outcome: by(3) }] }) }),
  ],
  [
    'disagreement',
    'the winner heard that another one won',
    ({ answers }) => ({ answers: changed(answers, 0, { tries: [{ told: 'refused', outcome: by(1) }] }) }),
  ],
  [
    'disagreement',
    'a client was shown another outcome',
    ({ sightings }) => ({ sightings: changed(sightings, 1, { outcome: by(1) }) }),
  ],
  [
    'stray-delivery',
    'an agent that did not ask',
    ({ deliveries }) => ({ deliveries: [...deliveries, { ...key(9), kind: 'denied', input: '' }] }),
  ],
  ['second-delivery', 'told twice', ({ deliveries }) => ({ deliveries: [...deliveries, ...deliveries.slice(0, 1)] })],
  [
    'allow-without-row',
    'an open ask is allowed',
    ({ deliveries }) => ({ deliveries: [...deliveries, { ...key(4), kind: 'allowed', input: INPUT }], waiting: [] }),
  ],
  [
    'allow-without-row',
    'an ask that was denied is allowed',
    ({ deliveries }) => ({ deliveries: changed(deliveries, 1, { kind: 'allowed' }) }),
  ],
  [
    'allow-without-row',
    'another input runs',
    ({ deliveries }) => ({ deliveries: changed(deliveries, 0, { input: '{}' }) }),
  ],
  [
    'wrong-delivery',
    'an allow is told as a no',
    ({ deliveries }) => ({ deliveries: changed(deliveries, 0, { kind: 'denied' }) }),
  ],
  ['not-delivered', 'an agent was never told', ({ waiting }) => ({ waiting: [...waiting, key(1)] })],
  ['nobody-waits', 'an open ask without an agent', () => ({ waiting: [] })],
  [
    'stream',
    'a gateway leaves one out',
    ({ streams }) => ({ streams: changed(streams, 0, { events: streams[0]?.events.toSpliced(4, 1) ?? [] }) }),
  ],
  [
    'stream',
    'a gateway repeats one',
    ({ streams }) => ({
      streams: changed(streams, 1, { events: [...(streams[1]?.events ?? []), { seq: 10, hash: 'hash 10' }] }),
    }),
  ],
  [
    'stream',
    'a gateway has them in another order',
    ({ streams }) => ({ streams: changed(streams, 1, { events: streams[1]?.events.toReversed() ?? [] }) }),
  ],
  [
    'stream',
    'a gateway shows another event',
    ({ streams }) => ({ streams: changed(streams, 1, { events: [{ seq: 5, hash: 'other' }] }) }),
  ],
  ['fenced', 'an older life writes', ({ writes }) => ({ writes: changed(writes, 6, { node: 'b', epoch: 1 }) })],
  [
    'fenced',
    'a life that never began writes',
    ({ writes }) => ({ writes: changed(writes, 6, { node: 'b', epoch: 3 }) }),
  ],
  ['fenced', 'nobody knows who wrote it', ({ writes }) => ({ writes: writes.slice(1) })],
  ['revoked', 'a revoked credential answers', () => ({ revocations: [{ device: 'dev_1', after: 3 }] })],
]

describe('the checker of histories', () => {
  it('finds nothing in a run where all was well', () => {
    expect(checkHistory(goodRun())).toEqual([])
  })

  it.each(BROKEN)('finds %s: %s', (kind, _, change) => {
    const run = goodRun()
    const found = checkHistory({ ...run, ...change(run) })
    expect(found.map((fault) => fault.kind)).toContain(kind)
  })
})
