import type { Cluster } from '@holdpoint/core/cluster'
import type { Records } from '@holdpoint/core/store'

/** Told when another gateway has changed a record, or, without a key, when it may have changed any. */
type Listener = (key: string | undefined) => Promise<void>

/** Records that other gateways may write, too. */
export interface FollowedRecords extends Records {
  /** Left out where there is one gateway. */
  readonly follow?: (collection: string, listener: Listener) => void
}

export function followRecords(records: Records, cluster: Cluster | undefined): FollowedRecords {
  if (!cluster) return records
  const listeners = new Map<string, Listener[]>()
  cluster.onRecords(async (change) => {
    const told = change ? (listeners.get(change.collection) ?? []) : [...listeners.values()].flat()
    await Promise.all(told.map((listener) => listener(change?.key)))
  })
  return {
    get: (collection, key) => records.get(collection, key),
    list: (collection) => records.list(collection),
    collections: () => records.collections(),
    put: (collection, key, value) => records.put(collection, key, value),
    replace: (collection, key, value, before) => records.replace(collection, key, value, before),
    remove: (collection, key) => records.remove(collection, key),
    follow: (collection, listener) => void listeners.set(collection, [...(listeners.get(collection) ?? []), listener]),
  }
}
