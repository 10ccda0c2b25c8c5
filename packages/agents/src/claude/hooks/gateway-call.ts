import { type IncomingMessage, request } from 'node:http'
import { HOOK_HOST, HOOK_PATH, hookSocket, readToken } from './hook-access.ts'

export type CallResult =
  /** `output` is what to hand to Claude Code; nothing leaves the decision where it was, at the terminal. */
  | { readonly kind: 'answered'; readonly output?: Buffer }
  /** It will not have this call, today or later. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Nobody is there, or not in time. */
  | { readonly kind: 'absent' }
  /** Somebody was there, and broke off or could not do it now. */
  | { readonly kind: 'unfinished' }

export interface GatewayCall {
  readonly dataDir: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How long to wait for the reply once the call is sent; for ever when absent. */
  readonly replyMs?: number
}

const CONNECT_MS = 1000
const MAX_REPLY = 32 * 1024 * 1024
const LATER = new Set([409, 429])

/** One try, on a connection of its own: what comes back on it is the reply to this very call, and whole. */
export function callGateway(call: GatewayCall): Promise<CallResult> {
  // Read anew for each try: the owner may have given another one meanwhile.
  const token = readToken(call.dataDir)
  if (token === undefined) return Promise.resolve({ kind: 'absent' })
  return new Promise((resolve) => {
    let isSent = false
    const sending = request({
      socketPath: hookSocket(call.dataDir),
      path: `${HOOK_PATH}?${new URLSearchParams(call.query)}`,
      method: 'POST',
      agent: false,
      headers: {
        host: HOOK_HOST,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': call.body.length,
      },
    })
    const settle = (result: CallResult) => {
      clearTimeout(late)
      resolve(result)
      sending.destroy()
    }
    const broke = () => settle({ kind: isSent ? 'unfinished' : 'absent' })
    let late = setTimeout(broke, CONNECT_MS)
    sending.on('error', broke)
    sending.on('close', broke)
    sending.on('socket', (socket) => {
      socket.once('connect', () => {
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
  const { statusCode: status = 0 } = response
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_REPLY) return { kind: 'refused', status }
    chunks.push(chunk)
  }
  if (!response.complete || LATER.has(status) || status >= 500) return { kind: 'unfinished' }
  if (status === 200) return { kind: 'answered', output: Buffer.concat(chunks) }
  return status === 204 ? { kind: 'answered' } : { kind: 'refused', status }
}
