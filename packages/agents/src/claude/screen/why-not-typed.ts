import type { NotTyped } from '../../terminal/not-typed.ts'
import { mayAsk } from './may-ask.ts'
import { readPromptBox } from './prompt-box.ts'

/** Esc and Ctrl-C: whatever comes in front of Claude Code's prompt, these only ever stop or leave it. */
const STOPS: ReadonlySet<string> = new Set(['\x1b', '\x03'])
const SEQUENCE = '\\x1b(?:[\\[O][0-?]*[ -\\/]*[@-~]|[^\\p{Cc}\\[O])'
/** Text, and one key behind it at the most: whatever follows an Enter could answer what that Enter has started. */
const TEXT_AND_A_KEY = new RegExp(`^\\P{Cc}*(?:\\r\\n|\\p{Cc}|${SEQUENCE})?$`, 'u')

/** Longer than Claude Code takes to show that it has begun to do something. */
const REST_MS = 1000

/**
 * Claude Code takes a key for the answer to a dialog up to 100 ms before that is drawn. While it is at work the screen
 * cannot say whether that is so: then only what stops it is typed (I4). `isClaude` says that it has the terminal; that it
 * does may be on the screen as well. `quietMs` is for how long nothing was drawn or typed.
 */
export function whyNotTyped(
  data: string,
  now: { readonly screen: readonly string[]; readonly isClaude: boolean; readonly quietMs: number },
): NotTyped | undefined {
  if (mayAsk(now.screen)) return 'asked'
  const box = readPromptBox(now.screen)
  if ((!now.isClaude && !box) || STOPS.has(data)) return undefined
  if (!box || box.isWorking || !TEXT_AND_A_KEY.test(data)) return 'not-at-rest'
  return now.quietMs < REST_MS ? 'changing' : undefined
}
