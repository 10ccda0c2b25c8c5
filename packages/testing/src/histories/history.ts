import type { ChainReport } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'

/** What a caller was told about something that it wanted done. */
export type Told<Result> =
  /** It counts. */
  | { readonly told: 'done'; readonly result: Result }
  /** It does not count. `outcome`: what the ask has become, where the caller was told that. */
  | { readonly told: 'refused'; readonly outcome?: Outcome }
  /** A fault, and nothing was recorded. */
  | { readonly told: 'nothing' }
  /** A fault, or no reply: it may count. */
  | { readonly told: 'unknown' }

/** One request of an agent or of a program. */
export interface RequestKey {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly requestId: string
}

export interface Raise extends RequestKey {
  /** The input of the tool, as JSON. */
  readonly input: string
  /** One for each try, for programs. What agents were told is in `deliveries`. */
  readonly tries: readonly Told<AskId>[]
}

/** One answer of a person; a retry under the same key is the same answer. */
export interface GivenAnswer {
  readonly askId: AskId
  readonly kind: 'allow' | 'deny'
  readonly device: string
  /** What marks its outcome in the log: no two answers of a run share device and retry key. */
  readonly retryKey?: string
  readonly tries: readonly Told<Outcome>[]
}

export interface Withdrawal {
  readonly askId: AskId
  readonly tries: readonly Told<Outcome | undefined>[]
}

/** What reached an agent: its outcome, or that its call was refused because the ask could not be recorded. */
export interface Delivery extends RequestKey {
  readonly kind: Outcome['kind'] | 'refused'
  /** The input that the agent runs with after a yes, as JSON. */
  readonly input: string
}

/** What one life of a gateway published, in its order. */
export interface Stream {
  readonly gateway: string
  readonly events: readonly { readonly seq: number; readonly hash: string }[]
}

/** How an ask stood when somebody was shown it. */
export interface Sighting {
  readonly by: string
  readonly askId: AskId
  readonly outcome?: Outcome
}

/** A life of a node: it began when the log ended at `after`. */
export interface Life {
  readonly node: string
  readonly epoch: number
  readonly after: number
}

/** A row of the log, and the life that wrote it. */
export interface Write {
  readonly seq: number
  readonly node: string
  readonly epoch: number
}

/** A credential was revoked when the log ended at `after`. */
export interface Revocation {
  readonly device: string
  readonly after: number
}

/** What several gateways on one log did, what everybody was told, and what the log says in the end. */
export interface RunHistory {
  readonly raises: readonly Raise[]
  readonly answers: readonly GivenAnswer[]
  readonly withdrawals: readonly Withdrawal[]
  readonly deliveries: readonly Delivery[]
  /** Requests whose agents still wait at the end, after everything has come to rest. */
  readonly waiting: readonly RequestKey[]
  /** Sessions that were ended: their asks are withdrawn. */
  readonly ended: readonly SessionId[]
  readonly streams: readonly Stream[]
  readonly sightings: readonly Sighting[]
  readonly lives: readonly Life[]
  readonly writes: readonly Write[]
  readonly revocations: readonly Revocation[]
  readonly log: readonly Stored[]
  readonly chain: ChainReport
}
