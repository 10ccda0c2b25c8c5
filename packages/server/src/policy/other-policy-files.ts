import type { Cluster } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { PolicyFileState } from '@holdpoint/schema/policy-file'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'

export const POLICY_FILES = 'policy-file'
const ONLY_ONE = 'in-force'

type Nodes = Pick<Cluster, 'node' | 'home'> | undefined

/** Under which key a machine keeps the state of its policy file. */
export function policyFileKey(cluster: Nodes, node = cluster?.node): string {
  return node === undefined || node === cluster?.home ? ONLY_ONE : node
}

/**
 * The policy files of the other machines, as their gateways have recorded them. What asks or denies in them holds here, too.
 * What allows holds on its own machine alone: paths and programs there are others.
 */
export interface OtherPolicyFiles {
  /** What asks or denies in them. The same array until it changes. */
  list(): readonly PolicyRule[]
  states(): readonly { readonly node: NodeId; readonly file: PolicyFileState }[]
  /** Whether one cannot be read: then nobody knows what it forbids. */
  isUnreadable(): boolean
  /** Of a machine that was taken off the list for good. */
  forget(node: NodeId): Promise<void>
  subscribe(listener: () => void): void
}

export async function createOtherPolicyFiles(records: FollowedRecords, cluster: Nodes): Promise<OtherPolicyFiles> {
  const files = new Map<NodeId, PolicyFileState | undefined>()
  const listeners: (() => void)[] = []
  let rules: readonly PolicyRule[] = []
  const kept = cluster && (await keepRecords(records, POLICY_FILES, (now) => take(now, cluster)))

  function take(now: readonly RecordNow[], { node: own, home }: NonNullable<Nodes>) {
    for (const { key, value } of now) {
      const node = key === ONLY_ONE ? home : (key as NodeId)
      if (node === undefined || node === own) continue
      if (value === undefined) files.delete(node)
      // Of an older version, before there were several machines: without its path.
      else files.set(node, PolicyFileState.safeParse({ path: '', ...(value as object) }).data)
    }
    rules = [...files.values()].flatMap((file) => file?.rules ?? []).filter(({ effect }) => effect !== 'allow')
    for (const listener of listeners) listener()
  }

  return {
    list: () => rules,
    states: () => [...files].flatMap(([node, file]) => (file ? [{ node, file }] : [])),
    isUnreadable: () => [...files.values()].includes(undefined),
    async forget(node) {
      await kept?.remove(policyFileKey(cluster, node))
    },
    subscribe: (listener) => void listeners.push(listener),
  }
}
