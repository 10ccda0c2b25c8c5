/** The text that Claude Code makes of a file, or why that cannot be told. */
export type EditedText = { readonly text: string } | { readonly why: string }

export interface EditCall {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
}

/**
 * What an `Edit` makes of a text whose line ends are LF, by Claude Code's own rules, as measured (see
 * docs/claude-code.md): they are not those of a plain replacement.
 */
export function editedText(text: string, { oldString, newString, replaceAll }: EditCall): EditedText {
  if (oldString === '') {
    return text.trim() === '' ? { text: newString } : { why: 'the file has text, and the call gives none to replace' }
  }
  const found = textInFile(text, oldString)
  if (found === undefined)
    return { why: 'the text to replace was not found here as it is written: what the edit does cannot be told' }
  if (!replaceAll && text.indexOf(found) !== text.lastIndexOf(found)) {
    return { why: 'the text to replace is in the file more than once: which place is changed cannot be told' }
  }
  const put = found === oldString ? newString : quotedAs(found, newString)
  // With nothing in its place the line end goes too; of several, those alone that stand before one.
  const gone = put === '' && !found.endsWith('\n') && text.includes(`${found}\n`) ? `${found}\n` : found
  // Functions: a `$` in the new text has no meaning.
  return { text: replaceAll ? text.replaceAll(gone, () => put) : text.replace(gone, () => put) }
}

const CURLY_DOUBLE = /[“”]/
const CURLY_SINGLE = /[‘’]/

/** The part of the text that is meant: itself, or the same with other quotes. */
function textInFile(text: string, wanted: string): string | undefined {
  if (text.includes(wanted)) return wanted
  // One character for one: places stay the same.
  const at = straight(text).indexOf(straight(wanted))
  return at < 0 ? undefined : text.slice(at, at + wanted.length)
}

function straight(text: string): string {
  return text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'")
}

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
