import { isClaude } from '../claude/screen/claude-launch.ts'
import { whyNotTyped } from '../claude/screen/why-not-typed.ts'
import type { TypingGuard } from '../terminal/not-typed.ts'

/**
 * Keeps keys away from the dialogs of agents that are known. Claude Code has the terminal, drawn or not, as the program
 * itself or as what a shell has started in it. Not where another terminal is in between, such as that of `tmux` or `ssh`.
 */
export function typingGuard(program: { readonly command: string; readonly args: readonly string[] }): TypingGuard {
  return (data, { screen, foreground, quietMs }) =>
    whyNotTyped(data, { screen, isClaude: isClaude(program) || /\bclaude\b/.test(foreground), quietMs })
}
