import type { GatewayClient, GatewayState, Result } from '@holdpoint/client/gateway-client'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { SESSION } from './sample-asks.ts'

/** What the gallery's gateway does with an answer. */
export type Behaviour = 'settles' | 'silent' | 'lost-race' | 'digest-mismatch' | 'fault' | 'unreachable'

export interface FakeClient extends GatewayClient {
  add(ask: Ask, place: 'top' | 'end'): void
  withdraw(ask: Ask): void
}

type Answered = (ask: Ask, answer: Answer, attempts: number | undefined) => void

/** A gateway in this page that only knows asks: enough to try cards by hand and in tests. */
export function createFakeClient(asks: readonly Ask[], behaviour: Behaviour, onAnswered: Answered): FakeClient {
  const listeners = new Set<() => void>()
  let state: GatewayState = {
    link: 'live',
    sessions: new Map([[SESSION.id, SESSION]]),
    asks,
    settled: [],
    queues: new Map(),
    notices: new Map(),
    undelivered: new Set(),
    ruleChanges: 0,
    machineChanges: 0,
  }

  function change(changes: Partial<GatewayState>) {
    state = { ...state, ...changes }
    for (const listener of listeners) listener()
  }
  function settle(ask: Ask, outcome: Outcome) {
    change({
      asks: state.asks.filter((open) => open.id !== ask.id),
      settled: [...state.settled, { ask: { ...ask, outcome }, outcome }],
    })
  }
  async function answer(
    ask: Ask,
    given: Answer,
    { signal, attempts }: Parameters<GatewayClient['answer']>[2] = {},
  ): Promise<Result<Outcome>> {
    onAnswered(ask, given, attempts)
    await pause(behaviour === 'silent' ? 3_600_000 : 150, signal)
    switch (behaviour) {
      case 'fault':
        throw new Error('the client was closed')
      case 'digest-mismatch':
        return { ok: false, status: 409, code: 'digest_mismatch', message: 'The digest is another one.' }
      case 'unreachable':
        return { ok: false, status: 0, code: 'unreachable', message: 'The gateway cannot be reached just now.' }
      case 'lost-race': {
        const outcome = outcomeOf({ kind: 'deny', message: 'Not on a Friday.' }, 'Ann’s phone')
        settle(ask, outcome)
        return { ok: false, status: 409, code: 'already_settled', message: 'Settled already.', outcome }
      }
      default: {
        const outcome = outcomeOf(given, 'This browser')
        settle(ask, outcome)
        return { ok: true, value: outcome }
      }
    }
  }

  const known: Partial<FakeClient> = {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    reconnect: () => {},
    close: () => {},
    seen: () => {},
    machines: { list: async () => ({ ok: true, value: [] }) } as unknown as GatewayClient['machines'],
    answer,
    answerAll: (answers) =>
      Promise.all(answers.map(async ({ ask, answer: given }) => ({ ask, result: await answer(ask, given) }))),
    add: (ask, place) => change({ asks: place === 'top' ? [ask, ...state.asks] : [...state.asks, ask] }),
    withdraw: (ask) => settle(ask, { kind: 'withdrawn', at: Date.now(), via: 'gateway', reason: 'interrupted' }),
  }
  return known as FakeClient
}

function outcomeOf({ digest, ...answer }: Answer, name: string): Outcome {
  const kind =
    answer.kind === 'allow' ? 'allowed' : answer.kind === 'answer' || answer.kind === 'submit' ? 'answered' : 'denied'
  return { kind, at: Date.now(), via: 'web', answer, by: { device: 'dev_gallery', name, role: 'owner' } }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
