import { isIP, isIPv4 } from 'node:net'

/** Why this address is not bound to, if it is not: an open port on a network would hand out shells (T7). */
export function refuseBind(options: { host: string; hasTls: boolean; publicUrl?: string }): string | undefined {
  if (isLoopback(options.host) || options.hasTls || options.publicUrl?.startsWith('https:')) return undefined
  return (
    `${options.host} can be reached from other machines. Without TLS, anyone there could read and steal credentials. ` +
    'Use --tls-cert and --tls-key, or keep 127.0.0.1 and put a proxy or tunnel with HTTPS in front (--public-url https://…).'
  )
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) !== 0 && isIPv4(host) && host.startsWith('127.')
}
