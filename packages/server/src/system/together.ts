import type { Clock } from '@holdpoint/core/clock'

/** Many rules may be added at once: whoever shows them reads them a few times, and not for each. */
const TOGETHER_MS = 100

/** Calls once for many calls that come within a moment. */
export function together(clock: Clock, act: () => void): () => void {
  let isComing = false
  return () => {
    if (isComing) return
    isComing = true
    clock.after(TOGETHER_MS, () => {
      isComing = false
      act()
    })
  }
}
