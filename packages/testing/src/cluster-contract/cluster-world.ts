import type { Cluster } from '@holdpoint/core/cluster'
import type { Store } from '@holdpoint/core/store'
import { afterAll, afterEach, beforeAll } from 'vitest'

export interface ClusterMember {
  readonly cluster: Cluster
  readonly store: Store
}

/** One log, for all tests of the contract. */
export interface ClusterFixture {
  /** Another gateway on it. */
  join(name: string): Promise<ClusterMember>
  /** It is gone, without a word. */
  lose(member: ClusterMember): Promise<void>
  dispose(): Promise<void>
}

export interface ClusterWorld {
  join(name: string): Promise<ClusterMember>
  lose(member: ClusterMember): Promise<void>
}

/** Closes after each test what the test has opened. */
export function clusterWorld(create: () => Promise<ClusterFixture>): ClusterWorld {
  let fixture: ClusterFixture
  let members: ClusterMember[] = []
  beforeAll(async () => {
    fixture = await create()
  })
  afterEach(async () => {
    for (const { cluster, store } of members) {
      await cluster.close()
      await store.close()
    }
    members = []
  })
  afterAll(() => fixture.dispose())
  return {
    async join(name) {
      const member = await fixture.join(name)
      members.push(member)
      return member
    },
    lose: (member) => fixture.lose(member),
  }
}
