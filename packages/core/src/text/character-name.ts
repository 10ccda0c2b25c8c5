import { CLASS, SCRIPTS, scriptNumber } from './character-class.ts'
import { looksLike } from './look-alikes.ts'

const C0 =
  'NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|BELL|BACKSPACE|TAB|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT IN|DATA LINK ESCAPE|DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|DEVICE CONTROL FOUR|NEGATIVE ACKNOWLEDGE|SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|END OF MEDIUM|SUBSTITUTE|ESCAPE|FILE SEPARATOR|GROUP SEPARATOR|RECORD SEPARATOR|UNIT SEPARATOR'.split(
    '|',
  )

const NAMES: Readonly<Record<number, string>> = {
  127: 'DELETE',
  133: 'NEXT LINE',
  155: 'CONTROL SEQUENCE INTRODUCER',
  160: 'NO-BREAK SPACE',
  173: 'SOFT HYPHEN',
  847: 'COMBINING GRAPHEME JOINER',
  1564: 'ARABIC LETTER MARK',
  4447: 'HANGUL CHOSEONG FILLER',
  4448: 'HANGUL JUNGSEONG FILLER',
  5760: 'OGHAM SPACE MARK',
  6158: 'MONGOLIAN VOWEL SEPARATOR',
  8192: 'EN QUAD',
  8193: 'EM QUAD',
  8194: 'EN SPACE',
  8195: 'EM SPACE',
  8196: 'THREE-PER-EM SPACE',
  8197: 'FOUR-PER-EM SPACE',
  8198: 'SIX-PER-EM SPACE',
  8199: 'FIGURE SPACE',
  8200: 'PUNCTUATION SPACE',
  8201: 'THIN SPACE',
  8202: 'HAIR SPACE',
  8203: 'ZERO WIDTH SPACE',
  8204: 'ZERO WIDTH NON-JOINER',
  8205: 'ZERO WIDTH JOINER',
  8206: 'LEFT-TO-RIGHT MARK',
  8207: 'RIGHT-TO-LEFT MARK',
  8208: 'HYPHEN',
  8209: 'NON-BREAKING HYPHEN',
  8210: 'FIGURE DASH',
  8232: 'LINE SEPARATOR',
  8233: 'PARAGRAPH SEPARATOR',
  8234: 'LEFT-TO-RIGHT EMBEDDING',
  8235: 'RIGHT-TO-LEFT EMBEDDING',
  8236: 'POP DIRECTIONAL FORMATTING',
  8237: 'LEFT-TO-RIGHT OVERRIDE',
  8238: 'RIGHT-TO-LEFT OVERRIDE',
  8239: 'NARROW NO-BREAK SPACE',
  8287: 'MEDIUM MATHEMATICAL SPACE',
  8288: 'WORD JOINER',
  8289: 'FUNCTION APPLICATION',
  8290: 'INVISIBLE TIMES',
  8291: 'INVISIBLE SEPARATOR',
  8292: 'INVISIBLE PLUS',
  8294: 'LEFT-TO-RIGHT ISOLATE',
  8295: 'RIGHT-TO-LEFT ISOLATE',
  8296: 'FIRST STRONG ISOLATE',
  8297: 'POP DIRECTIONAL ISOLATE',
  8722: 'MINUS SIGN',
  10216: 'LEFT ANGLE BRACKET, the sign that our escapes begin with',
  10240: 'BRAILLE PATTERN BLANK',
  12288: 'IDEOGRAPHIC SPACE',
  12644: 'HANGUL FILLER',
  65279: 'ZERO WIDTH NO-BREAK SPACE',
  65440: 'HALFWIDTH HANGUL FILLER',
  65529: 'INTERLINEAR ANNOTATION ANCHOR',
  65530: 'INTERLINEAR ANNOTATION SEPARATOR',
  65531: 'INTERLINEAR ANNOTATION TERMINATOR',
  65532: 'OBJECT REPLACEMENT CHARACTER',
  119129: 'MUSICAL SYMBOL NULL NOTEHEAD',
}

const PRIVATE_USE = /\p{Co}/u
const UNASSIGNED = /\p{Cn}/u

/** What an escaped code point is called, for the person who points at it. */
export function nameOf(codePoint: number, codePointClass: number): string {
  const name = NAMES[codePoint] ?? C0[codePoint] ?? rangeName(codePoint)
  if (name) return name
  const character = String.fromCodePoint(codePoint)
  const sign = looksLike(character)
  const suffix = sign ? `, looks like “${sign}”` : ''
  const script = SCRIPTS[scriptNumber(codePointClass)]
  if (script) return `${script.toUpperCase()} CHARACTER${suffix}`
  switch (codePointClass) {
    case CLASS.control:
      return 'CONTROL CHARACTER'
    case CLASS.space:
      return 'UNUSUAL SPACE'
    case CLASS.mark:
    case CLASS.overlay:
      return 'COMBINING MARK'
    case CLASS.rare:
      return 'CHARACTER OF A RARE SCRIPT'
    case CLASS.cjkLookAlike:
      return `CJK CHARACTER${suffix}`
    case CLASS.invisible:
    case CLASS.reordering:
      return 'INVISIBLE CHARACTER'
    default:
      return `LOOK-ALIKE CHARACTER${suffix}`
  }
}

function rangeName(codePoint: number): string | undefined {
  if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) return `VARIATION SELECTOR-${codePoint - 0xfe00 + 1}`
  if (codePoint >= 0xe0100 && codePoint <= 0xe01ef) return `VARIATION SELECTOR-${codePoint - 0xe0100 + 17}`
  if (codePoint >= 0xe0020 && codePoint <= 0xe007e) return `TAG “${String.fromCodePoint(codePoint - 0xe0000)}”`
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 'LONE SURROGATE'
  const character = String.fromCodePoint(codePoint)
  if (PRIVATE_USE.test(character)) return 'PRIVATE USE CHARACTER'
  if (UNASSIGNED.test(character)) return 'UNASSIGNED CODE POINT'
  return undefined
}
