import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Store } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'

/** What a gateway keeps its log in, and what belongs to it where other gateways could join. */
export interface TestNode {
  readonly store: Store
  readonly cluster?: Cluster
  readonly attachmentBytes?: AttachmentBytes
  readonly clock?: Clock
}

type OpenNode = () => Promise<TestNode>

const inMemory: OpenNode = async () => ({ store: createMemoryStore() })
let open = inMemory

/** An empty log of the test's own: in memory, unless the suite is run on another store. */
export const openTestNode: OpenNode = () => open()

export async function openTestStore(): Promise<Store> {
  return (await open()).store
}

export const isInMemory = () => open === inMemory

/** What tests get from now on: in memory again, unless told otherwise. */
export function useTestNodes(other: OpenNode = inMemory) {
  open = other
}
