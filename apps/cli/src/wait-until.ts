import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 25

/** Looks until it is so; false when the time is over. */
export async function waitUntil(isSo: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds
  while (!(await isSo())) {
    if (performance.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}
