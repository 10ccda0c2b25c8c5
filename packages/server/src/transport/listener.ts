import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { sizeOf } from '@holdpoint/core/size-of'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { Devices } from '../auth/devices.ts'
import { admit, type GuardOptions, type RequestFacts } from '../auth/guard.ts'
import type { Machines } from '../cluster/machines.ts'
import type { Log } from '../system/log.ts'
import { closerOf } from './close-server.ts'
import type { Connections } from './connections.ts'
import { contentPolicy } from './content-policy.ts'
import { corsHeaders, preflight } from './cors.ts'
import { createDispatch, faultReply, isStoreFault, parseUrl, refusalOf, TICKET } from './dispatch.ts'
import { type Refusal, type Reply, refusal } from './errors.ts'
import { readBytes } from './read-body.ts'
import type { Received } from './received.ts'
import type { Route } from './route.ts'
import { piecesOf, sendPieces } from './send-pieces.ts'
import { findSocket, type SocketRoute } from './socket-route.ts'
import { responseSink } from './text-sink.ts'
import { type ConnectionUnread, SMALL_REPLY, type Unread } from './unread.ts'
import type { WebApp } from './web-app.ts'

/** What the parser says of requests that it gives up on. */
const UNREADABLE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too_slow',
}

const SECURITY_HEADERS = {
  'content-security-policy': contentPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}

export interface ListenerOptions {
  readonly devices: Devices
  readonly connections: Connections
  readonly unread: Unread
  /** Left out for callers that wait for long after they have sent their body, and are this user's own programs. */
  readonly received?: Received
  readonly log: Log
  readonly routes: readonly Route[]
  /** For calls that only another machine can serve. Left out: each is served here. */
  readonly machines?: Machines
  readonly webApp: WebApp
  readonly guard: GuardOptions
  /** Whose programs call: needed where a connection does not show it by a certificate (T64). */
  readonly isOtherUser?: (socket: Socket, host: string | undefined) => Promise<boolean> | false
  readonly sockets: readonly SocketRoute[]
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  readonly patience?: Patience
}

/** Milliseconds that a client may take (F32). */
export interface Patience {
  /** For a TLS handshake, and then for the head of a request, upgrades included. */
  readonly head: number
  /** For the whole request. */
  readonly request: number
  /** For taking the refusal of an upgrade. */
  readonly goodbye: number
  /** For taking anything of what it was sent, and of a large reply each piece (F58). */
  readonly taking: number
}

const PATIENCE: Patience = { head: 10_000, request: 30_000, goodbye: 5_000, taking: 30_000 }

export interface Listener {
  readonly server: Server
  /** Lets go of whoever is connected, then of the port. */
  close(): Promise<void>
}

