import type { Result } from '@holdpoint/client/gateway-client'
import type { Answer } from '@holdpoint/schema/answer'
import type { Outcome } from '@holdpoint/schema/outcome'

/** How far a person's answer to one ask has come, as this card knows it. */
export type AnswerState =
  | {
      readonly kind: 'pending'
      /** The person stopped waiting for an answer that was sent: it may still have counted. */
      readonly gaveUp?: boolean
    }
  | { readonly kind: 'submitting'; readonly answer: Answer; readonly overdue: boolean }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** What did not count because the ask had changed. */
      readonly changed?: Answer
    }
  | SettledState

export interface SettledState {
  readonly kind: 'settled-here' | 'settled-elsewhere' | 'expired' | 'withdrawn'
  readonly outcome: Outcome
  /** What this card had sent, where it may have been too late. */
  readonly pressed?: Answer
  /** Another outcome was first while this person was pressing. */
  readonly lostRace?: boolean
}

export type AnswerEvent =
  | { readonly type: 'pressed'; readonly answer: Answer }
  /** The answer has taken so long that the person has to be shown something. */
  | { readonly type: 'overdue' }
  | { readonly type: 'replied'; readonly result: Result<Outcome> }
  | { readonly type: 'faulted'; readonly message: string }
  | { readonly type: 'gave-up' }
  /** The gateway's own event: the truth, whatever this card believed. */
  | { readonly type: 'settled'; readonly outcome: Outcome }

export function initialAnswerState(outcome: Outcome | undefined): AnswerState {
  return outcome ? settled(outcome, { here: false }) : { kind: 'pending' }
}

export function isSettled(state: AnswerState): state is SettledState {
  return 'outcome' in state
}

export function answerReducer(state: AnswerState, event: AnswerEvent): AnswerState {
  switch (event.type) {
    case 'pressed':
      return state.kind === 'pending' || state.kind === 'failed'
        ? { kind: 'submitting', answer: event.answer, overdue: false }
        : state
    case 'overdue':
      return state.kind === 'submitting' ? { ...state, overdue: true } : state
    case 'gave-up':
      return state.kind === 'submitting' ? { kind: 'pending', gaveUp: true } : state
    case 'faulted':
      return state.kind === 'submitting' ? { kind: 'failed', message: event.message } : state
    case 'settled':
      return onSettled(state, event.outcome)
    case 'replied':
      return onReply(state, event.result)
    default:
      return event satisfies never
  }
}

function onSettled(state: AnswerState, outcome: Outcome): AnswerState {
  if (isSettled(state)) return state
  if (state.kind !== 'submitting') {
    // The reply that said so has overtaken the event.
    const pressed = state.kind === 'failed' && outcome.reason === 'changed' ? state.changed : undefined
    return settled(outcome, { here: false, ...(pressed && { pressed }) })
  }
  // The event often overtakes the reply that says whose answer it was; until then the answer itself tells.
  const here = sameAnswer(outcome.answer, state.answer)
  return settled(outcome, { here, pressed: state.answer })
}

function onReply(state: AnswerState, result: Result<Outcome>): AnswerState {
  const pressed = state.kind === 'submitting' ? state.answer : isSettled(state) ? state.pressed : undefined
  if (result.ok) return settled(result.value, { here: true, ...(pressed && { pressed }) })
  if (result.code === 'already_settled' && result.outcome) {
    return settled(result.outcome, { here: false, ...(pressed && { pressed }) })
  }
  if (state.kind !== 'submitting') return state
  const changed = result.code === 'changed' && { changed: state.answer }
  return { kind: 'failed', message: failureWords(result), ...changed }
}

function settled(outcome: Outcome, how: { here: boolean; pressed?: Answer }): SettledState {
  const decided = outcome.kind !== 'expired' && outcome.kind !== 'withdrawn'
  const kind = !decided ? outcome.kind : how.here ? 'settled-here' : 'settled-elsewhere'
  return {
    kind: kind as SettledState['kind'],
    outcome,
    ...(how.pressed && { pressed: how.pressed }),
    ...(how.pressed && kind !== 'settled-here' && { lostRace: true }),
  }
}

function failureWords(refused: Extract<Result<Outcome>, { ok: false }>): string {
  switch (refused.code) {
    case 'digest_mismatch':
      return 'This ask has changed: check it again. Your answer was not sent.'
    case 'invalid_answer':
      return [refused.message, ...(refused.issues ?? [])].join(' ')
    default:
      return refused.message
  }
}

function sameAnswer(recorded: Readonly<Record<string, unknown>> | undefined, given: Answer): boolean {
  const { digest, ...kept } = given
  return recorded !== undefined && sorted(recorded) === sorted(kept)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1)))
      : entry,
  )
}
