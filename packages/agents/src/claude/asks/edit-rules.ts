import { swappedEscapes } from './escaped-text.ts'
import { MARK } from './file-text.ts'

/** The text that Claude Code makes of a file, or why that cannot be told. */
export type EditedText = { readonly text: string } | { readonly why: string }

export interface EditCall {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
}

/** The part of the file that is meant, and what takes its place. */
interface Replacement {
  readonly found: string
  readonly put: string
}

/**
 * What an `Edit` makes of a text whose line ends are LF, by Claude Code's own rules, as measured (see
 * docs/claude-code.md): they are not those of a plain replacement.
 */
export function editedText(text: string, { oldString, newString, replaceAll }: EditCall): EditedText {
  if (oldString === '') {
    if (text.trim() !== '') return { why: 'the file has text, and the call gives none to replace' }
    return { text: text.startsWith(MARK) && !newString.startsWith(MARK) ? MARK + newString : newString }
  }
  const replacement = replacementIn(text, oldString, newString)
  if (!replacement) return { why: 'the text to replace was not found in the file' }
  const { found, put } = replacement
  // Counted as Claude Code does, one behind the other: `aa` is in `aaa` once.
  if (!replaceAll && text.split(found).length > 2) {
    return { why: 'the text to replace is in the file more than once' }
  }
  // With nothing in its place the line end goes too; of several, those alone that stand before one.
  const gone = put === '' && !found.endsWith('\n') && text.includes(`${found}\n`) ? `${found}\n` : found
  // Functions: a `$` in the new text has no meaning.
  return { text: replaceAll ? text.replaceAll(gone, () => put) : text.replace(gone, () => put) }
}

/** The text itself, or the same with other quotes, or the same with characters and their escapes swapped: the first. */
function replacementIn(text: string, wanted: string, put: string): Replacement | undefined {
  if (text.includes(wanted)) return { found: wanted, put }
  // One character for one: places stay the same.
  const at = straight(text).indexOf(straight(wanted))
  if (at >= 0) {
    const found = text.slice(at, at + wanted.length)
    return { found, put: quotedAs(found, put) }
  }
  const swapped = swappedEscapes(text, wanted)
  // Quotes first: those that come out of an escape stay as they are.
  return swapped && { found: swapped.found, put: swapped.swap(quotedAs(swapped.found, put)) }
}

function straight(text: string): string {
  return text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'")
}

const CURLY_DOUBLE = /[“”]/
const CURLY_SINGLE = /[‘’]/

/** The new text with quotes of the kind that the file has. */
function quotedAs(found: string, text: string): string {
  const double = CURLY_DOUBLE.test(found)
  const single = CURLY_SINGLE.test(found)
  return text.replace(/["']/g, (quote, at: number) => {
    const before = text[at - 1]
    const opens = before === undefined || /[\s([{—–]/.test(before)
    if (quote === '"') return double ? (opens ? '“' : '”') : quote
    if (!single) return quote
    const isInWord = /\p{L}/u.test(before ?? '') && /\p{L}/u.test(text[at + 1] ?? '')
    return opens && !isInWord ? '‘' : '’'
  })
}
