import type { SessionId } from '@holdpoint/schema/id'
import type { Clock } from './clock.ts'

/** One timer for each session: setting it again puts it off. */
export function createSessionTimers(clock: Clock) {
  const timers = new Map<SessionId, () => void>()

  function forget(id: SessionId) {
    timers.get(id)?.()
    timers.delete(id)
  }

  return {
    set(id: SessionId, at: number, act: () => void) {
      forget(id)
      const onTime = () => {
        timers.delete(id)
        act()
      }
      timers.set(id, clock.wake(at, onTime))
    },
    forget,
    close() {
      for (const id of [...timers.keys()]) forget(id)
    },
  }
}
