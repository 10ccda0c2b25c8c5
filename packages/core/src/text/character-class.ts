import { isLookAlike } from './look-alikes.ts'

/** What a code point is to a reader. `Letter…` classes are judged by their word and by the rest of the text. */
export const CLASS = {
  plain: 1,
  control: 2,
  reordering: 3,
  invisible: 4,
  space: 5,
  unknown: 6,
  lookAlike: 7,
  rare: 8,
  mark: 9,
  overlay: 10,
  /** Fullwidth punctuation: ordinary in Chinese, Japanese and Korean text, a disguise anywhere else. */
  widePunctuation: 11,
  cjk: 12,
  cjkLookAlike: 13,
  latin: 14,
  /** A sign for drawing frames that is shaped like one of ASCII. */
  drawing: 15,
  /** The first of the scripts below; each takes two numbers, the second for its look-alikes. */
  script: 32,
} as const

/**
 * The scripts recommended for identifiers (UAX #31, table 5), less Latin and those in `CJK`. Letters of any other script
 * are always escaped: few devices have a font for them, and many are shaped like Latin capitals.
 */
export const SCRIPTS = [
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Thaana',
  'Thai',
  'Lao',
  'Ethiopic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Myanmar',
  'Khmer',
  'Tibetan',
] as const

/** Scripts that stack several marks on one letter as a matter of course: all from here on. */
const FIRST_STACKING = SCRIPTS.indexOf('Devanagari')

const CONTROL = /\p{Cc}/u
const REORDERING = /\p{Bidi_Control}/u
// Blank though Unicode calls them symbols: the empty Braille cell, the null notehead, the object placeholder.
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{2800}\u{1D159}\u{FFFC}]/u
const SPACE = /[\p{Zs}\p{Zl}\p{Zp}]/u
const UNKNOWN = /[\p{Co}\p{Cn}\p{Cs}]/u
// Marks that strike out, enclose or overlay what they follow, and those of no living orthography.
const OVERLAY =
  /\p{Me}|[\u{334}-\u{338}]|[\u{1AB0}-\u{1AFF}]|[\u{1DC0}-\u{1DFF}]|[\u{20D0}-\u{20FF}]|[\u{FE20}-\u{FE2F}]/u
const MARK = /\p{M}/u
const LATIN = /\p{Script=Latin}/u
// The Latin of living languages. Beyond it are phonetic, fullwidth, small-capital and ligature twins of ASCII.
const PLAIN_LATIN =
  /[A-Za-z\u{AA}\u{BA}\u{C0}-\u{17E}\u{180}-\u{183}\u{186}-\u{1BB}\u{1C4}-\u{236}\u{238}-\u{24F}\u{1E00}-\u{1E9B}\u{1E9E}-\u{1EF9}]/u
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u{30FC}\u{FF70}]/u
const WIDE_PUNCTUATION = /[\u{FF01}-\u{FF0F}\u{FF1A}-\u{FF20}\u{FF3B}-\u{FF40}\u{FF5B}-\u{FF60}\u{FFE0}-\u{FFE6}]/u
const LOOK_ALIKE = new RegExp(
  [
    // Punctuation that cannot be told from ASCII in a monospaced font.
    '[\\u{37E}\\u{387}\\u{1FEF}\\u{2010}-\\u{2012}\\u{201A}\\u{2024}\\u{2043}\\u{2044}\\u{204E}\\u{2212}\\u{2215}-\\u{2217}]',
    '[\\u{2032}-\\u{2037}\\u{2223}\\u{2236}\\u{223C}\\u{2329}\\u{232A}\\u{2758}\\u{27CB}\\u{27CD}\\u{29F8}\\u{29F9}\\u{A789}\\u{A78A}]',
    // A capital of a few African alphabets, drawn as `l` or `I`.
    '\\u{196}',
    // Two Latin letters in one: `ij`, `dž`, `lj`, `nj`, `dz`.
    '[\\u{132}\\u{133}\\u{1C4}-\\u{1CC}\\u{1F1}-\\u{1F3}]',
    // Modifier letters, letterlike symbols, mathematical and outlined letters and digits.
    '[\\u{2B0}-\\u{2FF}\\u{2102}\\u{210A}-\\u{2115}\\u{2119}-\\u{211D}\\u{2124}\\u{2126}\\u{2128}\\u{212A}-\\u{2139}]',
    '[\\u{213C}-\\u{2149}\\u{1CCD6}-\\u{1CCF9}\\u{1D400}-\\u{1D7FF}\\u{1EE00}-\\u{1EEFF}\\u{1FBF0}-\\u{1FBF9}]',
    // Presentation forms, radicals and compatibility ideographs: second code points for the same shape.
    '[\\u{2E80}-\\u{2FDF}\\u{F900}-\\u{FDFF}\\u{FE10}-\\u{FE1F}\\u{FE30}-\\u{FEFF}\\u{2F800}-\\u{2FA1F}]',
    '[\\u{FF10}-\\u{FF19}\\u{FF21}-\\u{FF3A}\\u{FF41}-\\u{FF5A}\\u{FFA0}-\\u{FFDC}\\u{FFE8}-\\u{FFEE}]',
  ].join('|'),
  'u',
)
// Upright lines, whole or broken, and slanting ones.
const DRAWING = /[\u{2502}\u{2503}\u{2506}\u{2507}\u{250A}\u{250B}\u{254E}\u{254F}\u{2571}-\u{2573}]/u
const DIGIT = /\p{Nd}/u
const PUNCTUATION = /\p{P}/u
const LETTER = /\p{L}/u
const SHARED = /[\p{Script=Common}\p{Script=Inherited}\p{Script=Braille}]/u
const SCRIPT = SCRIPTS.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'))
const SCRIPT_EXTENSIONS = SCRIPTS.map((script) => new RegExp(`\\p{Script_Extensions=${script}}`, 'u'))

