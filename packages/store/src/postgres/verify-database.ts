import { type ChainReport, StoreFault } from '@holdpoint/core/store'
import { addressName, type PostgresAddress } from './address.ts'
import { PostgresDatabase } from './database.ts'
import { FORMAT } from './migrations.ts'
import { verifyLog } from './verify.ts'

/**
 * Checks the log in a database from outside. It reads in short statements and begins no gateway's life, so gateways may work
 * with the database meanwhile. A standby and a restored backup can be checked as well. Throws a `StoreFault` where there is
 * no log that this version knows.
 */
export async function verifyDatabase(
  address: PostgresAddress,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ChainReport> {
  const db = new PostgresDatabase(address, { settle: async () => {}, onBegin: async () => {} })
  try {
    await refuseOther(db, addressName(address))
    return await verifyLog(db, { step: async () => signal?.throwIfAborted(), found: async () => {} })
  } finally {
    await db.close()
  }
}

async function refuseOther(db: PostgresDatabase, name: string): Promise<void> {
  const [there] = await db.query<{ found: string | null }>(`SELECT to_regclass('holdpoint.cluster')::text AS found`)
  if (!there?.found) throw new StoreFault('io', `There is no log of Holdpoint in ${name}.`)
  const [row] = await db.query<{ format: number }>('SELECT format FROM cluster')
  if (row?.format === FORMAT) return
  const what = row && row.format > FORMAT ? 'a newer' : 'an older'
  throw new StoreFault(
    'newer-schema',
    `The log in ${name} is in the format of ${what} Holdpoint. Check it with that one.`,
  )
}
