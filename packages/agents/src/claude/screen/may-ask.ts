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

const RULE = /^─{10,}\s*$/

/** The lines of what asks there, of whichever kind; empty where nothing does. What moves above a dialog is no part of it. */
export function askingText(screen: readonly string[]): string {
  if (!mayAsk(screen)) return ''
  const lines =
    readDialog(screen)?.lines ??
    screen.slice(
      Math.max(
        screen.findLastIndex((line) => RULE.test(line)),
        0,
      ),
    )
  return lines.join('\n')
}