const known = new Uint8Array(0x110000)

/**
 * The tables are the engine's own, so two engines may differ about a character that one of them does not know yet: it is
 * escaped there as unassigned. What an engine does know it judges by that same version's properties, so a new invisible
 * character is never shown raw.
 */
export function classOf(codePoint: number): number {
  const cached = known[codePoint]
  if (cached) return cached
  const found = classify(codePoint)
  known[codePoint] = found
  return found
}

function classify(codePoint: number): number {
  if (codePoint >= 0x20 && codePoint < 0x7f) return isAsciiLetter(codePoint) ? CLASS.latin : CLASS.plain
  const character = String.fromCodePoint(codePoint)
  if (REORDERING.test(character)) return CLASS.reordering
  if (CONTROL.test(character)) return CLASS.control
  if (UNKNOWN.test(character)) return CLASS.unknown
  if (INVISIBLE.test(character)) return CLASS.invisible
  if (SPACE.test(character)) return CLASS.space
  if (LOOK_ALIKE.test(character)) return CLASS.lookAlike
  if (DRAWING.test(character)) return CLASS.drawing
  if (OVERLAY.test(character)) return CLASS.overlay
  if (MARK.test(character)) return SHARED.test(character) || scriptOf(character) >= 0 ? CLASS.mark : CLASS.rare
  if (LATIN.test(character)) return PLAIN_LATIN.test(character) ? CLASS.latin : CLASS.lookAlike
  if (WIDE_PUNCTUATION.test(character)) return CLASS.widePunctuation
  if (CJK.test(character)) return isLookAlike(character) ? CLASS.cjkLookAlike : CLASS.cjk
  const script = scriptOf(character)
  if (script >= 0) {
    const alike = isLookAlike(character) || DIGIT.test(character) || PUNCTUATION.test(character)
    return CLASS.script + script * 2 + (alike ? 1 : 0)
  }
  if (!SHARED.test(character)) return CLASS.rare
  return LETTER.test(character) && codePoint !== 0xb5 ? CLASS.lookAlike : CLASS.plain
}

function scriptOf(character: string): number {
  const own = SCRIPT.findIndex((pattern) => pattern.test(character))
  if (own >= 0 || !(DIGIT.test(character) || character === '\u0640')) return own
  // Some digits and the Arabic stretcher belong to several scripts; the first that uses them will do.
  return SCRIPT_EXTENSIONS.findIndex((pattern) => pattern.test(character))
}

function isAsciiLetter(codePoint: number): boolean {
  return (codePoint >= 0x41 && codePoint <= 0x5a) || (codePoint >= 0x61 && codePoint <= 0x7a)
}

/** The number of the script of a letter class, or -1. */
export function scriptNumber(letterClass: number): number {
  return letterClass >= CLASS.script ? (letterClass - CLASS.script) >> 1 : -1
}

export function isScriptLookAlike(letterClass: number): boolean {
  return letterClass >= CLASS.script && (letterClass & 1) === 1
}

/** Whether `mark` is written on letters of that script, `count` of them on one letter so far. */
export function markBelongs(mark: string, script: number, count: number): boolean {
  return count <= (script >= FIRST_STACKING ? 4 : 2) && (SCRIPT_EXTENSIONS[script]?.test(mark) ?? false)
}
