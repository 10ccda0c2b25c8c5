import type { Clock } from '@holdpoint/core/clock'

const LONGEST_TIMER = 2 ** 31 - 1

/** A clock that runs like any other and can be put forward. */
export function createManualClock() {
  let ahead = 0
  const alarms = new Map<() => void, number>()
  const now = () => Date.now() + ahead
  const clock: Clock = {
    now,
    wake(at, callback) {
      const ring = () => {
        clearTimeout(timer)
        if (alarms.delete(ring)) callback()
      }
      const timer = setTimeout(ring, Math.min(Math.max(at - now(), 0), LONGEST_TIMER)).unref()
      alarms.set(ring, at)
      return () => {
        clearTimeout(timer)
        alarms.delete(ring)
      }
    },
    after: (ms, callback) => clock.wake(now() + ms, callback),
    soon: (callback) => void setImmediate(callback),
  }
  return {
    clock,
    /** Moves the time without waking anybody, as if the timers were late. */
    skip(ms: number) {
      ahead += ms
    },
    /** Moves the time; whatever is due then is woken at once, in order. */
    advance(ms: number) {
      ahead += ms
      for (const [ring, at] of [...alarms].sort(([, a], [, b]) => a - b)) if (at <= now()) ring()
    },
  }
}
