/** Stands for a tab. A raw one can sit at the right edge of a terminal and let the next character cover the last. */
const TAB_SIGN = '\u21e5'

/**
 * Everything that a terminal acts on or a reader cannot see: controls, bidirectional marks, zero widths, fillers, lone
 * surrogates, private and unassigned code points, and every space that is not the common one. A backslash joins them
 * where it would read like one of our own escapes, and the tab's sign where it stands for itself.
 */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u21e5]|[^\S ]|\\(?=u\{)/gu

/** One line of somebody else's text, safe to print: what cannot be seen becomes `\u{…}`. `plainText` undoes it. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character === '\t' ? TAB_SIGN : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** The same for text of several lines: its line breaks stay. */
export function visibleLines(text: string): string[] {
  return text.split('\n').map(visibleText)
}

export function plainText(visible: string): string {
  return visible.replace(/\\u\{([0-9a-f]{1,6})\}|\u21e5/g, (_, code: string | undefined) =>
    code === undefined ? '\t' : String.fromCodePoint(Number.parseInt(code, 16)),
  )
}

/** JSON that means the same and can be printed: what cannot be seen is escaped the way JSON escapes it. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // The line breaks are the layout's: those inside of strings are escaped already.
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]/gu, (character) =>
    character === '\n' ? character : character.split('').map(escapeUnit).join(''),
  )
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
