import type { AskFile, AskRequest } from './ask.ts'
import type { Display } from './display.ts'

/** What an allow is for besides the input, as dialects and their components show it. */
export interface CallFacts {
  /** How the driver wants the call to be shown. Left out where no driver knows the tool. */
  readonly display?: Display
  /** The folder that the call is made in. Left out where nobody has told it. */
  readonly cwd?: string
  /** Files that it edits or runs: an allow counts only while they are as they were hashed. */
  readonly files?: readonly AskFile[]
  /** Why it cannot be told which files it runs, or that it is not known what it writes. */
  readonly filesUnknown?: string
  /** The id of the ask for the same call that was withdrawn because what it showed had changed. */
  readonly replaces?: string
  /** The agent's own gate has refused the call: an allow lets the agent make it once more. */
  readonly appeal?: NonNullable<AskRequest['appeal']>
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}
