export interface AddressPattern {
  /** Undefined for every address. */
  readonly host: string | undefined
  /** Whether it is about the names below the host, and not about the host itself. */
  readonly isBelow: boolean
  readonly port: string | undefined
}

/** `domain:example.com`, `domain:*.example.com`, `domain:example.com:8080`, `domain:*`; or one plain sentence. */
export function parseAddressPattern(text: string): AddressPattern | { readonly error: string } {
  if (!text.startsWith('domain:')) return { error: 'A rule for addresses is written WebFetch(domain:example.com).' }
  const domain = text.slice('domain:'.length)
  if (domain === '*') return { host: undefined, isBelow: false, port: undefined }
  const [, star, name = '', port] = /^(\*\.)?([^*/?#@:\\\s%]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/.exec(domain) ?? []
  const host = hostOf(name)
  if (name === '' || host === undefined) return { error: `"${domain}" is not a domain.` }
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host)
  if (star && (isAddress || !host.includes('.')))
    return { error: '*. must be followed by a domain with at least two parts, as in *.example.com.' }
  return { host, isBelow: star !== undefined, port }
}

/** As a browser has it: small letters, Punycode, addresses in one form. */
function hostOf(name: string): string | undefined {
  return URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : undefined
}

/** Whether an address fits. What allows takes only http and https, the port that is meant, and no user info. */
export function fitsAddress(pattern: AddressPattern, url: string, reading: 'narrow' | 'wide'): boolean {
  // A URL that cannot be read is not allowed, and what asks or denies takes it for its own.
  if (!URL.canParse(url)) return reading === 'wide'
  const { protocol, hostname, port, username, password } = new URL(url)
  if (reading === 'wide') {
    const host = hostname.replace(/\.$/, '')
    return fitsHost(pattern, host) && (pattern.port === undefined || pattern.port === (port || defaultPort(protocol)))
  }
  // Readers differ in what they make of these.
  if (/[\s\\\p{C}]/u.test(url) || !/^https?:$/.test(protocol) || username !== '' || password !== '') return false
  const isPort = pattern.port === undefined ? port === '' : pattern.port === (port || defaultPort(protocol))
  return isPort && fitsHost(pattern, hostname)
}

function fitsHost({ host, isBelow }: AddressPattern, name: string): boolean {
  if (host === undefined) return true
  return isBelow ? name.endsWith(`.${host}`) : name === host
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80'
}
