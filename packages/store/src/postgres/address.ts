import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'

/** Where the database is, and who asks for it. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password?: string
  /** Where its password is looked up, each time that it is needed, if the address has none. */
  readonly passwordFile: string
  /** TLS, with the server's certificate and name checked. Only a server on this machine is spoken to without. */
  readonly tls: boolean
  /** Certificates to trust instead of the machine's own. */
  readonly ca?: string
}

/** Weaker than `verify-full`: whoever is in between could write answers. */
const WEAKER = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'no-verify']

const NO_HOST = 'no-host.invalid'

/**
 * Reads `postgres://user:password@host:port/database`. No message has the password. Of the environment only the place of
 * the password file counts.
 */
export function readPostgresUrl(text: string): PostgresAddress {
  const url = parsed(text)
  const known = ['sslmode', 'sslrootcert', 'host']
  // Not by its name, which is part of the password where a "?" in it was not escaped.
  const isKnown = [...url.searchParams.keys()].every((name) => known.includes(name))
  if (!isKnown) throw refused(`it has a parameter other than ${known.join(', ')}, or a "?" that is not written as %3F`)
  // What follows it would be taken for the host and the database, which messages name.
  if (/[/@]/.test(url.pathname.slice(1)) || url.hash !== '')
    throw refused('a "/", "@" or "#" in it is not written as %2F, %40 or %23')
  const isNamed = url.hostname !== '' && url.hostname !== NO_HOST
  const host = isNamed ? decoded(url.hostname.replace(/^\[|\]$/g, '')) : (url.searchParams.get('host') ?? '')
  const user = decoded(url.username)
  const database = decoded(url.pathname.slice(1))
  if (host === '') throw refused('it names no host')
  if (user === '') throw refused('it names no user')
  if (database === '') throw refused('it names no database')
  const port = url.port === '' ? 5432 : Number(url.port)
  const password = decoded(url.password)
  const root = url.searchParams.get('sslrootcert')
  return {
    host,
    port,
    user,
    database,
    tls: needsTls(host, url.searchParams.get('sslmode')),
    ...(password !== '' && { password }),
    passwordFile: resolve(process.env.PGPASSFILE || join(homedir(), '.pgpass')),
    ...(root !== null && { ca: readCertificates(root) }),
  }
}

/** As it is shown to people. */
export function addressName({ host, port, database }: PostgresAddress): string {
  return `the database ${database} at ${host.includes(':') ? `[${host}]` : host}${host.startsWith('/') ? '' : `:${port}`}`
}

function parsed(text: string): URL {
  // Without a host, which a socket's folder in the parameters stands for, it is no URL to Node.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?]|:\d+\/)/, `$1${NO_HOST}`)
  try {
    const url = new URL(whole)
    if (/^postgres(ql)?:$/.test(url.protocol)) return url
  } catch {
    // What it throws has the text, and so the password.
  }
  throw refused('it has to look like postgres://user@host:5432/database')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused('a "%" in it is not written as %25')
  }
}

function needsTls(host: string, mode: string | null): boolean {
  if (mode !== null && mode !== 'verify-full' && !WEAKER.includes(mode)) throw refused('its sslmode is not known')
  if (isLocal(host)) return mode === 'verify-full'
  if (mode !== null && mode !== 'verify-full') {
    throw refused(
      `sslmode=${mode} does not prove that the server is the right one. Use sslmode=verify-full; without it, only a server on this machine is spoken to`,
    )
  }
  return true
}

function isLocal(host: string): boolean {
  if (host.startsWith('/') || host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StoreFault('io', `The certificates for the database cannot be read: ${path}.`, { cause })
  }
}

function refused(problem: string): StoreFault {
  return new StoreFault('io', `The address of the database cannot be used: ${problem}.`)
}

/**
 * The password that the user's password file has for it: a line `host:port:database:user:password`, where `*` stands for
 * any. A file that others can read is passed over, as PostgreSQL's own programs do.
 */
export function passwordFromFile({ host, port, database, user, passwordFile }: PostgresAddress): string | undefined {
  let text: string
  try {
    if ((statSync(passwordFile).mode & 0o077) !== 0) return undefined
    text = readFileSync(passwordFile, 'utf8')
  } catch {
    return undefined
  }
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) =>
      field.replace(/:$/, '').replace(/\\(.)/g, '$1'),
    )
    const password = fields[4]
    if (password && wanted.every((value, n) => fields[n] === '*' || fields[n] === value)) return password
  }
  return undefined
}
