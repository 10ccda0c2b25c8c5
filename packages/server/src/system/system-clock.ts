import type { Clock } from '@holdpoint/core/clock'

/** Timers hold at most this long; a later wake is reached in steps. */
const LONGEST_TIMER = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  wake(at, callback) {
    let timer: NodeJS.Timeout
    const arm = () => {
      const left = at - Date.now()
      timer = setTimeout(() => (Date.now() >= at ? callback() : arm()), Math.min(Math.max(left, 0), LONGEST_TIMER))
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
