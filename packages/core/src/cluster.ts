import type { NodeId } from '@holdpoint/schema/id'
import type { OtherWriters } from './other-writers.ts'

/** A gateway among several that share a log, as the log's database knows it. */
export interface ClusterNode {
  readonly id: NodeId
  /** What people call its machine. */
  readonly name: string
  readonly version: string
  /** The agents that can be started there. */
  readonly agents: readonly string[]
  /** Where browsers can reach it directly, such as for its terminals; undefined unless it says so. */
  readonly address?: string
  /** Milliseconds since its last heartbeat, by the database's clock, when this was read. */
  readonly beatAgeMs: number
  /** Its last heartbeat is not older than four seconds. */
  readonly isReachable: boolean
  /** It is to take no new sessions. */
  readonly isDraining: boolean
}

/** What a node says of itself with each heartbeat. */
export type NodeFacts = Pick<ClusterNode, 'version' | 'agents' | 'address'>

/** What became of a call to another node. */
export type NodeReply =
  | { readonly ok: true; readonly reply: string }
  /** It was not taken, and it never will be. */
  | { readonly ok: false; readonly why: 'unreachable' }
  /** It was taken, and then its node was lost, or the caller: what came of it is not known. */
  | { readonly ok: false; readonly why: 'unknown' }

/**
 * Collections of records whose change is a change of rights: of who may answer, and of what may be allowed without a person.
 * Each such change raises the cluster's authority.
 */
export const AUTHORITY_COLLECTIONS: readonly string[] = ['devices', 'policy-rules', 'policy-file', 'notice-channels']

/** A small record that another node has put or removed. */
export interface RecordChange {
  readonly collection: string
  readonly key: string
}

/** Serves a call of another node. The signal aborts when the caller has left or this node closes; the reply goes nowhere then. */
export type ServeCall = (body: string, options: { readonly signal: AbortSignal }) => Promise<string>

/** In UTF-8. */
export const TOLD_BYTES = 7_000
export const TOLD_PER_SECOND = 200

/**
 * The other gateways on the same log, and this one's place among them. The log itself is the `Store`; everything here is
 * about who is there, what only another machine can do, and what memory has to be read again.
 */
export interface Cluster extends OtherWriters {
  /** This gateway. The id stays with its data folder. */
  readonly node: NodeId
  /**
   * The node of sessions that name none: they came with a log that one gateway alone had written. Undefined unless such a
   * log was moved here.
   */
  readonly home: NodeId | undefined
  /** Time of day by the database's clock, so that all nodes agree about what comes first. */
  now(): number
  /** As last read, by name; this node is among them. Those that were forgotten are not. */
  nodes(): readonly ClusterNode[]
  /** What this node says of itself from now on. */
  describe(facts: NodeFacts): void
  /** Calls back when a node came, went, was renamed, drained or forgotten. Returns how to stop it. */
  onNodes(listener: () => void): () => void
  /** Says whether there is such a node. */
  rename(id: NodeId, name: string): Promise<boolean>
  /** Says whether there is such a node. */
  drain(id: NodeId, isDraining: boolean): Promise<boolean>
  /** Takes it off the list for good. Not possible while it is reachable: says why not. */
  forget(id: NodeId): Promise<'forgotten' | 'reachable' | 'unknown'>
  /**
   * Has another node do something, once. Waits for its reply for as long as it is reachable. Aborting takes the call back if
   * nobody has taken it yet (`unreachable`), and stops the waiting (`unknown`).
   */
  call(to: NodeId, body: string, options: { readonly signal: AbortSignal }): Promise<NodeReply>
  /** Takes calls of other nodes from now on. Once. */
  serve(handler: ServeCall): void
  /**
   * Tells all other nodes something that is kept nowhere, such as a text in the making. May be lost: a longer one than
   * `TOLD_BYTES` is, and what goes beyond `TOLD_PER_SECOND`.
   */
  tell(text: string): void
  onTold(listener: (text: string, from: NodeId) => void): () => void
  /**
   * Calls back when another node has changed a record, or with undefined when any may have changed. What the listeners
   * read again must be in force when their promises resolve: until then no answer of a person is recorded here (I8).
   */
  onRecords(listener: (change: RecordChange | undefined) => Promise<void>): () => void
  /**
   * The newest number of the cluster's authority whose changes are all in force here: every listener of `onRecords` has
   * read them again, and of this gateway's own changes the calls have returned. What decides about an answer takes it first.
   */
  authority(): number
  /**
   * Calls back once if another gateway has taken this node's identity (a copied data folder): this one writes nothing any
   * more and has to end.
   */
  onDisplaced(listener: () => void): () => void
  /**
   * Calls back once if the log is another one than before at the place where this gateway had read (a restored backup, a
   * standby without the newest events): this one reads and writes nothing any more and has to end. What it remembers was
   * decided on the log before; its next start knows only what is there.
   */
  onReplaced(listener: () => void): () => void
  /** Stops heartbeats and calls. Who waits for a reply gets `unknown`. */
  close(): Promise<void>
}
