import type { Device } from '@holdpoint/schema/device'
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
  readonly cookie?: string
  /** The header that no foreign page can send without asking us first. */
  readonly marker?: string
  readonly upgrade: boolean
}

export interface GuardOptions {
  readonly allowedHosts: ReadonlySet<string>
  readonly allowedOrigins: ReadonlySet<string>
  readonly cookieName: string
  readonly authenticate: (secret: string) => Device | undefined
}

export type GuardRefusal =
  | 'wrong_host'
  | 'foreign_origin'
  | 'unauthorized'
  | 'marker_missing'
  | 'wrong_content_type'
  | 'forbidden'

/** `surface` is what outcomes record as the place an answer came from. */
export type Surface = 'web' | 'api' | 'terminal'
export type Admission = { ok: true; device?: Device; surface: Surface } | { ok: false; refusal: GuardRefusal }

export interface RouteAccess {
  /** `public` needs no credential and gives none of our data. */
  readonly action: Action | 'public'
  /** Content types the body may have; JSON alone unless the route says otherwise. */
  readonly accepts?: readonly string[]
  /** Takes the browser's own word that our page made the call, where a client cannot know of the marker. */
  readonly markerless?: true
}

const SAFE = new Set(['GET', 'HEAD'])

/** One door. Where a request comes from on the network counts for nothing (T8). */
export function admit(facts: RequestFacts, access: RouteAccess, options: GuardOptions): Admission {
  const refused = (refusal: GuardRefusal): Admission => ({ ok: false, refusal })
  const [host, ...moreHosts] = facts.hosts
  if (host === undefined || moreHosts.length > 0 || !options.allowedHosts.has(host.toLowerCase()))
    return refused('wrong_host')
  if (facts.origin !== undefined && !options.allowedOrigins.has(facts.origin)) return refused('foreign_origin')
  const unsafe = !SAFE.has(facts.method)
  // A link from elsewhere may open the page (`none`, or a navigation to a public file); nothing else may come from afar.
  if (facts.fetchSite === 'cross-site' || facts.fetchSite === 'same-site') {
    if (access.action !== 'public' || unsafe || facts.upgrade) return refused('foreign_origin')
  }
  const wrongType = unsafe && facts.hasBody && !acceptsType(facts.contentType, access.accepts)
  if (access.action === 'public') return wrongType ? refused('wrong_content_type') : { ok: true, surface: 'api' }

  const bearer = /^Bearer ([^\s]+)$/i.exec(facts.authorization ?? '')?.[1]
  const byCookie = bearer === undefined
  const secret = bearer ?? cookieValue(facts.cookie, options.cookieName)
  const device = secret === undefined ? undefined : options.authenticate(secret)
  if (!device) return refused('unauthorized')
  // A browser sends the cookie by itself: prove that our own page made the call.
  if (byCookie && facts.upgrade && facts.origin === undefined) return refused('foreign_origin')
  const isVouchedFor = facts.marker !== undefined || (access.markerless === true && facts.fetchSite === 'same-origin')
  if (byCookie && unsafe && !isVouchedFor) return refused('marker_missing')
  if (!may(device, access.action)) return refused('forbidden')
  if (wrongType) return refused('wrong_content_type')
  return { ok: true, device, surface: byCookie ? 'web' : facts.marker === 'terminal' ? 'terminal' : 'api' }
}

function acceptsType(contentType: string | undefined, accepts: readonly string[] = ['application/json']): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (type === undefined || !accepts.includes(type)) return false
  return parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter))
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '').split(';').map((part) => part.trim().split('='))
  const values = found.filter(([key]) => key === name).map(([, value]) => value)
  // Two cookies of one name: one of them was planted. Neither counts.
  return values.length === 1 ? values[0] : undefined
}
