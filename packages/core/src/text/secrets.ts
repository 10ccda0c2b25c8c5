import { SECRET_SHAPES } from './secret-shapes.ts'

const MASK = '[redacted]'
/** What an agent nests deeper is covered as a whole. */
const DEEPEST = 100

/** Names of fields that hold a secret. */
const SECRET_FIELD = /token|cookie|authorization|secret|passw(or)?d|pwd$|api.?key|private.?key|credential/i
/** What is given such a name in a text: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
const ASSIGNED =
  /(?<=\b[\w.-]{0,40}(?:token|secret|passw(?:or)?d|pwd|api[_-]?key|private[_-]?key|access[_-]?key|credentials?)[\w-]{0,20}["']?(?:\s{0,3}[=:]\s{0,3}|\s)["']?)[^\s"'`,;{}()<>$]{8,400}/gi
/** Long and without a space, a slash or a dot: what is left when no shape fits. */
const LONG_WORD = /(?<![A-Za-z0-9+_=.@/-])[A-Za-z0-9+_=-]{32,400}(?![A-Za-z0-9+_=.@/-])/g
/** Bits for each character: words of any language have fewer. */
const RANDOM = 4.2
const ASSIGNED_RANDOM = 2.8

/** The text with every secret in it covered. */
export function maskSecrets(text: string): string {
  return text
    .replace(SECRET_SHAPES, MASK)
    .replace(ASSIGNED, (found) => (isRandom(found, ASSIGNED_RANDOM) && /\d/.test(found) ? MASK : found))
    .replace(LONG_WORD, (found) => (isRandomWord(found) ? MASK : found))
}

/** Whether one of these texts contains something that looks like a secret. */
export function containsSecret(texts: readonly string[]): boolean {
  return texts.some((text) => maskSecrets(text) !== text)
}

/** A value with every secret in its texts covered, names of fields too, and every text of a field that is named for one. */
export function maskedValue(value: unknown, name = '', depth = 0): unknown {
  if (depth > DEEPEST) return MASK
  if (typeof value === 'string') return isSecretField(name) && value !== '' ? MASK : maskSecrets(value)
  if (Array.isArray(value)) return value.map((entry) => maskedValue(entry, name, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [maskSecrets(key), maskedValue(entry, key, depth + 1)]),
  )
}

function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name)
}

/** Mixed letters and digits, and not a hash, which says nothing. */
function isRandomWord(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false
  if (/^sha\d+-/.test(text)) return false
  return isRandom(text, RANDOM)
}

function isRandom(text: string, bits: number): boolean {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length)
  return entropy >= bits
}
