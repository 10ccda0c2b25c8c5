import pg from 'pg'
import { addressName, type PostgresAddress, passwordFromFile } from './address.ts'
import { postgresFault } from './fault.ts'
import { provenClient } from './proven-client.ts'

const CONNECT_MS = 5_000

/** For itself: what a role or a database has set otherwise does not count. */
const SETTINGS = {
  search_path: 'holdpoint',
  synchronous_commit: 'on',
  default_transaction_isolation: 'read\\ committed',
  lock_timeout: '5s',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '5000',
} as const

/** The server ends a statement sooner. This is for a connection of which nothing is heard any more. */
const SILENCE_MS = 12_000
const INT8 = 20

/** For `pg`: everything is said, because it would take what is left out from the environment. */
export function clientConfig(address: PostgresAddress): pg.ClientConfig & { readonly replication: string } {
  const { host, port, user, database, password, tls, ca } = address
  return {
    host,
    port,
    user,
    database,
    // Asked for only when the server wants one. An empty one is refused with a sentence.
    password: async () => password ?? passwordFromFile(address) ?? '',
    ssl: tls ? { rejectUnauthorized: true, ...(ca !== undefined && { ca }) } : false,
    sslnegotiation: 'postgres',
    replication: 'false',
    client_encoding: 'UTF8',
    application_name: 'holdpoint',
    options: Object.entries(SETTINGS)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // Positions and times are far below what a number holds.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) },
  } as pg.ClientConfig & { readonly replication: string }
}

/** One connection. `onEnd` is told when it is gone, however that came. */
export async function connectPostgres(
  address: PostgresAddress,
  onEnd: (client: pg.Client) => void = () => {},
  config: pg.ClientConfig = {},
): Promise<pg.Client> {
  const client = new (provenClient(address))({ ...clientConfig(address), ...config })
  // Without a listener the driver's event would end the process.
  client.on('error', () => {})
  client.once('end', () => onEnd(client))
  try {
    await client.connect()
    return client
  } catch (error) {
    dropConnection(client)
    throw postgresFault(error, addressName(address))
  }
}

const END_MS = 1_000

/** Says goodbye to the server, and does not wait long for one that is not there. */
export async function endConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => dropConnection(client), END_MS)
  await client.end().catch(() => {})
  clearTimeout(late)
}

/** Not a polite end: what is under way fails at once. */
export function dropConnection(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
