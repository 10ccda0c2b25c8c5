/** The cursor on a numbered option, in a frame or not: every choice that Claude Code puts to a person has it. */
const CURSOR = /^[\s│|]*❯\s*\d{1,2}\./
/** What stands at the bottom of its dialogs, without blanks: a narrow screen breaks it anywhere. */
const HINT = /(?:Esc|Enter|Enter\/↓|Tab)to(?:amend|cancel|clear|close|confirm|exit|goback|reject|select|submit)/
const HINT_LENGTH = 200

/** Whether these lines have what only a dialog of Claude Code's has, of whichever kind it is. */
export function hasAskingSigns(lines: readonly string[]): boolean {
  const text = lines.join('').replace(/\s+/g, '')
  return lines.some((line) => CURSOR.test(line)) || HINT.test(text.slice(-HINT_LENGTH))
}
