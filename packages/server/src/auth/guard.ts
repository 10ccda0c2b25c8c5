import type { Device } from '@holdpoint/schema/device'
import type { Credential } from './devices.ts'
import { type Action, may } from './policy.ts'

/** The parts of a request that decide whether it gets in. The same for HTTP, SSE and the WebSocket upgrade (T6). */
export interface RequestFacts {
  readonly method: string
  /** Every Host header that was sent. */
  readonly hosts: readonly string[]
  readonly origin?: string
  readonly fetchSite?: string
  readonly contentType?: string
  readonly hasBody: boolean
  readonly authorization?: string
  /** What a page of ours sends with every call: its pass. The secret that the pass is for is taken as well. */
  readonly pageSecret?: string
  /** The path, and the ticket in its query, where a browser can send no header. */
  readonly path?: string
  readonly ticket?: string
  /** Proves nothing: every server on this host receives it, whatever its port, and can set it (T64). */
  readonly cookie?: string
  /** What kind of client says it is. */
  readonly marker?: string
  readonly upgrade: boolean
}

export interface GuardOptions {
  /** Aborts when the gateway begins to close: nobody gets in from then on, for the port may soon be somebody else's (T64). */
  readonly closing: AbortSignal
  readonly allowedHosts: ReadonlySet<string>
  readonly allowedOrigins: ReadonlySet<string>
  /** Where a page may log in, by host: what nobody else can answer to (T64). Programs may use any allowed host. */
  readonly pageOrigins: ReadonlyMap<string, string>
  /** Pages of other origins that may call, with a token alone. */
  readonly tokenOrigins?: ReadonlySet<string>
  readonly authenticate: (credential: Credential) => Device | undefined
  /** Where the caller is, if another gateway has said so: it has looked at the page's origin. */
  readonly surface?: Surface
  readonly redeemTicket?: (ticket: string, path: string) => { device: Device; surface: Surface } | undefined
  /** Why somebody who sends this cookie is not logged in, where that needs words. */
  readonly explainCookie?: (header: string) => string | undefined
}

export type GuardRefusal =
  | 'closing'
  | 'other_user'
  | 'wrong_host'
  | 'shared_name'
  | 'foreign_origin'
  | 'unauthorized'
  | 'wrong_content_type'
  | 'forbidden'

/** `surface` is what outcomes record as the place an answer came from. */
export type Surface = 'web' | 'api' | 'terminal'
export type Admission =
  | {
      ok: true
      device?: Device
      surface: Surface
      /** The origin of a page that calls from here; `undefined` where no page may log in. */
      pageOrigin?: string
    }
  | { ok: false; refusal: GuardRefusal; detail?: string }

export interface RouteAccess {
  /** `public` needs no credential. It gives none of our data, or only what a token in its body is about. */
  readonly action: Action | 'public'
  /** Content types the body may have; JSON alone unless the route says otherwise. */
  readonly accepts?: readonly string[]
  /** Takes a ticket in the address: a browser's EventSource sends no header. WebSockets take one everywhere. */
  readonly ticketed?: true
}

const SAFE = new Set(['GET', 'HEAD'])

/** One door. Where a request comes from on the network counts for nothing (T8). */
export function admit(facts: RequestFacts, access: RouteAccess, options: GuardOptions): Admission {
  const refused = (refusal: GuardRefusal): Admission => ({ ok: false, refusal })
  if (options.closing.aborted) return refused('closing')
  const [host, ...moreHosts] = facts.hosts
  if (host === undefined || moreHosts.length > 0 || !options.allowedHosts.has(host.toLowerCase()))
    return refused('wrong_host')
  const isElsewhere = facts.origin !== undefined && options.tokenOrigins?.has(facts.origin) === true
  if (facts.origin !== undefined && !isElsewhere && !options.allowedOrigins.has(facts.origin))
    return refused('foreign_origin')
  const unsafe = !SAFE.has(facts.method)
  // A link from elsewhere may open the page (`none`, or a navigation to a public file); nothing else may come from afar.
  if (!isElsewhere && (facts.fetchSite === 'cross-site' || facts.fetchSite === 'same-site')) {
    if (access.action !== 'public' || unsafe || facts.upgrade) return refused('foreign_origin')
  }
  const wrongType = unsafe && facts.hasBody && !acceptsType(facts.contentType, access.accepts)
  const pageOrigin = pageOriginOf(facts, host.toLowerCase(), options)
  const at = pageOrigin === undefined ? {} : { pageOrigin }
  if (access.action === 'public') return wrongType ? refused('wrong_content_type') : { ok: true, surface: 'api', ...at }

  const caller = identify(facts, access, options)
  if (!caller) {
    const detail = facts.cookie === undefined ? undefined : options.explainCookie?.(facts.cookie)
    return { ok: false, refusal: 'unauthorized', ...(detail !== undefined && { detail }) }
  }
  const { device, surface } = caller
  // Our own page says where it is whenever it opens a socket; and what it holds is for no other page to use.
  if (surface === 'web' && (isElsewhere || (facts.upgrade && facts.origin === undefined)))
    return refused('foreign_origin')
  if (surface === 'web' && pageOrigin === undefined && options.surface === undefined) return refused('shared_name')
  if (!may(device, access.action)) return refused('forbidden')
  if (wrongType) return refused('wrong_content_type')
  return { ok: true, device, surface, ...at }
}

/**
 * Of the host that was called, and of no other: through a proxy anybody on the network could ask for what is meant for
 * pages of the local address, a proof among it (T64).
 */
function pageOriginOf({ origin }: RequestFacts, host: string, { pageOrigins }: GuardOptions): string | undefined {
  const own = pageOrigins.get(host)
  return origin === undefined || origin === own ? own : undefined
}

/** Only what a browser never sends by itself says who is calling. The first of these that is there counts, alone. */
function identify(
  facts: RequestFacts,
  access: RouteAccess,
  options: GuardOptions,
): { device: Device; surface: Surface } | undefined {
  const token = /^Bearer ([^\s]+)$/i.exec(facts.authorization ?? '')?.[1]
  if (token !== undefined) {
    const device = options.authenticate({ token })
    return device && { device, surface: options.surface ?? (facts.marker === 'terminal' ? 'terminal' : 'api') }
  }
  if (facts.pageSecret !== undefined) {
    const device = options.authenticate({ pageSecret: facts.pageSecret })
    return device && { device, surface: 'web' }
  }
  const takesTicket = facts.upgrade || (access.ticketed === true && SAFE.has(facts.method))
  if (!takesTicket || facts.ticket === undefined || facts.path === undefined) return undefined
  return options.redeemTicket?.(facts.ticket, facts.path)
}

function acceptsType(contentType: string | undefined, accepts: readonly string[] = ['application/json']): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (type === undefined || !accepts.includes(type)) return false
  return parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter))
}
