import type { Timers } from './timers.ts'

/** Thirty pictures a second are enough for eyes, however many agents talk. */
const SPACING_MS = 33
/** A picture for each frame of a screen: more of them nobody would see. */
const URGENT_SPACING_MS = 16

/**
 * Runs `publish` soon after a change: at once after a quiet time, together with what else happens when it is busy. What
 * is urgent waits for a frame at most.
 */
export function createNotifier(options: { timers: Timers; publish: () => void }) {
  let dueAt = Number.POSITIVE_INFINITY
  let isClosed = false
  let lastAt = Number.NEGATIVE_INFINITY
  let callOff = () => {}

  function run() {
    if (isClosed) return
    dueAt = Number.POSITIVE_INFINITY
    lastAt = options.timers.now()
    options.publish()
  }

  return {
    changed(change: { readonly isUrgent?: boolean } = {}) {
      const spacing = change.isUrgent ? URGENT_SPACING_MS : SPACING_MS
      const now = options.timers.now()
      // The clock may have been put back.
      const wait = Math.max(0, Math.min(lastAt + spacing - now, spacing))
      if (isClosed || now + wait >= dueAt) return
      dueAt = now + wait
      callOff()
      if (wait > 0) callOff = options.timers.after(wait, run)
      else queueMicrotask(run)
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
