import { readPromptBox } from './prompt-box.ts'
import { readDialog } from './screen-dialog.ts'

/** The cursor on a numbered option, in a frame or not: every choice that Claude Code puts to a person has it. */
const CURSOR = /^[\s│|]*❯\s*\d{1,2}\./
/** What stands at the bottom of its dialogs, without blanks: a narrow screen breaks it anywhere. */
const HINT = /(?:Esc|Enter|Enter\/↓|Tab)to(?:amend|cancel|clear|close|confirm|exit|goback|reject|select|submit)/
const HINT_LENGTH = 200

/**
 * Whether a key typed now might answer something that Claude Code asks. Wider than `readDialog`, which has to know what
 * is asked: here a dialog of an unknown kind, or one that is cut off, counts as well (I4).
 */
export function mayAsk(screen: readonly string[]): boolean {
  if (readDialog(screen)) return true
  if (readPromptBox(screen)) return false
  const text = screen.join('').replace(/\s+/g, '')
  return screen.some((line) => CURSOR.test(line)) || HINT.test(text.slice(-HINT_LENGTH))
}
