import { createInteractions } from './interactions.ts'
import { createPageSecret } from './page-secret.ts'
import { readFrame } from './read-frame.ts'
import { type SocketClose, ticketedSocket, type WebSocketLike } from './ticketed-socket.ts'
import { type Call, type Reply, type StreamHandlers, type Transport, TransportFault } from './transport.ts'

export interface HttpTransportOptions {
  /** `https://holdpoint.example`; left out, the page's own origin. */
  readonly baseUrl?: string
  /** For programs, and for pages of an origin that the gateway was told to allow. Other pages log in. */
  readonly token?: string
  readonly fetch?: typeof fetch
  /** Node 20 has none of its own. */
  readonly WebSocket?: new (
    url: string,
  ) => WebSocketLike
}

/** Reaches a gateway over the network. A login is kept for the page, and a logout forgets it. */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const baseUrl = (options.baseUrl ?? globalThis.location?.origin ?? '').replace(/\/$/, '')
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const pageSecret = createPageSecret(baseUrl)

  async function credential(): Promise<Record<string, string>> {
    if (options.token !== undefined) return { authorization: `Bearer ${options.token}` }
    const secret = await pageSecret.read()
    return secret === undefined ? {} : { 'x-holdpoint-secret': secret }
  }

  async function call(wanted: Call): Promise<Reply> {
    const reply = await send(wanted)
    const path = wanted.method === 'POST' && options.token === undefined ? wanted.path : undefined
    if (path === '/api/login' && reply.status === 200) return { ...reply, body: await keepSecret(reply.body) }
    if (path === '/api/logout' && reply.status === 204) await pageSecret.write(undefined)
    return reply
  }

  /** Nobody but this module needs to see it. */
  async function keepSecret(body: unknown): Promise<unknown> {
    const { secret, ...rest } = body as { readonly secret?: unknown }
    if (typeof secret === 'string') await pageSecret.write(secret)
    return rest
  }

  async function send({ method, path, body, idempotencyKey, accept, onText, asBlob, signal }: Call): Promise<Reply> {
    const isFile = body instanceof Blob
    const headers: Record<string, string> = {
      'x-holdpoint': '1',
      ...(await credential()),
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
      if (asBlob && response.ok) return { status: response.status, body: await response.blob() }
      return { status: response.status, body: readBody(await response.text()) }
    } catch (cause) {
      if (signal?.aborted) throw new TransportFault('aborted', `${method} ${path} was called off`, { cause })
      throw new TransportFault('unreachable', `${method} ${path}: the gateway did not answer`, { cause })
    }
  }

  function stream(handlers: StreamHandlers) {
    const over = new AbortController()
    let isOpen = false
    const socket = ticketedSocket({ call }, { path: '/api/stream', open: openSocket })
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
    socket.onclose = ({ isUnauthorized }: SocketClose) => {
      isOpen = false
      if (over.signal.aborted) return
      over.abort()
      handlers.onEnd(isUnauthorized ? 'unauthorized' : 'lost')
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

  function openSocket(path: string): WebSocketLike {
    const Socket = options.WebSocket ?? globalThis.WebSocket
    return new Socket(baseUrl.replace(/^http/, 'ws') + path)
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
