import type { Clock } from '@holdpoint/core/clock'

/** Time that moves when a test says so. */
export function createManualClock(start = 1_800_000_000_000) {
  let now = start
  const timers = new Map<symbol, { at: number; callback: () => void }>()
  const clock: Clock = {
    now: () => now,
    wake(at, callback) {
      const id = Symbol()
      timers.set(id, { at, callback })
      return () => timers.delete(id)
    },
    soon: (callback) => queueMicrotask(callback),
  }
  return {
    clock,
    advance(ms: number) {
      now += ms
      for (const [id, timer] of [...timers]) {
        if (timer.at > now || !timers.delete(id)) continue
        timer.callback()
      }
    },
    pending: () => timers.size,
  }
}
