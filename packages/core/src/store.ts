import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item, ItemPage } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'
import type {
  AskTrail,
  HistoryChoices,
  HistoryPage,
  HistoryQuery,
  LetThroughCounts,
  LetThroughQuery,
} from './history.ts'
import type { PastCalls } from './policy/dry-run.ts'
import type { KeptCall } from './policy/kept-call.ts'
import type { AllowedCalls } from './policy/suggestions.ts'
import type { Retirement } from './retirement.ts'
import type { Undelivered } from './session-view.ts'
import type { UsageCounts, UsageQuery } from './usage-counts.ts'

/** Events for one session, to be appended only if its log still ends at `expectedSeq`. */
export interface Append {
  readonly sessionId: SessionId
  /** `sessionSeq` of the last event the writer has seen; 0 for a new session. */
  readonly expectedSeq: number
  readonly events: readonly DurableEvent[]
  /**
   * How far the driver has come in the agent's output, kept in the same transaction: after a crash the output behind
   * it is not processed twice. Left out, the stored one stays.
   */
  readonly checkpoint?: number
  /** The session as it is after `events`; listing reads this instead of folding the log. */
  readonly session: Session
  /**
   * The number of the cluster's authority (`AUTHORITY_COLLECTIONS`) by which the answer in it was decided. A log that several
   * gateways share takes it only while that is the newest. Left out where nobody answers.
   */
  readonly authority?: number
}

/**
 * A conflict is an answer, not an exception: somebody else appended first. Where several gateways share the log, also:
 * somebody's rights have changed (`authority`), or the times of the events are not the database's (`clock`).
 */
export type AppendResult =
  | { ok: true; stored: readonly Stored[] }
  | { ok: false; seq: number; because?: 'authority' | 'clock' }

export interface AskRecord {
  readonly ask: Ask
  readonly outcome?: Outcome
  readonly delivered: boolean
}

/** What a session's fold starts from after a restart. */
export interface LiveSession {
  readonly session: Session
  readonly seq: number
  readonly checkpoint: number
  /** Those that are open. */
  readonly asks: readonly Ask[]
  /** Of this life of the session: settled, but the outcome has not been seen to reach the agent. */
  readonly undelivered: ReadonlyMap<AskId, Undelivered>
  /** Of this life of the session, and those of older versions, which have none. */
  readonly rules: readonly Rule[]
  /** Messages that wait for the agent, and the last one that was sent. */
  readonly messages: readonly Extract<Item, { type: 'message' }>[]
}

export interface SessionQuery {
  readonly before?: string
  readonly limit: number
  readonly projectId?: string
  /** Only these. A page ends after `LOOKED_THROUGH` sessions then: it may have fewer than its limit and not be the last. */
  readonly fits?: (session: Session) => boolean
}

/** How many sessions are read for one page of a search. */
export const LOOKED_THROUGH = 1000

export interface SessionPage {
  readonly sessions: readonly Session[]
  /** Pass as `before` for the page that follows; absent on the last one. */
  readonly nextBefore?: string
}

export interface AskQuery {
  readonly status: 'open' | 'settled' | 'all'
  readonly sessionId?: SessionId
  /** Newest settled asks are kept when there are more. */
  readonly limit: number
  /** Of the settled ones those that were settled before this one: the last of a page gives the next page. */
  readonly before?: AskId
  /** As for a thread, for the settled ones: a page that has so many characters may have another one after it. */
  readonly size?: number
}

export interface PastCallQuery {
  /** Settled then or later, in milliseconds. */
  readonly from: number
  /** A word that has to be in `about` of the kept call. */
  readonly about?: string
}

export interface EventQuery {
  readonly after: number
  readonly sessionId?: SessionId
  readonly limit: number
  /** A page ends soon after it has so many characters: it may be shorter than its limit then, and not be the last. */
  readonly size?: number
}

export interface ItemQuery {
  readonly sessionId: SessionId
  readonly before?: number
  readonly limit: number
  /** A page ends with the item with which it has so many characters, however few there are (F58). */
  readonly size?: number
}

