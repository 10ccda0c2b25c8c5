import type { Cluster } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import type { FollowedRecords } from './followed-records.ts'

const OF = ' of '

/** Whether this is the collection of a machine, whichever that is. */
export function isOfSomeNode(name: string, collection: string): boolean {
  return name === collection || name.startsWith(collection + OF)
}

/**
 * The records of one machine: folders, terminals and whatever else means something else on another one. Each machine has
 * collections of its own, so that none reads another's by mistake. The one that a log came from has those that it always had.
 */
export function recordsOfNode(
  records: FollowedRecords,
  cluster: Pick<Cluster, 'node' | 'home'> | undefined,
  node: NodeId | undefined = cluster?.node,
): FollowedRecords {
  if (node === cluster?.home) return records
  const end = OF + node
  const { follow } = records
  return {
    get: (collection, key) => records.get(collection + end, key),
    list: (collection) => records.list(collection + end),
    put: (collection, key, value) => records.put(collection + end, key, value),
    replace: (collection, key, value, before) => records.replace(collection + end, key, value, before),
    remove: (collection, key) => records.remove(collection + end, key),
    collections: async () =>
      (await records.collections()).flatMap((name) => (name.endsWith(end) ? [name.slice(0, -end.length)] : [])),
    ...(follow && { follow: (collection, listener) => follow(collection + end, listener) }),
  }
}
