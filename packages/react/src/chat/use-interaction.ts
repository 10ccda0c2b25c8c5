import { useState, useSyncExternalStore } from 'react'
import { useTransport } from '../hooks/use-transport.tsx'
import { interactingOf } from './interacting.ts'
import { type Sent, type Settled, type ShownState, shownState } from './interaction-state.ts'

export interface InteractionProps {
  readonly sessionId: string
  readonly toolCallId: string
  /** How many times this id has been asked about, where ids are reused: each time has its own answer. */
  readonly asked?: number | undefined
  /** When its time is up, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** How long it may wait from the moment it is first shown, where `expiresAt` is not known. */
  readonly timeoutMs?: number | undefined
  /** Its outcome, from an `interaction_settled` event. */
  readonly settled?: Settled | undefined
}

export interface Interaction {
  readonly state: ShownState
  readonly expiresAt: number | undefined
  /** To be called when the time is up. */
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
