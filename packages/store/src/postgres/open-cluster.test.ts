import { clusterContract } from '@holdpoint/testing/cluster-contract/cluster-contract'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { nodeId } from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll } from 'vitest'
import { openPostgresCluster } from './open-cluster.ts'

let server: PostgresServer
let nodes = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

clusterContract('the cluster on PostgreSQL', async () => {
  const address = await server.createDatabase()
  return {
    join: (name) => openPostgresCluster({ address, node: nodeId(++nodes), version: '1', name }),
    // Without a goodbye: its beats end, and that is all.
    lose: ({ store }) => store.close(),
    dispose: async () => {},
  }
})
