import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Cluster } from '@holdpoint/core/cluster'
import { type Store, StoreFault } from '@holdpoint/core/store'
import { idMaker } from '@holdpoint/schema/id'
import { readCopyState } from '@holdpoint/store/copy-state'
import type { DataLock } from '@holdpoint/store/data-lock'
import { keepNodeId, readNodeId } from '@holdpoint/store/node-id'
import { addressName, type PostgresAddress } from '@holdpoint/store/postgres/address'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { VERSION } from './system/version.ts'

/** A database that several gateways share. */
export interface SharedDatabase {
  readonly address: PostgresAddress
  /** What people call this machine, until somebody renames it. */
  readonly machineName: string
}

export interface OpenedLog {
  readonly store: Store
  /** Where the log is in a database. */
  readonly cluster?: Cluster
  /** Where files are kept that people send along, if not in the data folder. */
  readonly attachmentBytes?: AttachmentBytes
  /** What the start does not fail for, but has to be said. */
  readonly warnings: readonly string[]
}

/** The log of a data folder: in the folder itself, or in a database. Whoever calls holds the folder's lock. */
export async function openLog(options: {
  readonly dataDir: string
  readonly lock: DataLock
  readonly database?: SharedDatabase
}): Promise<OpenedLog> {
  const { dataDir, lock, database } = options
  const path = join(dataDir, 'holdpoint.db')
  if (database) {
    if (existsSync(path)) await refuseOwnLog({ path, dataDir, lock })
    return refusingParts(await openShared(dataDir, database), `${addressName(database.address)}`)
  }
  if (!existsSync(path) && (await readNodeId(dataDir)) !== undefined) {
    throw new StoreFault(
      'locked',
      `The log of ${dataDir} is in a database. Start with --database, or move the log here with "holdpoint migrate --to ${dataDir}". For an empty one of its own, choose another data folder with --data.`,
    )
  }
  return refusingParts({ store: await openSqliteStore({ path, lock }), warnings: [] }, dataDir)
}

async function openShared(dataDir: string, { address, machineName }: SharedDatabase): Promise<OpenedLog> {
  const newId = idMaker({ now: Date.now, randomBytes })
  const node = await keepNodeId(dataDir, () => newId('nod'))
  // Its driver is loaded by those alone who have a database.
  const { openPostgresCluster } = await import('@holdpoint/store/postgres/open-cluster')
  const shared = await openPostgresCluster({ address, node, version: VERSION, name: machineName })
  return { ...shared, warnings: shared.store.warnings }
}

/** One that was moved into the database stays where it was, as a backup. */
async function refuseOwnLog({ path, dataDir, lock }: { path: string; dataDir: string; lock: DataLock }): Promise<void> {
  const store = await openSqliteStore({ path, lock })
  const state = await readCopyState(store).finally(() => store.close())
  if (state === 'moved') return
  throw new StoreFault(
    'locked',
    `${dataDir} has a log of its own, ${path}, which a start with --database would leave behind. Move it into the database with "holdpoint migrate --from ${dataDir}", or choose another data folder with --data.`,
  )
}

/** Nothing is decided on half of a log, nor on one that others continue. */
async function refusingParts(log: OpenedLog, place: string): Promise<OpenedLog> {
  try {
    const state = await readCopyState(log.store)
    if (state === 'incomplete') {
      throw new StoreFault(
        'locked',
        `The log in ${place} is not whole: "holdpoint migrate" was cut off, or is still at work. Run it again, to its end.`,
      )
    }
    if (state === 'moved') {
      throw new StoreFault(
        'locked',
        `The log of ${place} was moved with "holdpoint migrate", and goes on ${log.cluster ? 'in a data folder' : 'in a database: start with --database'}. To use it here again, move it back.`,
      )
    }
    return log
  } catch (error) {
    await closeLog(log)
    throw error
  }
}

export async function closeLog({ store, cluster }: Pick<OpenedLog, 'store' | 'cluster'>): Promise<void> {
  await cluster?.close()
  await store.close()
}
