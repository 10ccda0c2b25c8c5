import { StoreFault, type StoreFaultCode } from '@holdpoint/core/store'
import pg from 'pg'

/** What is wrong, in words for whoever runs the gateway, by PostgreSQL's code of it or by how its code begins. */
const BY_CODE: readonly (readonly [RegExp, StoreFaultCode, string])[] = [
  [/^53100$/, 'full', "The database's disk is full. Free some space. The store then continues by itself."],
  [/^(53|55P03|57014|25P03)/, 'busy', 'The database is too busy. It was left as it was.'],
  [/^XX00[12]$/, 'corrupt', 'The database is damaged. Stop the gateways and restore it from a backup.'],
  [/^28/, 'io', 'The database does not accept this user or password.'],
  [/^3D000$/, 'io', 'The server has no such database. Create it first: CREATE DATABASE … ENCODING UTF8.'],
  [
    /^42501$/,
    'io',
    'This user may not do what Holdpoint needs: it has to own the schema "holdpoint", or may create it.',
  ],
  [/^25006$/, 'io', 'The database is read-only: it is a standby, or was switched to read-only.'],
  [/^08P01$/, 'io', 'The server does not speak as PostgreSQL does. Connect directly, not through a connection pooler.'],
  [/^57P|^08/, 'io', 'The database ended the connection.'],
]

const BY_ERROR: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "The database's host is not known."],
  [/ECONNREFUSED|ENOENT/, 'No database answers there.'],
  [/does not support SSL/, 'The server has no TLS, and only a server on this machine is spoken to without.'],
  [
    /certificate|altnames|CERT_|SELF_SIGNED|ERR_TLS/i,
    "The server's certificate does not prove that it is the right one. Name its authority with sslrootcert.",
  ],
  [
    /timeout expired|due to connection timeout|ETIMEDOUT/,
    'The database does not answer: is its address right, and is it running?',
  ],
]

/** The driver's own words for it lead nowhere. */
const NO_PASSWORD = /password must be a(?: non-empty)? string/i

/** `name`: of the database. The driver's own words never have a password. */
export function postgresFault(error: unknown, name: string): StoreFault {
  if (error instanceof StoreFault) return error
  const message = messageOf(error)
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
  const known = BY_CODE.find(([pattern]) => pattern.test(code))
  if (known) return new StoreFault(known[1], `${known[2]} (${name}: ${message})`, { cause: error })
  if (NO_PASSWORD.test(message)) {
    const words =
      'The server asks for a password, and there is none: neither in the address, nor in a password file that only you can access (~/.pgpass, or PGPASSFILE).'
    return new StoreFault('io', `${words} (${name})`, { cause: error })
  }
  const sentence = BY_ERROR.find(([pattern]) => pattern.test(message))?.[1] ?? 'The database cannot be reached or used.'
  return new StoreFault('io', `${sentence} (${name}: ${message})`, { cause: error })
}

/** By their codes, because servers say ERROR in their own language. A full disk is not one: it may end the server. */
const REFUSALS = /^(22|23|40|42|HP|55P03|57014)/

/** Whether the server said no and is still there: then what was asked for was not done. */
export function isRefusedByServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.severity === 'ERROR' || REFUSALS.test(error.code ?? ''))
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return code && !(error instanceof pg.DatabaseError) && !error.message.includes(code)
    ? `${code} ${error.message}`
    : error.message
}
