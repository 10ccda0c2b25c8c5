import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { useEffect, useSyncExternalStore } from 'react'
import { type AnswerState, answerReducer } from '../asks/answer-state.ts'
import { answeringOf } from '../asks/answering.ts'
import { settledAsk } from '../asks/ask-index.ts'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { useGateway } from './use-gateway.tsx'

export interface Answering {
  readonly state: AnswerState
  /** Sends the answer, bound to the ask as it was shown. Nothing while one is under way or the ask is settled. */
  answer(answer: Answer): void
  /** Stops waiting for an answer that was sent. It may have counted; the gateway's event will tell. */
  cancelWaiting(): void
}

/** The state of the answer to one ask. Leaving the page does not take back an answer that was sent. */
export function useAnswering(ask: Ask): Answering {
  const answering = answeringOf(useClient(), ask)
  const outcome = useGateway(({ settled }) => settledAsk(settled, ask.id)?.outcome) ?? ask.outcome
  useEffect(() => {
    if (outcome) answering.settle(outcome)
  }, [answering, outcome])
  const known = useSyncExternalStore(answering.subscribe, answering.getState, answering.getState)
  // The effect comes after the first paint: an ask that is settled already never shows its buttons.
  const state = outcome ? answerReducer(known, { type: 'settled', outcome }) : known
  return { state, answer: answering.answer, cancelWaiting: answering.cancelWaiting }
}
