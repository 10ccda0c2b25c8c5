/** What a program may write at once, in characters, and what it may go on writing each second. */
const BURST = 8 * 1024 * 1024
const PER_SECOND = 1.5 * 1024 * 1024
/** How much it has to be worth to read on, once the limit was reached. */
const WORTHWHILE = 32 * 1024

/**
 * How fast output is read. Drawing it on a screen that nobody could follow takes a whole core, and agents elsewhere
 * that wait for an answer need it more (F46).
 */
export function createFloodLimit(now: () => number) {
  let left = BURST
  let lastAt = now()

  function refill() {
    const at = now()
    left = Math.min(BURST, left + ((at - lastAt) / 1000) * PER_SECOND)
    lastAt = at
  }

  return {
    /** Takes note of so much output, and says for how many milliseconds nothing more should be read. */
    read(characters: number): number {
      refill()
      left -= characters
      return left > 0 ? 0 : Math.ceil(((WORTHWHILE - left) / PER_SECOND) * 1000)
    },
  }
}