/** The HTTP server. It frames; what happens is decided in the routes. */
export function createListener(options: ListenerOptions): Listener {
  const { devices, connections, guard, patience = PATIENCE } = options
  const dispatch = createDispatch(options)
  const limits = {
    requireHostHeader: false,
    maxHeaderSize: 16 * 1024,
    headersTimeout: patience.head,
    requestTimeout: patience.request,
    // Node looks every 30 s unless told otherwise, and lets nobody go before it has looked.
    connectionsCheckingInterval: Math.min(1000, patience.head / 4),
    keepAliveTimeout: 65_000,
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response).catch((error: unknown) => fail(response, error))
  }
  const server = options.tls
    ? createTlsServer({ ...limits, ...options.tls, handshakeTimeout: patience.head }, onRequest)
    : createServer(limits, onRequest)
  // One for each call that waits for its turn on a connection; they are few, but may be more than Node likes.
  server.on('connection', (socket: Socket) => socket.setMaxListeners(0))
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrade(request, socket, head).catch(() => socket.destroy())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes of a response may be on their way already: a second one would be read as part of it.
    if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) return void socket.destroy()
    refuse(socket, refusal(UNREADABLE[error.code ?? ''] ?? 'bad_request'))
  })
  return { server, close: closerOf(server) }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    if (await options.isOtherUser?.(request.socket, request.headers.host))
      return send(request, response, refusal('other_user'))
    const url = parseUrl(request.url)
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const facts = factsOf(request, url, false)
    for (const [name, value] of Object.entries(corsHeaders(facts, guard))) response.setHeader(name, value)
    const asked = preflight(request, facts, guard)
    if (asked) return send(request, response, asked)
    const file = method === 'GET' && url ? options.webApp.find(url.pathname, request.headers) : undefined
    if (file) {
      const admission = admit(facts, { action: 'public' }, guard)
      if (!admission.ok) return send(request, response, refusalOf(admission))
      return send(
        request,
        response,
        guard.pageOrigins.has(facts.hosts[0]?.toLowerCase() ?? '') ? file : moved(url, guard),
      )
    }
    const gone = new AbortController()
    // Of a request that is torn down Node takes the socket away.
    const { socket } = request
    let unread = options.unread.connection(undefined)
    let release = () => {}
    const onGone = () => {
      response.off('close', onGone)
      socket.off('close', onGone)
      unread.note(0)
      release()
      gone.abort()
    }
    response.on('close', onGone)
    // A reply that waits behind another on one connection is not told when that connection ends.
    socket.on('close', onGone)
    let received: ReturnType<Received['body']> | undefined
    const reply = await dispatch({
      facts,
      method,
      url,
      bytes(limit, caller) {
        received = options.received?.body(caller)
        return readBytes(request, { limit, fits: (bytes) => received?.note(bytes) ?? true })
      },
      request,
      response,
      signal: gone.signal,
      sendable(made, caller) {
        if (gone.signal.aborted) return made
        unread = options.unread.connection(caller)
        const length = lengthOf(made)
        // A reply has no socket while an earlier one of its connection is not taken. Even small ones pile up there.
        const isBehind = !response.socket
        const isSmall = length <= SMALL_REPLY
        if (isSmall && !isBehind) return made
        if ((!isSmall && isBehind) || !options.unread.hasRoom(caller)) return tooMuchUnread(method)
        // The credential went while the reply was made: nothing would end it any more.
        if (caller && !devices.current(caller)) return refusal('unauthorized')
        // Taken at once: calls of one packet all look before any reply is sent.
        unread.note(length)
        if (caller) release = connections.holdReply(caller, () => socket.destroy())
        return made
      },
    }).finally(() => received?.note(0))
    // Behind a stream nothing would ever be sent, and all of it be kept.
    if (reply?.stream && !response.socket) socket.destroy()
    else if (reply?.stream) await stream(response, reply, unread)
    else if (reply && !gone.signal.aborted) await send(request, response, reply, unread)
  }

  /** Whoever takes nothing of what it was sent is let go: it would stay in memory. */
  function letGoUnlessTaken(response: ServerResponse) {
    response.setTimeout(patience.taking, () => {
      if ((response.socket?.writableLength ?? 0) > 0) response.destroy()
    })
  }

  async function stream(response: ServerResponse, reply: Reply, unread: ConnectionUnread) {
    response.writeHead(reply.status, reply.headers)
    response.flushHeaders()
    letGoUnlessTaken(response)
    await reply.stream?.(responseSink(response, unread))
  }

  /** Without `unread` for files, whose bytes are the same for all clients. */
  async function send(request: IncomingMessage, response: ServerResponse, reply: Reply, unread?: ConnectionUnread) {
    // What was not read is not waited for: a refused upload ends here.
    if (!request.complete) response.setHeader('connection', 'close')
    // Not the request's: of one that is torn down, like a refused upload, Node takes the socket away.
    const { socket } = response
    const body = prepare(response, reply)
    const pieces = reply.file ?? (Buffer.isBuffer(body) && body.length > SMALL_REPLY ? piecesOf(body) : undefined)
    if (pieces) {
      await sendPieces(response, pieces, { taking: patience.taking, onLeft: (bytes) => unread?.note(bytes) })
    } else response.end(body)
    // It is known already that nothing is left of it.
    if (socket?.destroyed || response.closed) return
    const left = socket ? socket.writableLength : lengthOf(reply)
    unread?.note(left)
    if (left > 0) letGoUnlessTaken(response)
  }

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer) {
    socket.on('error', () => socket.destroy())
    if (await options.isOtherUser?.(socket, request.headers.host)) return refuse(socket, refusal('other_user'))
    const url = parseUrl(request.url)
    const found = url && findSocket(options.sockets, url.pathname)
    // An address that does not exist is not told apart from one that needs a credential (T5).
    const admission = admit(factsOf(request, url, true), { action: found?.route.action ?? 'read-events' }, guard)
    if (!admission.ok) return refuse(socket, refusalOf(admission))
    const { device, surface } = admission
    if (!device) return refuse(socket, refusal('unauthorized'))
    if (!found) return refuse(socket, refusal('not_found'))
    // Held first: a credential that goes while we look takes the connection with it (T12).
    const held = connections.hold(device, () => socket.destroy())
    if (!held) return refuse(socket, refusal('too_many_connections'))
    socket.on('close', held)
    if ((await found.route.exists?.(found.params, device)) === false) return refuse(socket, refusal('not_found'))
    if (guard.closing.aborted) return refuse(socket, refusal('closing'))
    await found.route.server.accept(request, socket, head, { device, surface, params: found.params })
  }

  /** A client that keeps its side open must not keep ours. */
  function refuse(socket: Socket, reply: Reply) {
    refuseOnSocket(socket, reply)
    const timer = setTimeout(() => socket.destroy(), patience.goodbye).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  function fail(response: ServerResponse, error: unknown) {
    if (response.destroyed && !isStoreFault(error)) return
    const reply = faultReply(options.log, error, response.req.method)
    if (response.headersSent) return void response.destroy()
    // Of a file that could not be read.
    for (const name of ['content-type', 'content-length']) response.removeHeader(name)
    response.end(prepare(response, reply))
  }
}

