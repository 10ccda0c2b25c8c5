import type { Clock } from '@holdpoint/core/clock'

/** Timers hold at most this long; a later wake is reached in steps. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The timers of this process, with a time of day that comes from elsewhere where machines have to agree about it. */
export function createClock(now: () => number): Clock {
  return {
    now,
    monotonic: () => performance.now(),
    wake(at, callback) {
      let timer: NodeJS.Timeout
      const arm = () => {
        const left = at - now()
        timer = setTimeout(() => (now() >= at ? callback() : arm()), Math.min(Math.max(left, 0), LONGEST_TIMER))
        timer.unref()
      }
      arm()
      return () => clearTimeout(timer)
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    // After the poll phase: whatever arrived together is decided and committed together.
    soon: (callback) => void setImmediate(callback),
  }
}

export const systemClock = createClock(Date.now)
