/** Milliseconds to wait before the next attempt: longer each time, and not the same for all who wait. */
export function backOff(attempt: number): number {
  return Math.min(50 * 2 ** attempt, 1_000) * (0.5 + Math.random() / 2)
}
