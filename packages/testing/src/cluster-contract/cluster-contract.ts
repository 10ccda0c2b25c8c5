import { describe } from 'vitest'
import { authorityContract } from './authority-contract.ts'
import { callContract } from './call-contract.ts'
import { type ClusterFixture, clusterWorld } from './cluster-world.ts'
import { nodeContract } from './node-contract.ts'

/** What every cluster promises. */
export function clusterContract(name: string, create: () => Promise<ClusterFixture>): void {
  describe(`${name} meets the cluster contract`, () => {
    const world = clusterWorld(create)
    nodeContract(world)
    callContract(world)
    authorityContract(world)
  })
}
