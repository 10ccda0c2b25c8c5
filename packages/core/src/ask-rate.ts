import type { SessionId } from '@holdpoint/schema/id'
import type { Clock } from './clock.ts'

/** Asks a second, for as long as it goes on, and at once. A real agent gets to some 25 a second (F35). */
export const ASKS_PER_SECOND = 60
export const ASKS_AT_ONCE = 200

/** How fast a session may ask. By a clock that nobody sets: one that is put forward must not let a flood in. */
export function createAskRate({ monotonic }: Pick<Clock, 'monotonic'>) {
  const sessions = new Map<SessionId, { left: number; at: number }>()

  return {
    /** Whether this session may ask once more, now. */
    take(sessionId: SessionId): boolean {
      const at = monotonic()
      const last = sessions.get(sessionId) ?? { left: ASKS_AT_ONCE, at }
      const refilled = Math.min(ASKS_AT_ONCE, last.left + ((at - last.at) / 1000) * ASKS_PER_SECOND)
      const isTaken = refilled >= 1
      sessions.set(sessionId, { left: isTaken ? refilled - 1 : refilled, at })
      return isTaken
    },
    forget: (sessionId: SessionId) => void sessions.delete(sessionId),
  }
}
