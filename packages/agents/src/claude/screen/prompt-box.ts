import { hasAskingSigns } from './asking-signs.ts'
import { readDialog } from './screen-dialog.ts'

/** Where a person writes to Claude Code. */
export interface PromptBox {
  /** What is written in it, without the breaks that the screen makes. */
  readonly text: string
  /** Claude Code or one of its agents is at work: it may ask something at any moment. */
  readonly isWorking: boolean
}

const RULE = /^─{10,}\s*$/
/** The first line of the prompt; a shell command has another sign. */
const FIRST = /^❯(?:\s+(.*))?$/
/** What only Claude Code has below its prompt: the mode that it is in, or how to get help. */
const FOOTER = /^ {2}(?:[⏸⏵]+ \S.* on\b|\? for shortcuts)/
const MAX_FOOTER = 6
/** The last thing said above the prompt while it works, in whichever words. */
const WORKING = /^[·✢✳✶✻✽∗*] (?:\S+… |\S+…$|Waiting for \d)/
/** Right above the prompt, for a moment before a dialog takes its place. */
const ABOUT_TO_ASK = /^\s+Waiting for permission…/

/**
 * Reads Claude Code's prompt, from the screen alone; undefined where it is not in front. Measured on the version in
 * `docs/claude-code.md`; what it does not know for sure is no prompt (I4).
 */
export function readPromptBox(screen: readonly string[]): PromptBox | undefined {
  if (readDialog(screen)) return undefined
  const bottom = screen.findLastIndex((line) => line.trim() !== '')
  const lower = screen.findLastIndex((line) => RULE.test(line))
  const upper = screen.findLastIndex((line, index) => index < lower && RULE.test(line))
  const footer = screen.slice(lower + 1, bottom + 1)
  if (upper < 0 || footer.length > MAX_FOOTER || !footer.some((line) => FOOTER.test(line))) return undefined
  // A shell that it was left for writes from the first column on.
  if (footer.some((line) => /^ ?\S/.test(line))) return undefined
  // Below a prompt nothing asks. What looks like one is the text of a dialog then: a command's, or a server's words.
  if (hasAskingSigns(footer)) return undefined
  const [first = '', ...rest] = screen.slice(upper + 1, lower)
  const written = FIRST.exec(first)
  if (!written || !rest.every((line) => line.startsWith('  ') || line.trim() === '')) return undefined
  const above = screen.slice(0, upper)
  const said = above.findLast((line) => /^\S/.test(line)) ?? ''
  const isWorking =
    WORKING.test(said) ||
    ABOUT_TO_ASK.test(above.findLast((line) => line.trim() !== '') ?? '') ||
    footer.some((line) => line.includes('esc to interrupt'))
  return {
    text: [written[1] ?? '', ...rest]
      .map((line) => line.trim())
      .join(' ')
      .trim(),
    isWorking,
  }
}

/** Why nothing may be typed there now. */
export type NotNow = 'no_prompt' | 'dialog' | 'working' | 'written'

/** Only into an empty prompt that nothing can come in front of: anywhere else the same keys would answer or change something. */
export function whyNotNow(screen: readonly string[]): NotNow | undefined {
  if (readDialog(screen)) return 'dialog'
  const box = readPromptBox(screen)
  if (!box) return 'no_prompt'
  if (box.isWorking) return 'working'
  return box.text === '' ? undefined : 'written'
}
