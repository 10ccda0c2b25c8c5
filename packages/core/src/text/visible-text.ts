import { classOf } from './character-class.ts'
import { nameOf } from './character-name.ts'
import { type EscapeReason, escapesIn } from './escapes-in.ts'

export interface Plain {
  readonly kind: 'plain'
  readonly text: string
}

export interface Escape {
  readonly kind: 'escape'
  /** One character, once or several times in a row. */
  readonly source: string
  /** `⟨U+202E⟩`, or `⟨U+202E×3⟩` for three in a row. */
  readonly shown: string
  readonly name: string
  readonly reason: EscapeReason
  readonly count: number
}

export type Segment = Plain | Escape

export interface VisibleTextOptions {
  /** Line feeds and tabs are laid out as such. Without it they are escaped, for they would look like a space. */
  readonly multiline?: boolean
  /**
   * Words of a person or an agent. There a word made wholly of letters that look like Latin ones is shown raw in a sentence of
   * its own script; in commands, paths, addresses and inputs it never is (T25).
   */
  readonly prose?: boolean
  /** The whole that this text is a piece of: whether a lone Cyrillic letter is Russian or a disguise shows there. */
  readonly context?: string
}

const NOTHING_TO_ESCAPE = /^[\n\t\x20-\x7E\u00C0-\u00FF]*$/
const NOTHING_TO_ESCAPE_IN_LINE = /^[\x20-\x7E\u00C0-\u00FF]*$/
const ESCAPE = /⟨U\+([0-9A-F]{4,6})(?:×([0-9]{1,7}))?⟩/g
const MOST_IN_ONE = 9_999_999

/**
 * The text with everything that a person cannot see, or could take for something else, as an escape. The sources of the
 * segments, joined, are the text.
 */
export function segments(text: string, options: VisibleTextOptions = {}): readonly Segment[] {
  const { multiline = false, prose = false, context = text } = options
  if (text === '') return []
  if ((multiline ? NOTHING_TO_ESCAPE : NOTHING_TO_ESCAPE_IN_LINE).test(text)) return [{ kind: 'plain', text }]
  const findings = escapesIn(text, { multiline, prose, context })
  const found: Segment[] = []
  let plainFrom = 0
  for (let index = 0; index < findings.length; ) {
    const first = findings[index]
    if (!first) break
    const { at, codePoint, reason } = first
    const width = codePoint > 0xffff ? 2 : 1
    let count = 1
    while (count < MOST_IN_ONE && isNext(findings[index + count], codePoint, at + count * width)) count++
    if (at > plainFrom) found.push({ kind: 'plain', text: text.slice(plainFrom, at) })
    plainFrom = at + count * width
    found.push({
      kind: 'escape',
      source: text.slice(at, plainFrom),
      shown: shownAs(codePoint, count),
      name: nameOf(codePoint, classOf(codePoint)),
      reason,
      count,
    })
    index += count
  }
  if (plainFrom < text.length) found.push({ kind: 'plain', text: text.slice(plainFrom) })
  return found
}

function isNext(finding: { at: number; codePoint: number } | undefined, codePoint: number, at: number): boolean {
  return finding?.codePoint === codePoint && finding.at === at
}

function shownAs(codePoint: number, count: number): string {
  const number = codePoint.toString(16).toUpperCase().padStart(4, '0')
  return count === 1 ? `⟨U+${number}⟩` : `⟨U+${number}×${count}⟩`
}

/** The text as one string, for surfaces without markup. */
export function render(text: string, options: VisibleTextOptions = {}): string {
  return segments(text, options)
    .map((segment) => (segment.kind === 'plain' ? segment.text : segment.shown))
    .join('')
}

/** The text that `render` was given. It needs no tables, so it also undoes what another engine escaped. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: the global of that name is obsolete and undoes something else.
export function unescape(shown: string): string {
  return shown.replace(ESCAPE, (found, hex: string, count?: string) => {
    const codePoint = Number.parseInt(hex, 16)
    return codePoint > 0x10ffff ? found : String.fromCodePoint(codePoint).repeat(Number(count ?? 1))
  })
}

const WORDS: Readonly<Record<EscapeReason, readonly [one: string, several: string]>> = {
  reordering: ['reordering character', 'reordering characters'],
  invisible: ['invisible character', 'invisible characters'],
  control: ['control character', 'control characters'],
  'look-alike': ['look-alike character', 'look-alike characters'],
  space: ['unusual space', 'unusual spaces'],
  mark: ['stray combining mark', 'stray combining marks'],
  rare: ['character of a rare script', 'characters of rare scripts'],
  unknown: ['unknown character', 'unknown characters'],
  bracket: ['imitated escape', 'imitated escapes'],
}

/** What was escaped in texts and in prose, in a sentence; undefined when nothing was. */
export function describe(texts: readonly string[], prose: readonly string[] = []): string | undefined {
  const counts = new Map<EscapeReason, number>()
  const all = [
    ...texts.flatMap((text) => segments(text, { multiline: true })),
    ...prose.flatMap((text) => segments(text, { multiline: true, prose: true })),
  ]
  for (const segment of all) {
    if (segment.kind === 'escape') counts.set(segment.reason, (counts.get(segment.reason) ?? 0) + segment.count)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const parts = (Object.keys(WORDS) as EscapeReason[]).flatMap((reason) => {
    const count = counts.get(reason)
    return count ? [`${count.toLocaleString('en')} ${WORDS[reason][count === 1 ? 0 : 1]}`] : []
  })
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0]
  return total === 1 ? `${list} is shown as an escape.` : `${list} are shown as escapes.`
}
