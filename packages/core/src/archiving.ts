import type { Session } from '@holdpoint/schema/session'

/** Whether a person may put a session out of the lists: nothing in it waits for anybody, and no agent is at work. */
export function mayBeArchived({ state, openAsks, queuedMessages, mayWait, frozen }: Session): boolean {
  if (state === 'dead') return true
  return state === 'user_turn' && openAsks === 0 && queuedMessages === 0 && !mayWait && !frozen
}

/** Whether lists leave a session out. Never one in which something waits for an answer, whatever its record says (I7). */
export function isArchived({ archived, openAsks }: Session): boolean {
  return archived === true && openAsks === 0
}

/** The session as it is once something happens in it that a person may want to see. */
export function broughtBack(session: Session): Session {
  const { archived, ...rest } = session
  return archived === undefined ? session : rest
}
