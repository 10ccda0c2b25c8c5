import { ticketed } from './ticketed.ts'
import { type StreamEnd, TransportFault, type Wire } from './transport.ts'

/** The part of a WebSocket that is used here: the browser's, Node's own, or that of the `ws` package. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(text: string): void
  close(): void
}

export interface SocketClose {
  /** Known of the ticket alone: of a WebSocket a browser does not say why it is closed. */
  readonly end: StreamEnd
}

/** A WebSocket that gets a ticket before it connects. `open` is given the path with the ticket in it. */
export function ticketedSocket(
  wire: Pick<Wire, 'call'>,
  { path, open }: { readonly path: string; readonly open: (path: string) => WebSocketLike },
): WebSocketLike {
  const closed = new AbortController()
  let socket: WebSocketLike | undefined

  const outer: WebSocketLike = {
    onopen: null,
    onmessage: null,
    onerror: null,
    onclose: null,
    send: (text) => socket?.send(text),
    close() {
      closed.abort()
      socket?.close()
    },
  }
  const tellClose = (close: SocketClose) => outer.onclose?.(close as never)

  async function connect() {
    const address = await ticketed(wire, path, closed.signal)
    if (closed.signal.aborted) return tellClose({ end: 'lost' })
    const inner = open(address)
    socket = inner
    inner.onopen = (event) => outer.onopen?.(event)
    inner.onmessage = (event) => outer.onmessage?.(event)
    inner.onerror = (event) => outer.onerror?.(event)
    inner.onclose = () => tellClose({ end: 'lost' })
  }

  connect().catch((error: unknown) => {
    const code = error instanceof TransportFault ? error.code : undefined
    tellClose({ end: code === 'unauthorized' || code === 'not_the_gateway' ? code : 'lost' })
  })
  return outer
}
