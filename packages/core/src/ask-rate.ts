import type { Clock } from './clock.ts'

/** Asks a second, for as long as it goes on, and at once. A real agent gets to some 25 a second (F35). */
export const ASKS_PER_SECOND = 60
export const ASKS_AT_ONCE = 200

interface RateLimits {
  readonly atOnce: number
  readonly perSecond: number
}
const ASKS: RateLimits = { atOnce: ASKS_AT_ONCE, perSecond: ASKS_PER_SECOND }
/**
 * Characters of the asks of one program, as JSON: they stay in the record when the asks are withdrawn, and would fill the
 * disk (I10). The largest ask fits.
 */
export const RAISED_CHARACTERS: RateLimits = { atOnce: 8_000_000, perSecond: 100_000 }

/** How fast somebody may ask. By a clock that nobody sets: one that is put forward must not let a flood in. */
export function createAskRate<Asker extends string>({ monotonic }: Pick<Clock, 'monotonic'>, limits = ASKS) {
  const askers = new Map<Asker, { left: number; at: number }>()

  function leftOf(asker: Asker, at: number): number {
    const last = askers.get(asker) ?? { left: limits.atOnce, at }
    return Math.min(limits.atOnce, last.left + ((at - last.at) / 1000) * limits.perSecond)
  }

  return {
    /** Whether this one may ask now: once more, or for so many characters more. */
    take(asker: Asker, amount = 1): boolean {
      const at = monotonic()
      const left = leftOf(asker, at)
      const isTaken = left >= amount
      askers.set(asker, { left: isTaken ? left - amount : left, at })
      return isTaken
    },
    /** In how many milliseconds this one may ask once more. */
    waitMs(asker: Asker): number {
      return (Math.max(0, 1 - leftOf(asker, monotonic())) / limits.perSecond) * 1000
    },
    forget: (asker: Asker) => void askers.delete(asker),
  }
}
