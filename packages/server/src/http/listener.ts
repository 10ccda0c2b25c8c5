import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { LedgerClosed } from '@holdpoint/core/ledger'
import { StoreFault } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import { z } from 'zod'
import { type Admission, admit, type GuardOptions, type RequestFacts } from '../auth/guard.ts'
import type { Context } from '../context.ts'
import type { StreamServer } from '../stream/web-socket.ts'
import type { Connections } from './connections.ts'
import { type ErrorCode, type Reply, refusal } from './errors.ts'
import { issuesOf } from './issues.ts'
import { staticFile } from './placeholder.ts'
import { parseJsonBytes, readBytes } from './read-body.ts'
import { createRouter, type Match, type Route } from './route.ts'

const BODY_LIMIT = 1024 * 1024

/** What the parser says of requests that it gives up on. */
const UNREADABLE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too_slow',
}

/** For routes that take no body: nothing, or an object with nothing in it. */
const NO_BODY = z.strictObject({})

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}

export interface ListenerOptions {
  readonly context: Context
  readonly routes: readonly Route[]
  readonly guard: GuardOptions
  readonly streams: StreamServer
  readonly connections: Connections
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
}

/** The HTTP server. It frames; what happens is decided in the routes. */
export function createListener(options: ListenerOptions): Server {
  const { context, guard } = options
  const find = createRouter(options.routes)
  const limits = {
    requireHostHeader: false,
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response).catch((error: unknown) => fail(response, error))
  }
  const server = options.tls
    ? createTlsServer({ ...limits, ...options.tls }, onRequest)
    : createServer(limits, onRequest)
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrade(request, socket, head).catch(() => socket.destroy())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes of a response may be on their way already: a second one would be read as part of it.
    if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) return void socket.destroy()
    refuseOnSocket(socket, refusal(UNREADABLE[error.code ?? ''] ?? 'bad_request'))
  })
  return server

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    const url = parseUrl(request.url)
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const file = method === 'GET' && url ? staticFile(url.pathname) : undefined
    const match = url && !file ? find(method, url.pathname) : undefined

    const access = file ? { action: 'public' as const } : accessOf(match)
    const admission = admit(factsOf(request, false), access, guard)
    if (!admission.ok) return send(request, response, refusal(admission.refusal))
    if (file) return send(request, response, file)
    if (!url || match === undefined) return send(request, response, refusal('not_found'))
    if (match === 'no-method') return send(request, response, refusal('method_not_allowed'))
    const reply = await handle(request, response, match, url, admission)
    if (reply) send(request, response, reply)
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    { route, params }: Match,
    url: URL,
    admission: Extract<Admission, { ok: true }>,
  ): Promise<Reply | undefined> {
    const query = parseQuery(route, url)
    if (!query.ok) return query.reply
    const body = await parseBody(route, request)
    if (!body.ok) return body.reply
    // The body took time to arrive: the credential is read again before anything is done with it (I8).
    const device = admission.device && context.devices.current(admission.device.id)
    if (admission.device && !device) return refusal('unauthorized')
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    return route.handle({
      params,
      query: query.value,
      body: body.value,
      device: device as Device,
      surface: admission.surface,
      request,
      response,
      signal: gone.signal,
    })
  }

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer) {
    socket.on('error', () => socket.destroy())
    const url = parseUrl(request.url)
    const admission = admit(factsOf(request, true), { action: 'read-events' }, guard)
    const reply = !admission.ok
      ? refusal(admission.refusal)
      : url?.pathname !== '/api/stream'
        ? refusal('not_found')
        : undefined
    if (reply || !admission.ok || !admission.device) return refuseOnSocket(socket, reply ?? refusal('unauthorized'))
    const { device, surface } = admission
    const held = options.connections.hold(device, () => socket.destroy())
    if (!held) return refuseOnSocket(socket, refusal('too_many_connections'))
    socket.on('close', held)
    await options.streams.accept(request, socket, head, { device, surface })
  }

  function fail(response: ServerResponse, error: unknown) {
    if (error instanceof StoreFault || error instanceof LedgerClosed) {
      context.log.error('the store did not take a change', { fault: error.code, error: error.message })
      return sendJson(response, refusal(error instanceof LedgerClosed ? 'closing' : 'store_unavailable'))
    }
    if (response.destroyed) return
    const id = randomUUID()
    context.log.error('a request failed', {
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    sendJson(response, refusal('internal', { id }))
  }
}

/** An address that does not exist is not told apart from one that needs a credential (T5). */
function accessOf(match: Match | 'no-method' | undefined) {
  if (match === undefined || match === 'no-method') return { action: 'read-description' as const }
  return { action: match.route.action, ...(match.route.raw && { accepts: match.route.raw }) }
}

function factsOf(request: IncomingMessage, upgrade: boolean): RequestFacts {
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
    ...optional('cookie', 'cookie'),
    ...optional('x-holdpoint', 'marker'),
    upgrade,
  }
}

function parseUrl(target: string | undefined): URL | undefined {
  if (!target?.startsWith('/')) return undefined
  try {
    return new URL(`http://holdpoint${target}`)
  } catch {
    return undefined
  }
}

type Parsed = { ok: true; value: unknown } | { ok: false; reply: Reply }

function parseQuery(route: Route, url: URL): Parsed {
  const given = [...url.searchParams]
  if (new Set(given.map(([name]) => name)).size < given.length) {
    return { ok: false, reply: refusal('invalid_request', { issues: ['a parameter is given twice'] }) }
  }
  if (!route.query) return { ok: true, value: undefined }
  return validate(route.query, Object.fromEntries(given))
}

async function parseBody(route: Route, request: IncomingMessage): Promise<Parsed> {
  const limit = route.bodyLimit ?? BODY_LIMIT
  if (route.method === 'GET') return { ok: true, value: undefined }
  const bytes = await readBytes(request, limit)
  if (!bytes.ok || route.raw) return bytes
  if (!route.body && bytes.value.length === 0) return { ok: true, value: undefined }
  const json = parseJsonBytes(bytes.value)
  return json.ok ? validate(route.body ?? NO_BODY, json.value, route.invalid) : json
}

function validate(schema: z.ZodType, value: unknown, invalid: ErrorCode = 'invalid_request'): Parsed {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, reply: refusal(invalid, { issues: issuesOf(parsed.error) }) }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply) {
  // What was not read is not waited for: a refused upload ends here.
  if (!request.complete) response.setHeader('connection', 'close')
  sendJson(response, reply)
}

function sendJson(response: ServerResponse, reply: Reply) {
  if (response.headersSent) return void response.destroy()
  response.statusCode = reply.status
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (reply.body === undefined) return void response.end()
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
}

function refuseOnSocket(socket: Socket, reply: Reply) {
  const body = JSON.stringify(reply.body)
  socket.end(
    `HTTP/1.1 ${reply.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
