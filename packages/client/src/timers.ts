import type { Clock } from '@holdpoint/core/clock'

/** The part of a clock that the client needs. */
export type Timers = Pick<Clock, 'now' | 'after'>

export const systemTimers: Timers = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
