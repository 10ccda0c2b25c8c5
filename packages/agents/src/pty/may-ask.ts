import { hasAskingSigns } from './asking-signs.ts'
import { readPromptBox } from './prompt-box.ts'
import { readDialog } from './screen-dialog.ts'

/**
 * Whether a key typed now might answer something that Claude Code asks. Wider than `readDialog`, which has to know what
 * is asked: here a dialog of an unknown kind, or one that is cut off, counts as well (I4).
 */
export function mayAsk(screen: readonly string[]): boolean {
  if (readDialog(screen)) return true
  return !readPromptBox(screen) && hasAskingSigns(screen)
}