function factsOf(request: IncomingMessage, url: URL | undefined, upgrade: boolean): RequestFacts {
  const one = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : value?.join(',')
  }
  const hosts: string[] = []
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === 'host') hosts.push(request.rawHeaders[index + 1] ?? '')
  }
  const optional = (name: string, key: keyof RequestFacts) => {
    const value = one(name)
    return value === undefined ? {} : { [key]: value }
  }
  return {
    method: request.method ?? '',
    hosts,
    ...optional('origin', 'origin'),
    ...optional('sec-fetch-site', 'fetchSite'),
    ...optional('content-type', 'contentType'),
    hasBody: request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0,
    ...optional('authorization', 'authorization'),
    ...optional('x-holdpoint-secret', 'pageSecret'),
    ...(url && { path: url.pathname }),
    ...ticketIn(url),
    ...optional('cookie', 'cookie'),
    ...optional('x-holdpoint', 'marker'),
    upgrade,
  }
}

/**
 * To where the same page may log in. Browsers take what is behind the `#` along. The connection ends: the name may lead to
 * another program next time.
 */
function moved(url: URL | undefined, { pageOrigins }: GuardOptions): Reply {
  const [origin = ''] = pageOrigins.values()
  const location = `${origin}${url?.pathname ?? '/'}${url?.search ?? ''}`
  return { status: 307, headers: { location, connection: 'close' } }
}

function ticketIn(url: URL | undefined): Pick<RequestFacts, 'ticket'> {
  const [ticket, ...more] = url?.searchParams.getAll(TICKET) ?? []
  return ticket === undefined || more.length > 0 ? {} : { ticket }
}

/** Sets what comes before the body, and writes the body down. */
function prepare(response: ServerResponse, reply: Reply): Buffer | string | undefined {
  response.statusCode = reply.status
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (reply.body === undefined) return undefined
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
  const isReady = typeof reply.body === 'string' || Buffer.isBuffer(reply.body)
  const body = isReady ? reply.body : JSON.stringify(reply.body)
  // As bytes a large text is in memory once while it is sent.
  return typeof body === 'string' && body.length > SMALL_REPLY ? Buffer.from(body) : body
}

/** About how long it is, without writing it down. */
function lengthOf({ body, file }: Reply): number {
  if (file) return file.size
  return Buffer.isBuffer(body) ? body.length : sizeOf(body)
}

/** Only a call that reads is known to have changed nothing. */
function tooMuchUnread(method: string): Refusal {
  const details = method === 'GET' ? {} : { recorded: 'unknown' }
  return { ...refusal('too_much_unread', details), headers: { 'retry-after': '5' } }
}

function refuseOnSocket(socket: Socket, reply: Reply) {
  const body = JSON.stringify(reply.body)
  socket.end(
    `HTTP/1.1 ${reply.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
