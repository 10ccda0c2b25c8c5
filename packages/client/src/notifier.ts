import type { Timers } from './timers.ts'

/** Thirty pictures a second are enough for eyes, however many agents talk. */
const SPACING_MS = 33

/**
 * Runs `publish` soon after a change: at once after a quiet time, together with what else happens when it is busy.
 */
export function createNotifier(options: { timers: Timers; publish: () => void }) {
  let isDue = false
  let isClosed = false
  let lastAt = Number.NEGATIVE_INFINITY
  let callOff = () => {}

  function run() {
    if (isClosed) return
    isDue = false
    lastAt = options.timers.now()
    options.publish()
  }

  return {
    changed() {
      if (isDue || isClosed) return
      isDue = true
      // The clock may have been put back.
      const wait = Math.min(lastAt + SPACING_MS - options.timers.now(), SPACING_MS)
      if (wait <= 0) queueMicrotask(run)
      else callOff = options.timers.after(wait, run)
    },
    close() {
      isClosed = true
      callOff()
    },
  }
}

/** Whoever wants to hear of changes. */
export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener: () => void) {
      // The same function may be given twice: each has its own undo.
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    notify() {
      for (const listener of [...listeners]) listener()
    },
    clear: () => listeners.clear(),
  }
}