export interface ChainFault {
  readonly sessionId: string
  readonly seq: number
  readonly sessionSeq: number
  readonly problem: string
}

export interface ChainReport {
  readonly events: number
  readonly sessions: number
  /** Hash over the newest hash of every session that was checked: the same log gives the same head. None for a broken chain. */
  readonly head?: string
  /** Sessions that were not checked: they are damaged, and somebody has accepted that. */
  readonly accepted?: number
  /** Files of the archive with bytes that the log does not know of: a write was cut off. No fault: nothing is read there. */
  readonly unrecorded?: readonly string[]
  readonly fault?: ChainFault
}

/**
 * The log and the tables made from it. The log is the truth; tables are written in the same transaction, and all of a
 * call's appends are committed together, so that what waits shares one flush to disk.
 */
export interface Store {
  /**
   * Commits every append that does not conflict, in one transaction, durably. All of a call's appends take effect or none
   * does. Throws a `StoreFault`: none did. Throws a `CommitInDoubt`: all or none did, and only the log says which. What is
   * read of it afterwards is final: what was not there then never takes effect.
   */
  append(appends: readonly Append[]): Promise<readonly AppendResult[]>
  /** Events after `after`, oldest first: all of them, or those of one session. */
  events(query: EventQuery): Promise<readonly Stored[]>
  /** Replays everything after `after`, then waits for more until `signal` aborts; aborting ends the iteration. */
  follow(after: number, options: { signal: AbortSignal }): AsyncIterable<Stored>
  /** Position of the newest event; 0 for an empty log. */
  lastSeq(): Promise<number>
  /** The hash of the event at this position, if there is one. */
  hashAt(seq: number): Promise<string | undefined>
  /**
   * Sessions whose agent may still run, ready to be folded on. Throws a `StoreFault` with code `corrupt` when one of them
   * does not match its hash chain, or the tables do not say what its events say.
   */
  liveSessions(): Promise<readonly LiveSession[]>
  /** One session in the same form, alive or not; one that is over is checked first. */
  liveSession(id: SessionId): Promise<LiveSession | undefined>
  /** Sessions that have ended, newest activity first, without those whose row was changed. Reads what it gives and no more. */
  endedSessions(query: SessionQuery): Promise<SessionPage>
  /** Those of them that were this conversation, by the id that the agent's vendor gave it, and can be taken up again. */
  endedSessionsOf(vendorSessionId: string): Promise<readonly Session[]>
  /** One whose damage was accepted says so as its end. Of such a session nothing else is given: a `RecordDamaged` is thrown. */
  session(id: SessionId): Promise<Session | undefined>
  ask(id: AskId): Promise<AskRecord | undefined>
  /** The newest: one that was withdrawn as changed has room for another after it. */
  askByRequest(key: { sessionId: SessionId; epoch: number; requestId: string }): Promise<AskRecord | undefined>
  /**
   * The first ask, of any life of the agent, that the agent itself raised under this id. Ids of calls may come again:
   * who knows an ask by such an id alone means the one that they were shown.
   */
  firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): Promise<AskRecord | undefined>
  /**
   * The newest that the agent itself raised for this call. One raised over the API does not count: the
   * program that raised it chose the id.
   */
  askByToolUse(key: { sessionId: SessionId; epoch: number; toolUseId: string }): Promise<AskRecord | undefined>
  /** Settled ones that were changed or damaged are left out: the others can still be read. */
  asks(query: AskQuery): Promise<readonly AskRecord[]>
  /**
   * Settled asks that fit, newest first, without those that were changed or damaged. Everything that is committed is
   * found: what the index does not have yet is added first, in short steps.
   */
  history(query: HistoryQuery, options?: { signal?: AbortSignal }): Promise<HistoryPage>
  /** What a filter of the history can be about. With `sessionIds`, in these sessions alone. */
  historyChoices(query: Pick<HistoryQuery, 'sessionIds'>): Promise<HistoryChoices>
  /** What rules allowed without asking anybody. */
  letThrough(query: LetThroughQuery): Promise<LetThroughCounts>
  /** What agents have used of their models. It outlives the records of the sessions. */
  usage(query: UsageQuery): Promise<UsageCounts>
  /**
   * Adds settled asks to the index, in short steps with a pause after each, so that the next search need not. What is done
   * stays when it is called off.
   */
  indexHistory(options: { pause: () => Promise<unknown>; signal?: AbortSignal }): Promise<void>
  /**
   * Keeps the parts of the calls of settled asks, as `take` gives them, beside the log: in short steps, with a pause after
   * each. Those of another version of the parts are made again.
   */
  indexCalls(
    take: (ask: Ask) => KeptCall | undefined,
    options: { pause: () => Promise<unknown>; signal?: AbortSignal },
  ): Promise<void>
  /** Settled asks whose parts are kept, by call and session, for a dry run of a rule. One call may come several times. */
  pastCalls(query: PastCallQuery): Promise<readonly PastCalls[]>
  /** What people have allowed so often, and not denied, in one project: each call alone first, then those of one stem. */
  allowedCalls(query: { readonly min: number }): Promise<readonly AllowedCalls[]>
  /** Who saw an ask, and the head of its session's chain. */
  askTrail(id: AskId): Promise<AskTrail | undefined>
  /** The thread: items and asks in the order they came. */
  items(query: ItemQuery): Promise<ItemPage>
  /** One item of a thread that is no ask, with its newest status. */
  item(key: { sessionId: SessionId; id: ItemId }): Promise<Item | undefined>
  /** How sessions leave the log. */
  readonly retirement: Retirement
  /** Small records that are no part of any session's log: devices, trusted folders, attachments' descriptions. */
  readonly records: Records
  /**
   * Walks the hash chain of every session and stops at the first row that does not fit. With `pause` it goes on in short
   * steps with a pause after each, for a check beside the work; the file's own structure, which cannot be checked in
   * pieces, is then left out.
   */
  verify(options?: { pause?: () => Promise<unknown>; signal?: AbortSignal }): Promise<ChainReport>
  /** Lets go of the data. Followers end; later calls throw a `StoreFault` with code `closed`. */
  close(): Promise<void>
}

