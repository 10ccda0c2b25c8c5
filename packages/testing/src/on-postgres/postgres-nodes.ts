import { randomBytes } from 'node:crypto'
import { idMaker } from '@holdpoint/schema/id'
import { createClock } from '@holdpoint/server/system/system-clock'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { overrideStore } from '../override-store.ts'
import type { PostgresServer } from '../postgres-server.ts'
import type { TestNode } from '../test-store.ts'

/** Gateways' places in PostgreSQL, each with a log of its own. */
export function createPostgresNodes(server: PostgresServer) {
  const newId = idMaker({ now: Date.now, randomBytes })
  const open = new Set<() => Promise<void>>()
  /** Emptied ones: a new one takes most of a second on a busy machine. */
  const free: string[] = []

  async function empty(address: string) {
    const tables = await server.sql(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'holdpoint'::regnamespace AND relname <> 'cluster'`,
      address,
    )
    await server.sql(tables.map(({ name }) => `DELETE FROM holdpoint.${name};`).join(' '), address)
  }

  return {
    async open(): Promise<TestNode> {
      const address = free.pop() ?? (await server.createDatabase())
      // The times of events are the tests' own: they set the clock by hand.
      const options = { address, node: newId('nod'), version: '1', name: 'test', checkTimes: false }
      const { store, cluster, attachmentBytes } = await openPostgresCluster(options)
      async function close() {
        if (!open.delete(close)) return
        await cluster.close()
        await store.close()
        await empty(address)
        free.push(address)
      }
      open.add(close)
      return {
        store: overrideStore(store, { close }),
        cluster,
        attachmentBytes,
        clock: createClock(() => cluster.now()),
      }
    },
    /** Closes what tests have left open. */
    async closeAll() {
      for (const close of open) await close()
    },
  }
}
