import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'

/** An ended session that is still in the log. */
export interface Retirable {
  readonly session: Session
  /** When it last changed. */
  readonly activityAt: number
  readonly events: number
}

export interface RetirableQuery {
  /** Last changed before this time. */
  readonly before: number
  /** The `next` of the page before. */
  readonly after?: string
  readonly limit: number
}

/** All of a session in an archive, on disk. The log does not know of it yet, and has everything too. */
export interface ArchivedPart {
  readonly sessionId: SessionId
  readonly epoch: number
  /** The month in which the session last changed. */
  readonly archive: string
  readonly events: number
  /** The hash of the last of these events. */
  readonly head: string
  /** The SHA-256 of the part's bytes. */
  readonly sum: string
  readonly bytes: number
}

/** What was begun and has to be gone on with: by a process that was killed, or for a session that lives again. */
export interface Unfinished {
  readonly sessionId: SessionId
  readonly work: 'release' | 'restore' | 'erase'
}

/** One of those that are left of a deleted session's events: its places and hashes. */
export interface ErasedRow {
  readonly seq: number
  readonly sessionId: SessionId
  readonly sessionSeq: number
  readonly type: string
  readonly at: number
  readonly prevHash: string
  readonly hash: string
}

/** What runs beside the work goes on in short steps, with `pause` after each, and stops when it is called off. */
export interface InSteps {
  readonly pause?: () => Promise<unknown>
  readonly signal?: AbortSignal
}

/**
 * How what was said in sessions leaves the log: for an archive, or for good. The places and hashes of all events stay, so
 * nothing that is checked against them becomes weaker. Everything that reads the log reads what is in the archive as well.
 */
export interface Retirement {
  /** Those that ended, oldest change first, without those that have left. */
  list(query: RetirableQuery): Promise<{ readonly sessions: readonly Retirable[]; readonly next?: string }>
  /** How many characters an event has, as far as a few of them tell. */
  eventSize(): Promise<number>
  /**
   * Writes an ended session to the archive of its month, durably, and removes nothing. Throws a `RecordDamaged` for one that
   * does not match its chain; undefined for one that is not there to be retired.
   */
  write(id: SessionId, options?: InSteps): Promise<ArchivedPart | undefined>
  /**
   * Removes from the log what is in the part. Unless the session has ended and its log says, by a `session-retired`, that it
   * is there, it removes the part instead, and says so.
   */
  release(part: ArchivedPart, options?: InSteps): Promise<boolean>
  /** Puts everything back into the log; then the archive lets go of it. Says whether there was anything to put back. */
  restore(id: SessionId, options?: InSteps): Promise<boolean>
  /** Removes for good what was said before its `session-deleted`, here and in the archive. Without that event it does nothing. */
  erase(id: SessionId, options?: InSteps): Promise<boolean>
  unfinished(): Promise<readonly Unfinished[]>
  /** Goes on with one of them. */
  finish(unfinished: Unfinished, options?: InSteps): Promise<void>
  /** For a copy of the log: what is left of deleted sessions, in places after `after` up to `to`. */
  erasedRows(query: { readonly after: number; readonly to: number }): Promise<readonly ErasedRow[]>
  /** For a copy of the log: puts them at the log's end, where they have the numbers that they had. */
  putErased(rows: readonly ErasedRow[], sessions: ReadonlyMap<SessionId, Session>): Promise<void>
}
