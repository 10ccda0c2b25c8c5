import { readFileSync } from 'node:fs'

/** Where the gateway is and what it takes from terminals, as it wrote it down when it started. */
export interface GatewayAccess {
  readonly url: URL
  readonly token: string
  /** The certificate to trust, and nothing else (PEM). */
  readonly ca?: string
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Read anew for each try: a gateway that was started again may have another port. Undefined when it makes no sense. */
export function readTerminalFile(dataDir: string): GatewayAccess | undefined {
  try {
    const { url, token, ca } = JSON.parse(readFileSync(`${dataDir}/terminal.json`, 'utf8')) as Record<string, unknown>
    if (typeof url !== 'string' || typeof token !== 'string' || token === '') return undefined
    const address = new URL(url)
    // What is asked, and the token, go along: never unencrypted over a network.
    const isSafe = address.protocol === 'https:' || (address.protocol === 'http:' && LOOPBACK.test(address.hostname))
    if (!isSafe) return undefined
    return { url: address, token, ...(typeof ca === 'string' && { ca }) }
  } catch {
    return undefined
  }
}

export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname)
}
