import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 15

/** Between two pieces of long work: lets what waits have its turn, once a slice of time is used up. */
export function createPause(): () => Promise<void> {
  let begun = performance.now()
  return async () => {
    if (performance.now() - begun < SLICE_MS) return
    await setImmediate()
    begun = performance.now()
  }
}
