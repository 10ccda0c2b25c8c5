import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { Subscribe } from '@holdpoint/schema/wire'
import type { Snapshot } from './snapshot.ts'

/** One call of the native API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From the root, query included: `/api/asks?status=open`. */
  readonly path: string
  /** Sent as JSON; a `Blob` is sent as it is, under its own type. */
  readonly body?: unknown
  /** The same key makes a repeated answer the same answer. */
  readonly idempotencyKey?: string
  /** Aborting gives up waiting; the gateway may have done the work all the same. */
  readonly signal?: AbortSignal
}

/** What the gateway said, a refusal included: a status is a value. */
export interface Reply {
  readonly status: number
  /** `undefined` where the reply has none. */
  readonly body: unknown
}

/** What the gateway sends on a stream. Types that this client does not know are left out by the transport. */
export type ServerFrame =
  | ({ readonly type: 'snapshot' } & Snapshot)
  | { readonly type: 'event'; readonly seq: number; readonly event: DurableEvent }
  | { readonly type: 'live'; readonly event: LiveEvent }
  /** The subscription with this `ref` is up to date; `partial` replaces what is known of texts in the making. */
  | { readonly type: 'subscribed'; readonly ref: string; readonly partial: readonly LiveEvent[] }
  /** Something came that cannot be read, or the gateway could not read us: what was missed is not known. */
  | { readonly type: 'unreadable' }

/** Why a stream is over: it broke or could not be had, or the gateway does not know the credential. */
export type StreamEnd = 'lost' | 'unauthorized'

/** Called later, never from within `stream()`, `send()` or `close()`. */
export interface StreamHandlers {
  onOpen(): void
  onFrame(frame: ServerFrame): void
  /** Once, and nothing after it. */
  onEnd(end: StreamEnd): void
}

export interface Stream {
  /** Dropped when the stream is not open. */
  send(frame: Subscribe): void
  /** Nothing is called any more. */
  close(): void
}

/** How a client reaches the gateway: over the network, or directly in its own process. */
export interface Transport {
  /** Resolves with whatever the gateway says. Throws a `TransportFault` when it said nothing. */
  call(call: Call): Promise<Reply>
  stream(handlers: StreamHandlers): Stream
}

export class TransportFault extends Error {
  readonly code: 'unreachable' | 'aborted'

  constructor(code: 'unreachable' | 'aborted', message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportFault'
    this.code = code
  }
}
