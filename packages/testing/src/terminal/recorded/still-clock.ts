import type { Clock } from '@holdpoint/core/clock'

/** A clock that stands still until it is told the time; then it rings for all that is due, in order. */
export function createStillClock() {
  let now = 0
  let due: { at: number; ring: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    wake(at, ring) {
      const alarm = { at, ring }
      due.push(alarm)
      return () => {
        due = due.filter((other) => other !== alarm)
      }
    },
    after: (ms, ring) => clock.wake(now + ms, ring),
    soon: (callback) => callback(),
  }
  return {
    clock,
    moveTo(time: number) {
      for (;;) {
        const [next] = due.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)
        if (!next) break
        now = Math.max(now, next.at)
        due = due.filter((other) => other !== next)
        next.ring()
      }
      now = Math.max(now, time)
    },
  }
}
