import type { AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Handed } from './verdict.ts'

const MAX_CALLS = 200
/** How long a hook whose connection broke has to come again; it tries at once. */
export const LOST_MS = 5000

/** A permission request of Claude Code's that a hook has brought, until it is known how it ended. */
export interface Held extends Handed {
  readonly requestId: string
  readonly pid: number
  readonly agentId: string | undefined
  /** As the hook brought it. */
  readonly asked: { readonly name: string; readonly input: ToolInput }
  /** As it was shown last: made anew when a file that it shows has changed. */
  request: AskRequest
  readonly outcome: Promise<Outcome>
  readonly cancel: AbortController
  readonly arrivedAt: number
  settled?: Outcome
  settledAt?: number
  connections: number
  /** Its dialog was seen. A subagent that works in the background shows none while the hook is there. */
  wasOnScreen: boolean
  hasLeftScreen: boolean
  isHanded: boolean
  isTaken: boolean
  isOverruled: boolean
  /** Claude Code did not take the decision, and goes on asking at its terminal. */
  isLeft: boolean
}

/**
 * What hooks have to do with a call's dialog: one waits with it, or may come back to it; one did and has let it go; or none
 * has spoken of it.
 */
export type HeldDialog = 'held' | 'let-go' | 'unknown'

/** With the oldest left out when there are too many (I10). */
export function bounded<Value>(map: Map<string, Value>): Map<string, Value> {
  const [oldest] = map.keys()
  if (map.size >= MAX_CALLS && oldest !== undefined) map.delete(oldest)
  return map
}

export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
