import type { Clock } from '@holdpoint/core/clock'

const LONGEST_TIMER = 2 ** 31 - 1

/** A clock that runs like any other, can be put forward, and can be set wrong. */
export function createManualClock() {
  let ahead = 0
  let wrong = 0
  const alarms = new Map<() => void, () => number>()
  const monotonic = () => performance.now() + ahead
  const now = () => Date.now() + ahead + wrong

  /** `left` is how many milliseconds are left. */
  function alarm(left: () => number, callback: () => void) {
    const ring = () => {
      clearTimeout(timer)
      if (alarms.delete(ring)) callback()
    }
    const timer = setTimeout(ring, Math.min(Math.max(left(), 0), LONGEST_TIMER)).unref()
    alarms.set(ring, left)
    return () => {
      clearTimeout(timer)
      alarms.delete(ring)
    }
  }

  const clock: Clock = {
    now,
    monotonic,
    wake: (at, callback) => alarm(() => at - now(), callback),
    after(ms, callback) {
      const at = monotonic() + ms
      return alarm(() => at - monotonic(), callback)
    },
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
      const due = [...alarms].map(([ring, left]) => ({ ring, left: left() })).filter(({ left }) => left <= 0)
      for (const { ring } of due.sort((a, b) => a.left - b.left)) ring()
    },
    /** Sets the time of day, as a person or a time server does: no time passes, and nobody is woken. */
    set(ms: number) {
      wrong += ms
    },
  }
}
