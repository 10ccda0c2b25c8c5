import type { CallAction } from '@holdpoint/schema/call-action'
import type { SessionId } from '@holdpoint/schema/id'

/** A call that an agent wants to make. */
export interface PolicyCall {
  /** The kind of agent. */
  readonly agent: string
  /** The kind of its session, where that is another: `embedded`. Rules may name either. */
  readonly sessionAgent?: string | undefined
  /** The tool's name, as the agent has it. */
  readonly tool: string
  readonly action: CallAction
  /** What the input contains besides the action, in one plain sentence: no rule can allow that. */
  readonly besides?: string | undefined
  /** The canonical folder that it is made in. Nothing in a folder that is not known is allowed. */
  readonly cwd?: string | undefined
  /** Canonical. */
  readonly project: string
  readonly home: string
  /** Left out where a call is only tried: rules of one session do not count then. */
  readonly sessionId?: SessionId | undefined
  /** Which life of its agent the session is in: a rule of an earlier one does not count (T61). */
  readonly lifeEpoch?: number | undefined
  /**
   * Whether a person trusts the project, and the repository that `cwd` is in is the project's own: git runs programs that a
   * repository's configuration names.
   */
  readonly trusted: boolean
}

/** What has to be looked up for a verdict. What is missing here is not known, and so not allowed. */
export interface PolicyFacts {
  readonly now: number
  /**
   * Where each path of `pathsOf` leads once links are followed. Of one that does not exist: its nearest existing folder,
   * resolved, and the rest behind it.
   */
  readonly realPaths: ReadonlyMap<string, string>
  /** By canonical path: the SHA-256 of what is in the file, null if there is none. */
  readonly hashes: ReadonlyMap<string, string | null>
  /** Files and folders that no rule allows to write, absolute. */
  readonly guarded: readonly string[]
  /** Folders inside of those that are not guarded. */
  readonly unguarded?: readonly string[]
}
