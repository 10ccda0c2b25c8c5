import { clusterContract } from './cluster-contract/cluster-contract.ts'
import { createMemoryCluster } from './memory-cluster.ts'

clusterContract('the cluster in memory', async () => {
  const shared = createMemoryCluster()
  return {
    join: async (name) => shared.node(name),
    lose: async ({ cluster }) => shared.reach(cluster.node, false),
    dispose: async () => {},
  }
})
