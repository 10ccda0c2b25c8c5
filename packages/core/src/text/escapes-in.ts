import { CLASS, classOf, isScriptLookAlike, markBelongs, scriptNumber } from './character-class.ts'
import { createDrawing } from './drawing.ts'
import { createProse, scriptsOf } from './prose.ts'

export type EscapeReason =
  | 'control'
  | 'reordering'
  | 'invisible'
  | 'space'
  | 'look-alike'
  | 'mark'
  | 'rare'
  | 'unknown'
  | 'bracket'

/** A code point that must not be shown raw, and where it is. */
export interface Finding {
  readonly at: number
  readonly codePoint: number
  readonly reason: EscapeReason
}

/** Emoji of several code points that everyone draws as one; of these the joiners and selectors are not escaped. */
// biome-ignore lint/complexity/useRegexLiterals: the compiler's target does not know the flag; every browser we support does.
const EMOJI = new RegExp('\\p{RGI_Emoji}', 'vy')

const ALWAYS: Readonly<Record<number, EscapeReason>> = {
  [CLASS.control]: 'control',
  [CLASS.reordering]: 'reordering',
  [CLASS.invisible]: 'invisible',
  [CLASS.space]: 'space',
  [CLASS.unknown]: 'unknown',
  [CLASS.lookAlike]: 'look-alike',
  [CLASS.rare]: 'rare',
  [CLASS.overlay]: 'mark',
}

/**
 * Signs beyond ASCII that nobody takes for a sign of a shell, alone or doubled: emoji, currencies, arrows, ticks, shapes, and
 * a few of formulas. A list of what is known: in a command every other sign is escaped, for it may look like a bar, a dash,
 * a quotation mark, a bracket or a dot.
 */
const DISTINCT =
  /(?![\u203C\u2049\u2753-\u2757\u2763\u2795-\u2797\u3030\u303D])\p{Emoji}|[\p{Sc}\u00A1-\u00A5\u00A7\u00A9\u00AC\u00AE\u00B0-\u00B3\u00B6\u00B7\u00B9\u00BC-\u00BF\u00D7\u00F7\u2020-\u2022\u2030\u2116\u2190-\u21FF\u2202\u2206\u220F\u2211\u221A\u221E\u2248\u2260\u2264\u2265\u2460-\u2473\u25A0\u25A1\u25B2\u25BC\u25C6\u25C7\u25CB\u25CF\u2605\u2606\u2713\u2717\u2718]/u
/** Signs of Chinese, Japanese and Korean sentences. */
const CJK_SIGN = /[\u3001-\u3003\u300A-\u3011\u30FB\uFF61-\uFF65]/
const BOX_DRAWING = /[\u2500-\u257F]/

/** What the rest of the text says about a doubtful letter. */
interface Spoken {
  readonly cjk: boolean
  /** The scripts of the whole, if the text is a piece of one. */
  readonly ofWhole?: number
}

export interface JudgedAs {
  readonly multiline: boolean
  readonly prose: boolean
  /** The whole that the text is a piece of, or the text itself. */
  readonly context: string
}

/** In order of place. */
export function escapesIn(text: string, { multiline, prose, context }: JudgedAs): readonly Finding[] {
  const tokens = tokensOf(text, multiline)
  const { cjk, ofWhole }: Spoken = context === text ? { cjk: hasCjk(tokens) } : spokenIn(context)
  const found: Finding[] = []
  const around = {
    cjk,
    isCode: !prose,
    isProse: prose ? createProse(text, ofWhole) : () => false,
    isDrawn: createDrawing(text),
  }
  for (const token of tokens) judge(text, token, around, found)
  return found
}

function hasCjk(tokens: readonly Token[]): boolean {
  return tokens.some(({ words }) => words.some((word) => word.cjk))
}

// The pieces of one message come one after the other.
let last: { readonly context: string; readonly spoken: Spoken } = { context: '', spoken: { cjk: false } }

function spokenIn(context: string): Spoken {
  if (last.context !== context)
    last = { context, spoken: { cjk: hasCjk(tokensOf(context, true)), ofWhole: scriptsOf(context) } }
  return last.spoken
}

interface Word {
  /** Index of its last code point in the token. */
  end: number
  latin: boolean
  scripts: number
  surelyScripts: number
  cjk: boolean
  mixed: boolean
}

/** A run of ASCII letters, digits and non-ASCII characters with at least one of the latter; or one control character. */
interface Token {
  readonly start: number
  readonly codePoints: readonly number[]
  readonly words: readonly Word[]
}

function tokensOf(text: string, multiline: boolean): readonly Token[] {
  const tokens: Token[] = []
  let runStart = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) {
      let end = at + 1
      while (end < text.length && joins(text.charCodeAt(end))) end++
      tokens.push(tokenOf(text, runStart, end))
      at = end - 1
      runStart = end
    } else if (!joins(unit)) {
      runStart = at + 1
      if (unit >= 0x20 && unit !== 0x7f) continue
      if (!(multiline && (unit === 0x0a || unit === 0x09))) tokens.push({ start: at, codePoints: [unit], words: [] })
    }
  }
  return tokens
}

