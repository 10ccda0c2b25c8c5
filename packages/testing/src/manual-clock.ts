import type { Clock } from '@holdpoint/core/clock'

/** A clock that runs like any other and can be put forward; what it wakes for is due at once. */
export function createManualClock() {
  let ahead = 0
  const alarms = new Set<{ at: number; callback: () => void }>()
  const now = () => Date.now() + ahead
  const clock: Clock = {
    now,
    wake(at, callback) {
      const alarm = { at, callback }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    soon: (callback) => void setImmediate(callback),
  }
  return {
    clock,
    /** Moves the time without waking anybody, as if the timers were late. */
    skip(ms: number) {
      ahead += ms
    },
    advance(ms: number) {
      ahead += ms
      for (const alarm of [...alarms].sort((a, b) => a.at - b.at)) {
        if (alarm.at <= now() && alarms.delete(alarm)) alarm.callback()
      }
    },
  }
}
