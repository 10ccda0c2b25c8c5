import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from './public-address.ts'

/** How long a whole exchange may take. */
const TIME_LIMIT_MS = 15_000
/** More of a reply is not read. */
const MAX_REPLY_BYTES = 64 * 1024
/** A receiver cannot put off the next attempt for longer than this. */
const LONGEST_RETRY_AFTER_MS = 3_600_000

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly signal: AbortSignal
  /** For a server that holds the request until it has something to say. */
  readonly timeLimitMs?: number
}

/**
 * `refused`: nothing was sent, and will not be to this address. `failed`: it may work another time. No reason holds a part of
 * the address or of what was sent: both can be secret (T44). A reply has any status, redirects among them: nothing follows them.
 */
export type OutboundReply =
  | { readonly ok: true; readonly status: number; readonly body: string; readonly retryAfterMs?: number }
  | { readonly ok: false; readonly how: 'refused' | 'failed'; readonly reason: string }

/** The way to addresses that people have entered. It never throws. */
export interface Outbound {
  /** What is wrong with an address, as far as it can be told before its name is looked up. */
  refuses(url: string): string | undefined
  post(request: OutboundRequest): Promise<OutboundReply>
}

interface Address {
  readonly address: string
  readonly family: number
}

/** The settings that only tests change have defaults. */
interface OutboundDeps {
  /** `host:port`, as in a URL: places that are private, or do without TLS, to which an owner lets the gateway send. */
  readonly allowed: readonly string[]
  readonly resolve?: (host: string) => Promise<readonly Address[]>
  readonly timeLimitMs?: number
}

/**
 * An address is checked after its name was looked up, and the connection is made to the very address that was checked: a name
 * that leads to another one a moment later gains nothing (T51).
 */
export function createOutbound(deps: OutboundDeps): Outbound {
  const { resolve = (host) => lookup(host, { all: true }), timeLimitMs = TIME_LIMIT_MS } = deps
  const allowed = new Set(deps.allowed)

  async function exchange(request: OutboundRequest, url: URL, signal: AbortSignal): Promise<OutboundReply> {
    const host = hostOf(url)
    const family = isIP(host)
    const addresses = family === 0 ? await unlessAborted(resolve(host), signal) : [{ address: host, family }]
    const own = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
    if (addresses.length === 0) return failed('the name of the host leads to no address')
    if (!isListed(url) && !addresses.every(({ address }) => isPublicAddress(address, own))) return refused(PRIVATE)
    return await send(request, url, addresses, signal)
  }

  function isListed({ hostname, port, protocol }: URL): boolean {
    return allowed.has(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`)
  }

  function refuses(text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'it is not an address of the web'
    if (url.username !== '' || url.password !== '') return 'the address has a user name or a password in it'
    if (isListed(url)) return undefined
    if (url.protocol !== 'https:')
      return 'the address must start with https://; --notify-allow lists exceptions for owners'
    const host = hostOf(url)
    return isIP(host) !== 0 && !isPublicAddress(host, []) ? PRIVATE : undefined
  }

  return {
    refuses,
    async post(request) {
      const why = refuses(request.url)
      if (why !== undefined) return refused(why)
      const url = new URL(request.url)
      const limit = AbortSignal.timeout(request.timeLimitMs ?? timeLimitMs)
      try {
        return await exchange(request, url, AbortSignal.any([request.signal, limit]))
      } catch (error) {
        if (request.signal.aborted) return failed('it was called off')
        if (limit.aborted) return failed('there was no reply in time')
        return failed(`there was no reply (${codeOf(error)})`)
      }
    },
  }
}

const PRIVATE = 'the address is of this machine or of a private network; --notify-allow lists exceptions for owners'

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function send(
  { headers, body }: OutboundRequest,
  url: URL,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<OutboundReply> {
  const checked: LookupFunction = (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest
    // No agent: a connection that is kept was checked for an earlier request, and a proxy would look the name up again.
    const sent = open(url, {
      method: 'POST',
      agent: false,
      lookup: checked,
      signal,
      headers: { 'user-agent': 'Holdpoint', ...headers, 'content-length': Buffer.byteLength(body) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      readReply(response).then((text) => {
        sent.destroy()
        const retryAfterMs = retryAfter(response.headers['retry-after'])
        const status = response.statusCode ?? 0
        resolve({ ok: true, status, body: text, ...(retryAfterMs !== undefined && { retryAfterMs }) })
      }, reject)
    })
    sent.end(body)
  })
}

/** As much as is read of it: what the status says counts, however much comes behind it. */
async function readReply(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= MAX_REPLY_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, MAX_REPLY_BYTES).toString('utf8')
}

/** Seconds, or a date. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/** Looking a name up cannot be called off; nobody waits for it any longer, then. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The messages of these errors hold names and addresses; their codes do not. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'unknown fault'
}

function refused(reason: string): OutboundReply {
  return { ok: false, how: 'refused', reason }
}

function failed(reason: string): OutboundReply {
  return { ok: false, how: 'failed', reason }
}
