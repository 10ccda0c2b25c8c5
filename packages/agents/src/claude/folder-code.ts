import { commandsIn, type ShellCommand } from '@holdpoint/core/shell/commands-in'
import type { ToolInput } from '@holdpoint/schema/ask'

/** Programs that run another one, which their arguments name. */
const RUNNERS =
  /^(timeout|xargs|nice|ionice|nohup|env|time|stdbuf|setsid|command|builtin|exec|find|fd|sudo|doas|watch|parallel|(ba|da|z|k|a)?sh)$/

/**
 * Whether a call that Claude Code makes unasked can run programs that a folder names: `.git/config` names many, for
 * `status` and `diff` as well as for the rest. What only reads files (`ls`, `cat`, `grep`) runs nothing of a folder's.
 */
export function mayRunFolderCode(name: string, input: Readonly<ToolInput>): boolean {
  // Both check files out with git, behind the agent's back.
  if (name === 'EnterWorktree') return true
  if ((name === 'Agent' || name === 'Task') && input.isolation !== undefined) return true
  if (typeof input.command !== 'string') return false
  const read = commandsIn(input.command)
  return !read.known || read.commands.some(mayRunGit)
}

function mayRunGit({ words: [program, ...args] }: ShellCommand): boolean {
  const name = lastPart(program)
  if (/^git(-|$)/i.test(name)) return true
  return RUNNERS.test(name) && args.some((word) => word === undefined || /(^|[^\w.])git/i.test(word))
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
