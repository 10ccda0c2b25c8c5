import type { InteractionResult } from '@holdpoint/client/transport'
import type { InteractionOutcome } from '@holdpoint/schema/turn-stream'

/** What a person gave to a tool call that waits. */
export type Sent =
  | { readonly kind: 'approve' | 'deny' }
  | { readonly kind: 'answers'; readonly answers: Readonly<Record<string, string>> }

/** Its state, as far as this page knows. */
export type InteractionState =
  | { readonly kind: 'pending'; readonly error?: string }
  | { readonly kind: 'submitting' | 'submitted' | 'too-late'; readonly sent: Sent }
  /** The gateway knows of nothing that waits here. */
  | { readonly kind: 'gone' }

export type InteractionEvent =
  | { readonly type: 'pressed'; readonly sent: Sent }
  | { readonly type: 'replied'; readonly result: InteractionResult }
  | { readonly type: 'faulted'; readonly message: string }

/** What an `interaction_settled` event says. */
export interface Settled {
  readonly outcome: InteractionOutcome
  readonly reason?: string | undefined
}

export type ShownState =
  | Exclude<InteractionState, { kind: 'too-late' | 'gone' }>
  | { readonly kind: 'timed-out'; readonly tooLate: boolean }
  /** Settled, but not from here. Without an outcome it is unknown how. */
  | { readonly kind: 'elsewhere'; readonly settled?: Settled; readonly tooLate: boolean }

export function interactionReducer(state: InteractionState, event: InteractionEvent): InteractionState {
  if (event.type === 'pressed') return state.kind === 'pending' ? { kind: 'submitting', sent: event.sent } : state
  if (state.kind !== 'submitting') return state
  if (event.type === 'faulted') return { kind: 'pending', error: event.message }
  const { result } = event
  if (result.ok) return { kind: 'submitted', sent: state.sent }
  if (result.code === 'already_settled') return { kind: 'too-late', sent: state.sent }
  return result.code === 'not_found' ? { kind: 'gone' } : { kind: 'pending', error: result.message }
}

/**
 * What is shown: what this page knows, and what an event said. While an answer is being sent, its own reply decides,
 * because the event that it causes may arrive first.
 */
export function shownState(
  state: InteractionState,
  { settled, isLate }: { readonly settled: Settled | undefined; readonly isLate: boolean },
): ShownState {
  if (state.kind === 'submitting' || state.kind === 'submitted') return state
  const tooLate = state.kind === 'too-late'
  if (settled?.outcome === 'expired') return { kind: 'timed-out', tooLate }
  if (settled) return { kind: 'elsewhere', settled, tooLate }
  if (state.kind !== 'pending') return { kind: 'elsewhere', tooLate }
  return isLate ? { kind: 'timed-out', tooLate } : state
}
