import type { Ask, AskFile } from '@holdpoint/schema/ask'

/** What an allow is for besides the input, as dialects and their components show it. */
export interface CallFacts {
  /** The folder that the call is made in. Left out where nobody has told it. */
  readonly cwd?: string
  /** Files that it edits or runs: an allow counts only while they are as they were hashed. */
  readonly files?: readonly AskFile[]
  /** Why it cannot be told which files it runs, or that it is not known what it writes. */
  readonly filesUnknown?: string
  /** The id of the ask for the same call that was withdrawn because what it showed had changed. */
  readonly replaces?: string
}

export function callFactsOf({ context: { cwd }, files, filesUnknown, replaces }: Ask): CallFacts {
  return {
    ...(cwd !== undefined && { cwd }),
    ...(files && files.length > 0 && { files }),
    ...(filesUnknown !== undefined && { filesUnknown }),
    ...(replaces !== undefined && { replaces }),
  }
}
