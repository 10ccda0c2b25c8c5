import { paths, socketPaths } from '@holdpoint/schema/paths'
import { createInteractions } from './interactions.ts'
import { oneOf } from './one-of.ts'
import { createPageLoginStore } from './page-login.ts'
import { createPagePass } from './page-pass.ts'
import { readFrame } from './read-frame.ts'
import { type SocketClose, ticketedSocket, type WebSocketLike } from './ticketed-socket.ts'
import { type Call, type Reply, type StreamHandlers, type Transport, TransportFault, type Wire } from './transport.ts'

const PASS = 'x-holdpoint-secret'

export interface HttpTransportOptions {
  /**
   * `https://holdpoint.example`; left out, the page's own origin. A program may name several gateways of one database:
   * when one cannot be reached, calls and streams go on at another one. They need a token then.
   */
  readonly baseUrl?: string | readonly string[]
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
  const addresses = [options.baseUrl ?? globalThis.location?.origin ?? ''].flat()
  if (addresses.length > 1 && options.token === undefined)
    throw new TypeError('Several addresses need a token: a login of a page is for one.')
  const wire = oneOf(addresses.map((address) => createHttpWire(address.replace(/\/$/, ''), options)))
  return { ...wire, ...createInteractions(wire) }
}

function createHttpWire(baseUrl: string, options: HttpTransportOptions): Wire {
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const pageLogin = createPageLoginStore(baseUrl)
  const pagePass = createPagePass({ baseUrl, fetch: doFetch })

  async function call(wanted: Call): Promise<Reply> {
    if (options.token !== undefined) return send(wanted, { authorization: `Bearer ${options.token}` })
    if (isTo(wanted, paths.account.login)) {
      const reply = await send(wanted, {})
      return reply.status === 200 ? { ...reply, body: await keepLogin(reply.body) } : reply
    }
    const reply = await sendFromPage(wanted)
    if (isTo(wanted, paths.account.logout) && reply.status === 204) await forgetLogin()
    return reply
  }

  async function sendFromPage(wanted: Call): Promise<Reply> {
    const credential = await pageCredential(wanted)
    const reply = await send(wanted, credential)
    if (reply.status !== 401 || !(PASS in credential)) return reply
    // A gateway that was started anew knows the login, and not what it gave out before.
    pagePass.drop()
    return send(wanted, await pageCredential(wanted))
  }

  async function pageCredential({ signal }: Call): Promise<Record<string, string>> {
    const login = await pageLogin.read()
    const pass = login && (await pagePass.of(login, signal))
    return pass === undefined ? {} : { [PASS]: pass }
  }

  /** Nobody but this module needs to see it. */
  async function keepLogin(body: unknown): Promise<unknown> {
    const { secret, proofKey, ...rest } = body as { secret?: unknown; proofKey?: unknown; device?: { id?: unknown } }
    const device = rest.device?.id
    if (typeof device === 'string' && typeof secret === 'string' && typeof proofKey === 'string')
      await pageLogin.write({ device, secret, proofKey })
    return rest
  }

  async function forgetLogin() {
    pagePass.drop()
    await pageLogin.write(undefined)
  }

  async function send(call: Call, credential: Record<string, string>): Promise<Reply> {
    const { method, path, body, idempotencyKey, accept, onText, asBlob, signal } = call
    const isFile = body instanceof Blob
    const headers: Record<string, string> = {
      'x-holdpoint': '1',
      ...credential,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': isFile ? body.type : 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    try {
      const response = await doFetch(baseUrl + path, {
        method,
        headers,
        credentials: 'same-origin',
        // Somebody who held the port before may have left answers in the browser's cache (T64).
        cache: 'no-store',
        ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      if (onText && response.body && isEventStream(response)) {
        await readText(response.body, onText, signal)
        return { status: response.status, body: undefined }
      }
      if (asBlob && response.ok) return { status: response.status, body: await response.blob() }
      return { status: response.status, body: readBody(await response.text()) }
    } catch (cause) {
      if (signal?.aborted) throw new TransportFault('aborted', `${method} ${path} was cancelled`, { cause })
      pagePass.drop()
      throw new TransportFault('unreachable', `${method} ${path}: the gateway did not answer`, { cause })
    }
  }

  function stream(handlers: StreamHandlers) {
    const over = new AbortController()
    let isOpen = false
    const socket = ticketedSocket({ call }, { path: socketPaths.stream, open: openSocket })
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
    socket.onclose = ({ end }: SocketClose) => {
      isOpen = false
      if (over.signal.aborted) return
      over.abort()
      pagePass.drop()
      handlers.onEnd(end)
    }

    return {
      send(frame: object) {
        if (isOpen) socket.send(JSON.stringify(frame))
      },
      close() {
        over.abort()
        pagePass.drop()
        socket.close()
      },
    }
  }

  function openSocket(path: string): WebSocketLike {
    const Socket = options.WebSocket ?? globalThis.WebSocket
    return new Socket(baseUrl.replace(/^http/, 'ws') + path)
  }

  return { call, stream }
}

function isTo(call: Call, place: Pick<Call, 'method' | 'path'>): boolean {
  return call.method === place.method && call.path === place.path
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

async function readText(
  body: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // By itself: Node forgets the signal that was given to fetch when the request is collected as garbage.
  const leave = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', leave)
  try {
    if (signal?.aborted) leave()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      onText(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal?.removeEventListener('abort', leave)
  }
  signal?.throwIfAborted()
}

/** Everything else that the gateway says is JSON or nothing; anything else was said by somebody in between. */
function readBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text)
}
