import type { Clock } from '@holdpoint/core/clock'

export interface Rounds {
  /** Has this called again and again, in turn with all others. Returns how to stop it. */
  add(check: () => Promise<void>): () => void
}

const EVERY_MS = 1000
/** Of a few, each is called every second; of thousands, so many each second, whoever's turn it is (F59). */
const AT_ONCE = 20

/** Slow looks at what nobody tells of, or tells of too late. What they cost does not grow with how many wait. */
export function createRounds(clock: Clock): Rounds {
  const checks = new Set<{ readonly check: () => Promise<void> }>()
  let isUnderWay = false

  function begin() {
    if (isUnderWay || checks.size === 0) return
    isUnderWay = true
    clock.after(EVERY_MS, () => {
      const turn = [...take(AT_ONCE)]
      // To the end of the row.
      for (const entry of turn) {
        checks.delete(entry)
        checks.add(entry)
      }
      void Promise.allSettled(turn.map(({ check }) => check())).then(() => {
        isUnderWay = false
        begin()
      })
    })
  }

  function* take(count: number) {
    let taken = 0
    for (const entry of checks) {
      if (taken++ === count) return
      yield entry
    }
  }

  return {
    add(check) {
      const entry = { check }
      checks.add(entry)
      begin()
      return () => checks.delete(entry)
    },
  }
}