/** Key and JSON value, by collection. `put` and `remove` are commits, too: each may throw a `CommitInDoubt`. */
export interface Records {
  get(collection: string, key: string): Promise<unknown>
  list(collection: string): Promise<readonly { key: string; value: unknown }[]>
  /** Those that have records. */
  collections(): Promise<readonly string[]>
  put(collection: string, key: string, value: unknown): Promise<void>
  /** Puts the value if the record is still `before`, as it was read, and says whether it was: of two changes at once one counts. */
  replace(collection: string, key: string, value: unknown, before: unknown): Promise<boolean>
  /** Says whether there was one: of two takers of a single-use record one gets `true`. */
  remove(collection: string, key: string): Promise<boolean>
}

export type StoreFaultCode =
  | 'closed'
  | 'full'
  | 'io'
  | 'busy'
  | 'corrupt'
  | 'newer-schema'
  | 'locked'
  | 'fenced'
  | 'replaced'

/** The store cannot do its work. The call that threw it wrote nothing, unless it is a `CommitInDoubt`. */
export class StoreFault extends Error {
  readonly code: StoreFaultCode
  constructor(code: StoreFaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StoreFault'
    this.code = code
  }
}

/** The last step of a commit failed, so it may be on disk. Only the log says whether it is, once it can be read. */
export class CommitInDoubt extends StoreFault {
  constructor(cause: StoreFault) {
    super(cause.code, cause.message, { cause })
    this.name = 'CommitInDoubt'
  }
}

/** What was asked for was changed or damaged in the record. The store works, and what is of other sessions can be read. */
export class RecordDamaged extends StoreFault {
  constructor(message: string) {
    super('corrupt', message)
    this.name = 'RecordDamaged'
  }
}
