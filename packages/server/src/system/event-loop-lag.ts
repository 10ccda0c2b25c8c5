import type { Clock } from '@holdpoint/core/clock'

const TICK_MS = 500
/** Two windows of this length are kept, so that what is told covers the last half minute at least. */
const WINDOW_MS = 30_000

/** How long, at worst, anything had to wait lately because something else kept this process busy (F47). */
export function createEventLoopLag(clock: Pick<Clock, 'monotonic' | 'after'>) {
  let before = 0
  let worst = 0
  let since = clock.monotonic()
  let cancel = () => {}

  function tick() {
    const due = clock.monotonic() + TICK_MS
    cancel = clock.after(TICK_MS, () => {
      const now = clock.monotonic()
      if (now - since > WINDOW_MS) {
        before = worst
        worst = 0
        since = now
      }
      worst = Math.max(worst, now - due)
      tick()
    })
  }
  tick()

  return { ms: () => Math.round(Math.max(before, worst)), close: () => cancel() }
}
export type EventLoopLag = ReturnType<typeof createEventLoopLag>
