import { segments, type VisibleTextOptions } from '@holdpoint/core/text/visible-text'

/** Stands for a tab. A raw one can sit at the right edge of a terminal and let the next character cover the last. */
const TAB_SIGN = '\u21e5'
/** The sign where it stands for itself. */
const TAB_SIGN_ESCAPED = '⟨U+21E5⟩'

/**
 * One line of somebody else's text, safe to print. What is escaped, and how, is what a browser shows escaped (T24); tabs
 * are the one difference.
 */
export function terminalText(text: string): string {
  return printable(text, {})
}

/** The same for text of several lines: its line breaks stay. */
export function terminalLines(text: string, options: Pick<VisibleTextOptions, 'prose'> = {}): string[] {
  return printable(text, { ...options, multiline: true }).split('\n')
}

function printable(text: string, options: VisibleTextOptions): string {
  return segments(text, options)
    .map((segment) => {
      if (segment.kind === 'plain')
        return segment.text.replaceAll(TAB_SIGN, TAB_SIGN_ESCAPED).replaceAll('\t', TAB_SIGN)
      return segment.source.startsWith('\t') ? TAB_SIGN.repeat(segment.count) : segment.shown
    })
    .join('')
}

const JSON_ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g

/** JSON that means the same and can be printed: what must not be shown raw is escaped the way JSON escapes it. */
export function terminalJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // The letters of JSON's own escapes are nobody's words: `\nда` has no Latin letter in it. Each text stands for itself.
  const judged = text.replace(JSON_ESCAPE, (written) => ' '.repeat(written.length)).replaceAll('"', '\n')
  let at = 0
  return segments(judged, { multiline: true })
    .map((segment) => {
      const { length } = segment.kind === 'plain' ? segment.text : segment.source
      const source = text.slice(at, at + length)
      at += length
      return segment.kind === 'plain' ? source : source.split('').map(escapeUnit).join('')
    })
    .join('')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
