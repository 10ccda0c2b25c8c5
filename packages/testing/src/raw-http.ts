import { connect } from 'node:net'

export interface RawReply {
  readonly status: number
  readonly head: string
  readonly body: string
}

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  /** Several for a request with several; none for a request without. */
  readonly hosts?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sends the body without its length, as one chunk. */
  readonly chunked?: boolean
}

/** A request as bytes, with no library between the test and the socket. */
export function requestBytes(url: string, request: RawRequest): Buffer {
  const { method = 'GET', path = '/', hosts = [new URL(url).host], headers = {}, chunked } = request
  const body = Buffer.from(request.body ?? '')
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...hosts.map((host) => `Host: ${host}`),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body.length === 0 ? [] : [chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]),
  ]
  const sent = chunked && body.length > 0 ? [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body]
  return Buffer.concat([`${lines.join('\r\n')}\r\n\r\n`, ...sent].map((part) => Buffer.from(part)))
}

/**
 * Sends bytes and reads one response, or its head where it is a stream. `undefined` when the connection was closed
 * without one.
 */
export function exchange(url: string, bytes: Uint8Array, deadlineMs = 20_000): Promise<RawReply | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    const timer = setTimeout(() => finish(new Error('no response')), deadlineMs)
    const isHead = Buffer.from(bytes.subarray(0, 5)).toString() === 'HEAD '
    let received = Buffer.alloc(0)
    const finish = (error?: Error) => {
      clearTimeout(timer)
      socket.destroy()
      if (error) reject(error)
      else resolve(parseReply(received)?.reply)
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const parsed = parseReply(received)
      if (parsed?.complete || (parsed && isHead)) finish()
    })
    socket.on('close', () => finish())
    // The refused rest of an upload is reset; what was received before counts.
    socket.on('error', () => {})
  })
}

/** Sends one request and reads its response. */
export const sendRaw = (url: string, request: RawRequest) => exchange(url, requestBytes(url, request))

function parseReply(received: Buffer): { reply: RawReply; complete: boolean } | undefined {
  const text = received.toString('utf8')
  const end = text.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
  if (end < 0 || Number.isNaN(status)) return undefined
  const head = text.slice(0, end).toLowerCase()
  const body = received.subarray(Buffer.byteLength(text.slice(0, end)) + 4)
  const length = /content-length: (\d+)/.exec(head)?.[1]
  const isStream = status === 101 || head.includes('text/event-stream') || status === 204
  const isWhole = length !== undefined && body.length >= Number(length)
  const isEmptyChunked = head.includes('chunked') && body.toString().endsWith('0\r\n\r\n')
  return { reply: { status, head, body: body.toString() }, complete: isStream || isWhole || isEmptyChunked }
}

/** Headers of a WebSocket handshake. */
export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
