import type { GatewayClient, Result } from '@holdpoint/client/gateway-client'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { type AnswerEvent, answerReducer, initialAnswerState } from './answer-state.ts'

/** How long an answer may take before the card shows that it is being sent. */
export const OVERDUE_MS = 5000
/** How many asks are kept per client; the oldest one that is not shown is evicted first. */
const KEPT = 200

/** The answering of one ask: one per client, however many cards show the ask, also while none does. */
export type AskAnswering = ReturnType<typeof createAnswering>

const byClient = new WeakMap<GatewayClient, Map<string, AskAnswering>>()

export function answeringOf(client: GatewayClient, ask: Ask): AskAnswering {
  const all = byClient.get(client) ?? new Map<string, AskAnswering>()
  byClient.set(client, all)
  const key = `${ask.id} ${ask.digest}`
  const known = all.get(key)
  if (known) return known
  const made = createAnswering(client, ask)
  all.set(key, made)
  for (const [old, entry] of all) {
    if (all.size <= KEPT) break
    if (entry !== made && entry.isIdle()) all.delete(old)
  }
  return made
}

interface UnderWay {
  readonly signal: AbortSignal
  replied(result: Result<Outcome>): void
  faulted(fault: unknown): void
}

export interface SentTogether {
  /** Their answers are the outcome. */
  readonly counted: readonly Ask[]
  /** Something else is the outcome, or there is none. Each card says what happened. */
  readonly failed: readonly Ask[]
}

/** Sends several answers at once, each by a call of its own and bound to its own ask; every card sees its own come and go. */
export async function answerTogether(
  client: GatewayClient,
  answers: readonly { readonly ask: Ask; readonly answer: Answer }[],
): Promise<SentTogether> {
  const begun = answers.flatMap(({ ask, answer }) => {
    const underWay = answeringOf(client, ask).begin(answer)
    return underWay ? [{ ask, answer, underWay }] : []
  })
  if (begun.length > 0) await sendAll(client, begun)
  const asks = answers.map(({ ask }) => ask)
  const counted = asks.filter((ask) => answeringOf(client, ask).getState().kind === 'settled-here')
  return { counted, failed: asks.filter((ask) => !counted.includes(ask)) }
}

interface Begun {
  readonly ask: Ask
  readonly answer: Answer
  readonly underWay: UnderWay
}

async function sendAll(client: GatewayClient, begun: readonly Begun[]): Promise<void> {
  try {
    const results = await client.answerAll(begun.map(({ ask, answer }) => ({ ask, answer })))
    for (const { ask, underWay } of begun) {
      const result = results.find((entry) => entry.ask.id === ask.id)?.result
      if (result) underWay.replied(result)
      else underWay.faulted('The gateway gave no reason.')
    }
  } catch (fault) {
    for (const { underWay } of begun) underWay.faulted(fault)
  }
}

function createAnswering(client: GatewayClient, ask: Ask) {
  let state = initialAnswerState(ask.outcome)
  let underWay: AbortController | undefined
  const listeners = new Set<() => void>()

  function dispatch(event: AnswerEvent) {
    const next = answerReducer(state, event)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  /** Takes the answer as under way; undefined where none may be sent now. */
  function begin(given: Answer): UnderWay | undefined {
    if (underWay || (state.kind !== 'pending' && state.kind !== 'failed')) return undefined
    const controller = new AbortController()
    underWay = controller
    dispatch({ type: 'pressed', answer: given })
    const timer = setTimeout(() => dispatch({ type: 'overdue' }), OVERDUE_MS)
    const end = (event: AnswerEvent) => {
      clearTimeout(timer)
      underWay = undefined
      dispatch(event)
    }
    return {
      signal: controller.signal,
      replied: (result) => end({ type: 'replied', result }),
      faulted(fault) {
        if (controller.signal.aborted) end({ type: 'gave-up' })
        else end({ type: 'faulted', message: `No reply: your answer may have counted. ${wordsOf(fault)}` })
      },
    }
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    getState: () => state,
    isIdle: () => listeners.size === 0 && underWay === undefined,
    /**
     * Sends the answer, bound to the ask as it was shown. Nothing while one is under way or the ask is settled. With
     * `attempts` it fails after so many; without, it is sent until the gateway says what it recorded.
     */
    async answer(given: Answer, options: { readonly attempts?: number } = {}) {
      const begun = begin(given)
      if (begun)
        await client.answer(ask, given, { ...options, signal: begun.signal }).then(begun.replied, begun.faulted)
    },
    begin,
    /** Stops waiting for an answer that was sent. It may have counted; the gateway's event will tell. */
    cancelWaiting: () => underWay?.abort(),
    /** The gateway's own event. */
    settle: (outcome: Outcome) => dispatch({ type: 'settled', outcome }),
  }
}

function wordsOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}
