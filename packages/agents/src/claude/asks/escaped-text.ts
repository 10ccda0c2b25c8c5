/** `\u00e9`, unless a backslash before it takes its meaning away. */
const ESCAPE = /(?<!\\)((?:\\\\)*)\\u([0-9a-fA-F]{4})/
const ESCAPES = new RegExp(ESCAPE, 'g')
const ESCAPE_LENGTH = 6

/** The part of the file that is meant, and how the new text has to be written there. */
export interface SwappedEscapes {
  readonly found: string
  swap(put: string): string
}

/**
 * Claude Code takes `\u00e9` for `é` where the text is not in the file as it is written: first the call's escapes for the
 * file's characters, then the call's characters for the file's escapes. The new text is swapped in the same way.
 */
export function swappedEscapes(text: string, wanted: string): SwappedEscapes | undefined {
  if (!ESCAPE.test(wanted)) return escapedIn(text, wanted)
  const plain = decoded(wanted)
  // Characters beside escapes that the file has as escapes alone: not measured in all ways, so nothing is foretold.
  return text.includes(plain) ? { found: plain, swap: decoded } : undefined
}

function decoded(text: string): string {
  return text.replace(
    ESCAPES,
    (_, slashes: string, hex: string) => slashes + String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** The file has escapes where the call has characters beyond ASCII. */
function escapedIn(text: string, wanted: string): SwappedEscapes | undefined {
  const pattern = escaped(wanted, hexOf)
  if (pattern === wanted) return undefined
  // The same length: places stay the same. Only the first place counts, whether it will do or not.
  const at = text.replace(/\\u[0-9a-fA-F]{4}/g, (found) => found.toLowerCase()).indexOf(pattern)
  if (at < 0) return undefined
  const spelled = new Map<string, string>()
  let letters = ''
  let place = at
  for (const unit of wanted.split('')) {
    if (isPlain(unit)) place += 1
    else {
      if (slashesBefore(text, place) % 2 === 1) return undefined
      const hex = text.slice(place + 2, place + ESCAPE_LENGTH)
      spelled.set(unit, hex)
      letters += hex
      place += ESCAPE_LENGTH
    }
  }
  const isUpper = /[A-F]/.test(letters) && !/[a-f]/.test(letters)
  const spelling = (unit: string) => spelled.get(unit) ?? (isUpper ? hexOf(unit).toUpperCase() : hexOf(unit))
  return { found: text.slice(at, place), swap: (put) => escaped(put, spelling) }
}

function escaped(text: string, spelling: (unit: string) => string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${spelling(unit)}`)
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}

function isPlain(unit: string): boolean {
  return unit.charCodeAt(0) < 0x80
}

function slashesBefore(text: string, at: number): number {
  let count = 0
  while (text[at - 1 - count] === '\\') count += 1
  return count
}