function joins(unit: number): boolean {
  return unit >= 0x80 || isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

function isDigit(codePoint: number): boolean {
  return codePoint >= 0x30 && codePoint <= 0x39
}

function tokenOf(text: string, start: number, end: number): Token {
  const codePoints: number[] = []
  const words: Word[] = []
  let word: Word | undefined
  for (let at = start; at < end; ) {
    const codePoint = text.codePointAt(at) as number
    at += codePoint > 0xffff ? 2 : 1
    const kind = classOf(codePoint)
    const index = codePoints.push(codePoint) - 1
    if (!inWord(codePoint, kind)) {
      word = undefined
      continue
    }
    if (!word) {
      word = { end: index, latin: false, scripts: 0, surelyScripts: 0, cjk: false, mixed: false }
      words.push(word)
    }
    word.end = index
    if (kind === CLASS.latin) word.latin = true
    else if (kind === CLASS.cjk) word.cjk = true
    else if (kind >= CLASS.script) {
      const bit = 1 << scriptNumber(kind)
      word.scripts |= bit
      if (!isScriptLookAlike(kind)) word.surelyScripts |= bit
    }
    word.mixed = (word.latin && word.scripts !== 0) || (word.scripts & (word.scripts - 1)) !== 0
  }
  return { start, codePoints, words }
}

/** What is escaped for being invisible does not end a word: else it could part the letters that must be judged together. */
function inWord(codePoint: number, kind: number): boolean {
  return (
    kind >= CLASS.cjk ||
    kind === CLASS.mark ||
    kind === CLASS.overlay ||
    kind === CLASS.invisible ||
    kind === CLASS.reordering ||
    isDigit(codePoint)
  )
}

interface Surroundings {
  readonly cjk: boolean
  readonly isCode: boolean
  readonly isProse: ReturnType<typeof createProse>
  readonly isDrawn: ReturnType<typeof createDrawing>
}

function judge(text: string, token: Token, around: Surroundings, found: Finding[]): void {
  let at = token.start
  let wordIndex = 0
  /** Where the letter began that a mark here would sit on. Once one mark was refused the rest are: no letter is left. */
  let letterAt = -1
  for (let index = 0; index < token.codePoints.length; index++) {
    const codePoint = token.codePoints[index] as number
    const sequence = emojiAt(text, at, token.codePoints[index + 1])
    if (sequence > 1) {
      letterAt = -1
      index += [...text.slice(at, at + sequence)].length - 1
      at += sequence
      continue
    }
    while ((token.words[wordIndex]?.end ?? Number.POSITIVE_INFINITY) < index) wordIndex++
    const kind = classOf(codePoint)
    const width = codePoint > 0xffff ? 2 : 1
    const word = token.words[wordIndex]
    const reason =
      kind === CLASS.mark
        ? markReason(letterAt < 0 ? '' : text.slice(letterAt, at + width))
        : reasonFor({ text, at, codePoint, kind, word, around })
    if (reason) found.push({ at, codePoint, reason })
    if (reason || kind < CLASS.cjk) letterAt = reason || kind !== CLASS.mark ? -1 : letterAt
    else letterAt = at
    at += width
  }
}

interface Judged {
  readonly text: string
  readonly at: number
  readonly codePoint: number
  readonly kind: number
  readonly word: Word | undefined
  readonly around: Surroundings
}

function reasonFor({ text, at, codePoint, kind, word, around }: Judged): EscapeReason | undefined {
  if (isKeycap(text, at, codePoint)) return undefined
  const always = ALWAYS[kind]
  if (always) return always
  if (kind === CLASS.cjkLookAlike) return (around.isCode ? word?.cjk : around.cjk) ? undefined : 'look-alike'
  if (kind === CLASS.widePunctuation) return around.cjk && !around.isCode ? undefined : 'look-alike'
  if (kind === CLASS.drawing) return around.isDrawn(at) ? undefined : 'look-alike'
  if (kind >= CLASS.script) {
    if (word?.mixed) return 'look-alike'
    const script = scriptNumber(kind)
    const isSure = ((word?.surelyScripts ?? 0) & (1 << script)) !== 0
    return isSure || around.isProse(at, script) ? undefined : 'look-alike'
  }
  const opensEscape = (codePoint === 0x27e8 || codePoint === 0x3008) && text.startsWith('U+', at + 1)
  if (opensEscape) return 'bracket'
  const mayImitate = around.isCode && kind === CLASS.plain && codePoint > 0x7f
  return mayImitate && !isKnownSign(String.fromCodePoint(codePoint), at, around) ? 'look-alike' : undefined
}

function isKnownSign(sign: string, at: number, around: Surroundings): boolean {
  if (DISTINCT.test(sign)) return true
  return BOX_DRAWING.test(sign) ? around.isDrawn(at) : around.cjk && CJK_SIGN.test(sign)
}

/** Whether the last mark of a letter with its marks may be shown on it. */
function markReason(letterWithMarks: string): EscapeReason | undefined {
  const [letter, ...marks] = letterWithMarks
  if (letter === undefined) return 'mark'
  const script = scriptNumber(classOf(letter.codePointAt(0) as number))
  // Latin, Greek and Cyrillic: only what Unicode has as one letter. A dot on an `i` that has one already cannot be seen.
  if (script < 2) return marks.length <= 2 && [...letterWithMarks.normalize('NFC')].length === 1 ? undefined : 'mark'
  const mark = marks.at(-1) as string
  return mark !== marks.at(-2) && markBelongs(mark, script, marks.length) ? undefined : 'mark'
}

/** The length of the emoji sequence here, in code units. */
function emojiAt(text: string, at: number, next: number | undefined): number {
  if (next === undefined || !(next === 0xfe0f || next === 0x200d || (next >= 0x1f1e6 && next <= 0x1f3ff))) return 0
  EMOJI.lastIndex = at
  return EMOJI.exec(text)?.[0].length ?? 0
}

/** The selector and the frame of `1️⃣`; the digit before them is plain already. */
function isKeycap(text: string, at: number, codePoint: number): boolean {
  if (codePoint === 0xfe0f) return /^[0-9#*]\uFE0F\u20E3/.test(text.slice(Math.max(0, at - 1), at + 2))
  return codePoint === 0x20e3 && /^[0-9#*]\uFE0F\u20E3/.test(text.slice(Math.max(0, at - 2), at + 1))
}
