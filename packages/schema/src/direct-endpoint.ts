/** The gateway as programs in its own process reach it: the same calls and streams as over the network, no socket. */
export interface DirectEndpoint {
  call(call: DirectCall): Promise<DirectReply>
  stream(handlers: DirectStreamHandlers): DirectStream
}

export interface DirectCall {
  readonly method: string
  readonly path: string
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly idempotencyKey?: string
  readonly accept?: string
  /** Gets the text of a streamed reply as it comes; the call resolves when the stream is over. */
  readonly onText?: (text: string) => void
  /** Aborting says that nobody waits any more. */
  readonly signal?: AbortSignal
}

export interface DirectReply {
  readonly status: number
  /** JSON; left out where there is none. */
  readonly body?: string
}

/** Called later, in order, never from within a call of the endpoint. */
export interface DirectStreamHandlers {
  onOpen(): void
  /** One JSON frame, as it would come over the WebSocket. */
  onFrame(text: string): void
  /** Once, and nothing after it. */
  onEnd(end: 'lost' | 'unauthorized'): void
}

export interface DirectStream {
  send(text: string): void
  /** Nothing is called any more. */
  close(): void
}
