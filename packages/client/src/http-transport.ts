import { createInteractions } from './interactions.ts'
import { readFrame } from './read-frame.ts'
import { type Call, type Reply, type StreamHandlers, type Transport, TransportFault } from './transport.ts'

/** The part of a WebSocket that is used here: the browser's, Node's own, or that of the `ws` package. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(text: string): void
  close(): void
}

export interface HttpTransportOptions {
  /** `https://holdpoint.example`; left out, the page's own origin. */
  readonly baseUrl?: string
  /** For programs. A page uses its cookie: a browser cannot send a token with a WebSocket. */
  readonly token?: string
  readonly fetch?: typeof fetch
  /** Node 20 has none of its own. */
  readonly WebSocket?: new (
    url: string,
    options?: never,
  ) => WebSocketLike
}

/** Reaches a gateway over the network. */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const baseUrl = (options.baseUrl ?? globalThis.location?.origin ?? '').replace(/\/$/, '')
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const authorization: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  async function call({ method, path, body, idempotencyKey, accept, onText, signal }: Call): Promise<Reply> {
    const isFile = body instanceof Blob
    const headers: Record<string, string> = {
      'x-holdpoint': '1',
      ...authorization,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': isFile ? body.type : 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    try {
      const response = await doFetch(baseUrl + path, {
        method,
        headers,
        credentials: 'same-origin',
        ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      if (onText && response.body && isEventStream(response)) {
        await readText(response.body, onText)
        return { status: response.status, body: undefined }
      }
      return { status: response.status, body: readBody(await response.text()) }
    } catch (cause) {
      if (signal?.aborted) throw new TransportFault('aborted', `${method} ${path} was called off`, { cause })
      throw new TransportFault('unreachable', `${method} ${path}: the gateway did not answer`, { cause })
    }
  }

  /** A browser does not say why a WebSocket was refused: a plain call does. */
  async function isUnauthorized(signal: AbortSignal): Promise<boolean> {
    const reply = await call({ method: 'GET', path: '/api/me', signal }).catch(() => undefined)
    return reply?.status === 401
  }

  function stream(handlers: StreamHandlers) {
    const over = new AbortController()
    let isOpen = false
    const socket = openSocket()
    socket.onopen = () => {
      if (over.signal.aborted) return socket.close()
      isOpen = true
      handlers.onOpen()
    }
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (over.signal.aborted) return
      const frame = typeof data === 'string' ? readFrame(data) : ({ type: 'unreadable' } as const)
      if (frame) handlers.onFrame(frame)
    }
    socket.onerror = () => {}
    socket.onclose = () => {
      const wasOpen = isOpen
      isOpen = false
      if (over.signal.aborted) return
      if (wasOpen) return end('lost')
      void isUnauthorized(over.signal).then((gone) => end(gone ? 'unauthorized' : 'lost'))
    }

    function end(why: 'lost' | 'unauthorized') {
      if (over.signal.aborted) return
      over.abort()
      handlers.onEnd(why)
    }

    return {
      send(frame: object) {
        if (isOpen) socket.send(JSON.stringify(frame))
      },
      close() {
        over.abort()
        socket.close()
      },
    }
  }

  function openSocket(): WebSocketLike {
    const Socket = options.WebSocket ?? globalThis.WebSocket
    const url = `${baseUrl.replace(/^http/, 'ws')}/api/stream`
    // Only programs get here with a token, and theirs take headers.
    return options.token === undefined ? new Socket(url) : new Socket(url, { headers: authorization } as never)
  }

  return { call, stream, ...createInteractions({ call }) }
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

async function readText(body: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onText(decoder.decode(value, { stream: true }))
  }
}

/** Everything else that the gateway says is JSON or nothing; anything else was said by somebody in between. */
function readBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text)
}
