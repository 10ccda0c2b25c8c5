import { isIP } from 'node:net'
import { isLoopback } from './bind-check.ts'

export interface Addresses {
  /** For whoever is on this machine. */
  readonly localUrl: string
  /** What may stand in a request's Host and Origin. */
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  /** Where a page may log in, by host; the first is where it is sent when it comes by another name. */
  readonly pageOrigins: ReadonlyMap<string, string>
}

/**
 * The names of a gateway that listens. Without TLS a page logs in where nobody else can listen: at the very address that
 * the gateway has bound. Browsers try `::1` first for `localhost`, and any user of this machine can listen there: the
 * scripts served from it would be of the same origin, and read what our page keeps (T64).
 */
export function addressesOf(at: {
  readonly host: string
  /** What the host was found to be. */
  readonly address: string
  readonly port: number
  readonly hasTls: boolean
  readonly publicUrl?: string
}): Addresses {
  const scheme = at.hasTls ? 'https' : 'http'
  // Browsers leave the port out where it is the scheme's own.
  const suffix = at.port === (at.hasTls ? 443 : 80) ? '' : `:${at.port}`
  const bound = boundNames(at.address)
  const names = new Set([
    '127.0.0.1',
    'localhost',
    '[::1]',
    ...(isWildcard(at.host) ? [] : [urlHost(at.host)]),
    ...bound,
  ])
  // Over TLS a certificate says which of them it is.
  const own = at.hasTls ? [...new Set([isWildcard(at.host) ? bound[0] : urlHost(at.host), ...names])] : bound
  const originOf = (name: string) => `${scheme}://${name}${suffix}`
  const more = at.publicUrl === undefined ? [] : [new URL(at.publicUrl)]
  const pages = [...own.map(originOf), ...more.map(({ origin }) => origin)].filter(mayLogInAt)
  return {
    localUrl: `${scheme}://${own[0]}:${at.port}`,
    hosts: [...[...names].map((name) => name + suffix), ...more.map(({ host }) => host)],
    origins: [...[...names].map(originOf), ...more.map(({ origin }) => origin)],
    pageOrigins: new Map(pages.map((origin) => [new URL(origin).host, origin])),
  }
}

/** Over TLS, or at a loopback address itself: a name, `localhost` included, can lead to somebody else. */
export function mayLogInAt(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const address = hostname.replace(/[[\]]/g, '')
  return protocol === 'https:' || (isIP(address) !== 0 && isLoopback(address))
}

function boundNames(address: string): [string, ...string[]] {
  if (address === '0.0.0.0') return ['127.0.0.1']
  if (address === '::') return ['127.0.0.1', '[::1]']
  return [urlHost(address)]
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function urlHost(host: string): string {
  return (host.includes(':') ? `[${host}]` : host).toLowerCase()
}
