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
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

export function callFactsOf(ask: Ask): CallFacts {
  const { context, files, filesUnknown, replaces } = ask
  const { cwd } = context
  const raiser = raiserOf(ask)
  return {
    ...(cwd !== undefined && { cwd }),
    ...(files && files.length > 0 && { files }),
    ...(filesUnknown !== undefined && { filesUnknown }),
    ...(replaces !== undefined && { replaces }),
    ...(raiser !== undefined && { raiser }),
  }
}

/** The program that asks. Of an ask that was recorded without the name of its credential, the credential's id. */
export function raiserOf({ raiser, raisedBy }: Pick<Ask, 'raiser' | 'raisedBy'>): string | undefined {
  return raiser ?? raisedBy
}
