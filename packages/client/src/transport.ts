import type { Attention, ServerFrame, Subscribe } from '@holdpoint/schema/stream'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'

/** One call of the native API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From the root, query included: `/api/asks?status=open`. */
  readonly path: string
  /** Sent as JSON; a `Blob` is sent as it is, under its own type. */
  readonly body?: unknown
  /** The same key makes a repeated answer the same answer. */
  readonly idempotencyKey?: string
  /** What the reply may be; left out, JSON. */
  readonly accept?: string
  /** Gets a reply that is streamed, as it comes; the call resolves when that is over. Not called after an abort. */
  readonly onText?: (text: string) => void
  /** The reply of a success is a `Blob` as it came, and no JSON. */
  readonly asBlob?: true
  /** Aborting gives up waiting; the gateway may have done the work all the same. */
  readonly signal?: AbortSignal
}

/** What the gateway said, a refusal included: a status is a value. */
export interface Reply {
  readonly status: number
  /** `undefined` where the reply has none. */
  readonly body: unknown
}

/** A frame that a client acts on. The transport leaves out types that this client does not know. */
export type ReceivedFrame =
  | Exclude<ServerFrame, { type: 'answered' | 'error' }>
  /** Something came that cannot be read, or the gateway could not read us: what was missed is not known. */
  | { readonly type: 'unreadable' }

/**
 * Why a stream is over: it broke or could not be had; the gateway does not know the credential, so that trying again leads
 * nowhere; or something else answers at its address.
 */
export type StreamEnd = 'lost' | 'unauthorized' | 'not_the_gateway'

/** Called later, never from within `stream()`, `send()` or `close()`. */
export interface StreamHandlers {
  onOpen(): void
  onFrame(frame: ReceivedFrame): void
  /** Once, and nothing after it. */
  onEnd(end: StreamEnd): void
}

export interface Stream {
  /** Dropped when the stream is not open. */
  send(frame: Subscribe | Attention): void
  /** Nothing is called any more. */
  close(): void
}

/** How a client reaches the gateway: over the network, or directly in its own process. */
export interface Wire {
  /** Resolves with whatever the gateway says. Throws a `TransportFault` when it said nothing. */
  call(call: Call): Promise<Reply>
  stream(handlers: StreamHandlers): Stream
}

/** A wire, and on it what an app needs that shows turns and answers tool calls. The same on every wire. */
export interface Transport extends Wire {
  /** Allows a tool call once, as the agent gave it. Repeated when no reply comes, three times in all; it counts once. */
  approveTool(sessionId: string, toolCallId: string, options?: InteractionOptions): Promise<InteractionResult>
  /** The agent reads `message`. A question is skipped, a form declined. */
  denyTool(
    sessionId: string,
    toolCallId: string,
    options?: InteractionOptions & { readonly message?: string },
  ): Promise<InteractionResult>
  /** By the question's place, '0' being the first: a label or the person's own words; where several may be chosen, a JSON array of them. */
  submitAnswers(
    sessionId: string,
    toolCallId: string,
    answers: Readonly<Record<string, string>>,
    options?: InteractionOptions,
  ): Promise<InteractionResult>
  /** By the names of the form's fields. */
  submitForm(
    sessionId: string,
    toolCallId: string,
    content: Readonly<Record<string, unknown>>,
    options?: InteractionOptions,
  ): Promise<InteractionResult>
  /**
   * Sends a message and follows the turn until it is done. Throws a `TransportFault`: `refused` when the message was not
   * taken, `unreachable` when the stream broke off; the turn goes on then, and `joinTurn` gets back to it. So does it
   * when `signal` aborts: that leaves the stream, not the turn.
   */
  sendMessage(sessionId: string, content: string, options: FollowOptions): Promise<void>
  /** Follows the turn that runs, open approvals and questions first. Ends and throws as `sendMessage` does. */
  joinTurn(sessionId: string, options: FollowOptions): Promise<void>
}

export interface InteractionOptions {
  /** Aborting gives up waiting; the answer may have counted all the same. */
  readonly signal?: AbortSignal
}

export interface FollowOptions extends InteractionOptions {
  onEvent(event: StreamEvent): void
}

/**
 * What became of an answer. `not_found`: there is no such call that waits. `already_settled`: somebody or something was
 * first. `invalid`: it does not fit. `refused`: anything else that the gateway says no to.
 */
export type InteractionResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly code: 'not_found' | 'already_settled' | 'invalid' | 'refused'
      /** The gateway's words. */
      readonly message: string
    }

/**
 * `unreachable`: nothing was said, or the stream broke off. `aborted`: called off. `unauthorized`: the credential is not
 * known. `failed`: the gateway could not do it. `refused`: it would not. `not_the_gateway`: something else answers at its
 * address, and nothing was sent to it.
 */
export type FaultCode = 'unreachable' | 'not_the_gateway' | 'aborted' | 'unauthorized' | 'failed' | 'refused'

export class TransportFault extends Error {
  readonly code: FaultCode

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportFault'
    this.code = code
  }
}
