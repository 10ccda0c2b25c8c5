import { commandsIn, type ShellCommand } from '@holdpoint/core/shell/commands-in'
import { isPlain } from '@holdpoint/core/shell/plain-programs'
import type { ToolInput } from '@holdpoint/schema/ask'

/**
 * Whether a call that Claude Code makes unasked can run programs that a folder names: `.git/config` names many, for
 * `status` and `diff` as well as for the rest. What only reads files (`ls`, `cat`, `grep`) runs nothing of a folder's.
 */
export function mayRunFolderCode(name: string, input: Readonly<ToolInput>): boolean {
  if (makesWorktree(name, input)) return true
  if (typeof input.command !== 'string') return false
  const read = commandsIn(input.command)
  return !read.known || read.commands.some(mayRunGit)
}

/**
 * Whether a call takes the agent into another checkout of the repository, with git, behind its back. Its settings, hooks
 * and servers may be others than those of the folder, and Claude Code may load them: no look at the folder has seen them.
 */
export function makesWorktree(name: string, input: Readonly<ToolInput>): boolean {
  return name === 'EnterWorktree' || ((name === 'Agent' || name === 'Task') && input.isolation !== undefined)
}

function mayRunGit({ words: [program, ...args] }: ShellCommand): boolean {
  if (/^git(-|$)/i.test(lastPart(program))) return true
  // `timeout`, `xargs`, `noglob` and others, more than can be listed, run the program that a word names.
  const runsNoOther = program !== 'find' && isPlain(program, args)
  return !runsNoOther && args.some((word) => word === undefined || /(^|[^\w.])git/i.test(word))
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
