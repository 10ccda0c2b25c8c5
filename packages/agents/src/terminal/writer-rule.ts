/** How long the keyboard stays with who typed last. */
export const HOLD_MS = 3000

/** One writer at a time: two people's letters in one line are nobody's command. */
export function createWriterRule(now: () => number) {
  let holder: string | undefined
  let typedAt = Number.NEGATIVE_INFINITY

  const isHeld = () => now() - typedAt < HOLD_MS

  return {
    /** Takes the keyboard, or keeps it. Says whether it is theirs. */
    claim(who: string): boolean {
      if (holder !== who && isHeld()) return false
      holder = who
      typedAt = now()
      return true
    },
    /** Gone: the next may type at once. */
    release(who: string) {
      if (holder !== who) return
      holder = undefined
      typedAt = Number.NEGATIVE_INFINITY
    },
    /** Whoever typed last, however long ago. */
    get holder() {
      return holder
    },
    /** Whether somebody other than this one has the keyboard now. */
    isBusyFor: (who: string) => holder !== undefined && holder !== who && isHeld(),
    /** For how many milliseconds nobody has typed. */
    get idleMs() {
      return now() - typedAt
    },
  }
}
