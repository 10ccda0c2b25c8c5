import { useState, useSyncExternalStore } from 'react'
import { interactingOf } from './interacting.ts'
import { type Sent, type Settled, type ShownState, shownState } from './interaction-state.ts'
import { useTransport } from './use-transport.tsx'

export interface InteractionProps {
  readonly sessionId: string
  readonly toolCallId: string
  /** Which time it is that this id is asked about, where ids come again: each has an answer of its own. */
  readonly asked?: number | undefined
  /** When its time is up, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** How long it may wait from the moment it is first shown, where `expiresAt` is not known. */
  readonly timeoutMs?: number | undefined
  /** What became of it, from an `interaction_settled` event. */
  readonly settled?: Settled | undefined
}

export interface Interaction {
  readonly state: ShownState
  readonly expiresAt: number | undefined
  /** To be called when the clock says so. */
  onLate(): void
  submit(sent: Sent): void
}

/** Where the answer to one tool call stands. */
export function useInteraction({
  sessionId,
  toolCallId,
  asked,
  settled,
  timeoutMs,
  expiresAt: given,
}: InteractionProps): Interaction {
  const interacting = interactingOf(useTransport(), sessionId, toolCallId, asked)
  const known = useSyncExternalStore(interacting.subscribe, interacting.getState, interacting.getState)
  const [shownAt] = useState(() => Date.now())
  const expiresAt = given ?? (timeoutMs === undefined ? undefined : shownAt + timeoutMs)
  const [passed, setPassed] = useState<number>()
  const isLate = expiresAt !== undefined && (expiresAt <= shownAt || expiresAt === passed)
  return {
    state: shownState(known, { settled, isLate }),
    expiresAt,
    onLate: () => setPassed(expiresAt),
    submit: interacting.submit,
  }
}
