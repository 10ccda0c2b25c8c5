import type { Outcome } from '@holdpoint/schema/outcome'
import type { CallFact } from './transcript-facts.ts'

/** What is known of the way of our decision to Claude Code. */
export interface Handed {
  /** The hook was given it. Whether Claude Code has taken it is another matter. */
  readonly isHanded: boolean
  /** Claude Code has written down that it took it. */
  readonly isTaken: boolean
  /** Another hook of the user's decided otherwise, and was first. */
  readonly isOverruled: boolean
}

/**
 * A call is over that was decided here: was it this decision that counted, or one at the terminal? `unknown` where
 * nothing says whose it was, and both come to the same.
 */
export function verdict(
  { isHanded, isTaken, isOverruled }: Handed,
  outcome: Pick<Outcome, 'kind'>,
  { end, by }: Extract<CallFact, { type: 'ended' }>,
): 'ours' | 'theirs' | 'unknown' {
  // A no that interrupts is written down as if a person at the terminal had given it.
  const isOurNo = end.kind === 'denied' && outcome.kind === 'denied'
  if (isHanded && !isOverruled && (isTaken || by === 'hook' || isOurNo)) return 'ours'
  const agrees = (end.kind === 'ran') === (outcome.kind !== 'denied')
  return by === undefined && agrees ? 'unknown' : 'theirs'
}
