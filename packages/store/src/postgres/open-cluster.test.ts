import { clusterContract } from '@holdpoint/testing/cluster-contract/cluster-contract'
import type { ClusterFixture } from '@holdpoint/testing/cluster-contract/cluster-world'
import { gatewaysContract } from '@holdpoint/testing/cluster-contract/gateways-contract'
import { LONG } from '@holdpoint/testing/long'
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

async function create(options: { checkTimes?: boolean } = {}): Promise<ClusterFixture> {
  const address = await server.createDatabase()
  return {
    join: (name) => openPostgresCluster({ address, node: nodeId(++nodes), version: '1', name, ...options }),
    // Without a goodbye: its beats end, and that is all.
    lose: ({ store }) => store.close(),
    dispose: async () => {},
  }
}

clusterContract('the cluster on PostgreSQL', create)
// Their time is in the test's hand.
gatewaysContract('PostgreSQL', () => create({ checkTimes: false }), { rounds: LONG ? 2_000 : 25 })
