export interface Ranked {
  /** Each of them may be what was meant, in lower case. */
  readonly names: readonly string[]
  /** A person is waited for there. */
  readonly isWaiting?: boolean
}

/** How well a word fits, the best first. */
const PREFIX = 0
const WORD_START = 1
const INSIDE = 2
const SCATTERED = 3
const NONE = 4
type Fit = 0 | 1 | 2 | 3 | 4

const LETTER = /[\p{L}\p{N}]/u

/**
 * The entries that have every word that was typed: what waits first, then those that fit best, in the order given among
 * equals. Letters that are merely somewhere, in their order, come last whatever waits: they are most often chance.
 */
export function rank<Entry extends Ranked>(entries: readonly Entry[], typed: string, most: number): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const places: Entry[][] = []
  for (const entry of entries) {
    const fit = fitOfAll(entry.names, words)
    if (fit === NONE) continue
    const place = fit === SCATTERED || !entry.isWaiting ? fit + NONE : fit
    places[place] = places[place] ?? []
    places[place].push(entry)
  }
  return places.flat().slice(0, most)
}

/** As well as the word that fits worst, each in the name that it fits best. */
function fitOfAll(names: readonly string[], words: readonly string[]): Fit {
  let worst: Fit = PREFIX
  for (const word of words) {
    let best: Fit = NONE
    for (const name of names) best = better(best, fitOf(name, word))
    if (best > worst) worst = best
    if (worst === NONE) return NONE
  }
  return worst
}

function better(one: Fit, other: Fit): Fit {
  return other < one ? other : one
}

function fitOf(name: string, word: string): Fit {
  const first = name.indexOf(word)
  if (first === 0) return PREFIX
  if (first < 0) return isScattered(name, word) ? SCATTERED : NONE
  for (let at = first; at > 0; at = name.indexOf(word, at + 1)) if (!LETTER.test(name.charAt(at - 1))) return WORD_START
  return INSIDE
}

function isScattered(name: string, word: string): boolean {
  let at = -1
  for (const letter of word) {
    at = name.indexOf(letter, at + 1)
    if (at < 0) return false
  }
  return true
}
