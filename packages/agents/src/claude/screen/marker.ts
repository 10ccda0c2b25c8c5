import { randomBytes } from 'node:crypto'

const LETTERS = 'abcdef'
const SHAPE = [8, 4, 4, 4, 12]

/**
 * A UUID of letters alone: should a dialog come in front at the very moment in which it is typed, a digit would choose one
 * of its options, and a letter chooses none. 82 random bits.
 */
export function newMarker(): string {
  return SHAPE.map((length) => Array.from({ length }, randomLetter).join('')).join('-')
}

function randomLetter(): string {
  for (;;) {
    const [byte = 255] = randomBytes(1)
    // Each letter as likely as the others.
    if (byte < 252) return LETTERS[byte % 6] ?? ''
  }
}

/** All that is typed to find a conversation. No digits, for the same reason, and one line. */
export function markerMessage(marker: string): string {
  return `Holdpoint looks for the file of this conversation, by the marker ${marker}. There is nothing to do: reply with ok and nothing else.`
}
