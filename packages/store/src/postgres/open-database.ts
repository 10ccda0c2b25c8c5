import type { StoreFault } from '@holdpoint/core/store'
import { addressName, type PostgresAddress, readPostgresUrl } from './address.ts'
import { connectPostgres, dropConnection, endConnection } from './connection.ts'
import { postgresFault } from './fault.ts'
import { migrate } from './migrations.ts'
import { checkServer } from './server-checks.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, or the same in parts. */
  readonly address: string | PostgresAddress
  /** This gateway's own name: the one who began last with it is the only one that writes under it. */
  readonly node: string
  /** Of the program, for whoever looks at the cluster. */
  readonly version: string
  /** Told once when another gateway has taken this node's name: this one writes nothing more, and should end. */
  readonly onFenced?: (fault: StoreFault) => void
  /** Whether an event's time has to be the database's (true). A copy of an old log has old times. */
  readonly checkTimes?: boolean
  readonly signal?: AbortSignal
}

/** Finds the database fit for a gateway, and brings its schema up to date. */
export async function openDatabase({
  address: given,
  signal,
}: PostgresStoreOptions): Promise<{ address: PostgresAddress; warnings: readonly string[] }> {
  const address = typeof given === 'string' ? readPostgresUrl(given) : given
  const name = addressName(address)
  signal?.throwIfAborted()
  // A migration may take as long as it needs.
  const client = await connectPostgres(address, () => {}, { query_timeout: 0 })
  const stop = () => dropConnection(client)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const warnings = await checkServer(client, name)
    await migrate(client, name)
    return { address, warnings }
  } catch (error) {
    signal?.throwIfAborted()
    throw postgresFault(error, name)
  } finally {
    signal?.removeEventListener('abort', stop)
    await endConnection(client)
  }
}
