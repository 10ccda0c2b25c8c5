import { type IncomingMessage, request as requestHttp } from 'node:http'
import { connect } from 'node:net'
import { type GatewayAccess, isLoopback, readTerminalFile } from './terminal-file.ts'

export type CallResult =
  | { readonly kind: 'answered'; readonly output?: object }
  /** It will not have this call, today or later. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody is there, or not in time. */
  | { readonly kind: 'absent' }
  /** Somebody was there, and broke off or could not do it now. */
  | { readonly kind: 'unfinished' }

export interface GatewayCall {
  readonly dataDir: string
  readonly body: Buffer
  /** How long to wait for the reply once the call is sent; for ever when absent. */
  readonly replyMs?: number
}

const PATH = '/api/terminals/hook'
const CONNECT_MS = 1000
const MAX_REPLY = 32 * 1024 * 1024
const LATER = new Set([409, 429])

/** One try, on a connection of its own: what comes back on it is the reply to this very call, and whole. */
export async function callGateway(call: GatewayCall): Promise<CallResult> {
  const deadline = performance.now() + CONNECT_MS
  const access = readTerminalFile(call.dataDir)
  if (!access) return { kind: 'absent' }
  // A port outlives its gateway: whoever took it since must get neither the token nor a say in what is allowed. Only
  // the user can listen in the data folder.
  const port = await gatewayPort(`${call.dataDir}/gateway.sock`, CONNECT_MS)
  if (port === undefined || port !== portOf(access.url)) return { kind: 'absent' }
  return send(access, call, deadline)
}

async function send(access: GatewayAccess, call: GatewayCall, deadline: number): Promise<CallResult> {
  const { url, token, ca } = access
  const { request } = url.protocol === 'https:' ? await import('node:https') : { request: requestHttp }
  return new Promise((resolve) => {
    let isSent = false
    const sending = request(new URL(PATH, url), {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': call.body.length,
      },
      // Its certificate is pinned; the name on it is the one that other machines know.
      ...(ca !== undefined && { ca, ...(isLoopback(url) && { checkServerIdentity: () => undefined }) }),
    })
    const settle = (result: CallResult) => {
      clearTimeout(late)
      resolve(result)
      sending.destroy()
    }
    const broke = () => settle({ kind: isSent ? 'unfinished' : 'absent' })
    let late = setTimeout(broke, deadline - performance.now())
    sending.on('error', broke)
    sending.on('close', broke)
    sending.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isSent = true
        clearTimeout(late)
        if (call.replyMs !== undefined) late = setTimeout(broke, call.replyMs)
      })
    })
    sending.on('response', (response) => {
      // From here on the reply itself tells when it breaks off; the request closes once it has all come in.
      sending.off('close', broke)
      readReply(response).then(settle, broke)
    })
    sending.end(call.body)
  })
}

async function readReply(response: IncomingMessage): Promise<CallResult> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_REPLY) return { kind: 'refused', why: 'the reply is too long' }
    chunks.push(chunk)
  }
  const { statusCode: status = 0 } = response
  if (!response.complete || LATER.has(status) || status >= 500) return { kind: 'unfinished' }
  if (status === 204) return { kind: 'answered' }
  if (status !== 200) return { kind: 'refused', why: `status ${status}` }
  return parseReply(Buffer.concat(chunks).toString())
}

function parseReply(text: string): CallResult {
  const senseless: CallResult = { kind: 'refused', why: 'the reply makes no sense' }
  try {
    const reply = JSON.parse(text) as unknown
    if (!isObject(reply)) return senseless
    const { output } = reply
    if (output === undefined) return { kind: 'answered' }
    return isObject(output) ? { kind: 'answered', output } : senseless
  } catch {
    return senseless
  }
}

/** Asks whoever holds the data folder which port it listens on. */
function gatewayPort(path: string, limitMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let text = ''
    const settle = () => {
      socket.destroy()
      resolve(portIn(text))
    }
    socket.setEncoding('utf8').setTimeout(limitMs, settle)
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', settle)
    socket.on('error', settle)
  })
}

function portIn(holder: string): string | undefined {
  try {
    const { url } = JSON.parse(holder) as { url?: unknown }
    return typeof url === 'string' ? portOf(new URL(url)) : undefined
  } catch {
    return undefined
  }
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
