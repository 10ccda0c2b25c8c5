import { randomBytes } from 'node:crypto'
import type { Cluster, ClusterNode, NodeFacts, NodeReply, RecordChange, ServeCall } from '@holdpoint/core/cluster'
import type { Append, Records, Store } from '@holdpoint/core/store'
import { idMaker, type NodeId } from '@holdpoint/schema/id'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { overrideStore } from './override-store.ts'

interface Member {
  name: string
  facts: NodeFacts
  isReachable: boolean
  isDraining: boolean
  readonly heard: {
    readonly appended: Set<() => void>
    readonly nodes: Set<() => void>
    readonly told: Set<(text: string, from: NodeId) => void>
    readonly records: Set<(change: RecordChange | undefined) => Promise<void>>
  }
  serve?: ServeCall
}

/** One log in memory and several gateways on it, as on one database. A test says which of them can be reached. */
export function createMemoryCluster() {
  const store = createMemoryStore()
  const newId = idMaker({ now: Date.now, randomBytes })
  const members = new Map<NodeId, Member>()

  const others = (self: NodeId) => [...members].flatMap(([id, member]) => (id === self ? [] : [member]))
  const tellNodes = () => {
    for (const { heard } of members.values()) for (const listener of heard.nodes) listener()
  }

  function follow<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** Whoever puts or removes a record waits until the others have read it again: as if they always had been fast enough. */
  async function changed(self: NodeId, change: RecordChange) {
    await Promise.all(others(self).flatMap(({ heard }) => [...heard.records].map((listener) => listener(change))))
  }

  function recordsOf(self: NodeId): Records {
    const { records } = store
    return {
      get: (collection, key) => records.get(collection, key),
      list: (collection) => records.list(collection),
      collections: () => records.collections(),
      async put(collection, key, value) {
        await records.put(collection, key, value)
        await changed(self, { collection, key })
      },
      async remove(collection, key) {
        const was = await records.remove(collection, key)
        await changed(self, { collection, key })
        return was
      },
    }
  }

  async function call(to: NodeId, body: string, signal: AbortSignal): Promise<NodeReply> {
    const member = members.get(to)
    if (!member?.isReachable || !member.serve) return { ok: false, why: 'unreachable' }
    const gone = new Promise<NodeReply>((resolve) => {
      signal.addEventListener('abort', () => resolve({ ok: false, why: 'unknown' }), { once: true })
    })
    const served = member.serve(body, { signal }).then((reply): NodeReply => ({ ok: true, reply }))
    return Promise.race([served, gone])
  }

  return {
    store,
    /** A node, with its store and its place in the cluster. */
    node(name: string, now: () => number = Date.now): { store: Store; cluster: Cluster } {
      const self = newId('nod')
      const member: Member = {
        name,
        facts: { version: '0.0.0', agents: [] },
        isReachable: true,
        isDraining: false,
        heard: { appended: new Set(), nodes: new Set(), told: new Set(), records: new Set() },
      }
      members.set(self, member)
      tellNodes()
      const own = overrideStore(store, {
        records: recordsOf(self),
        append: async (appends: readonly Append[]) => {
          const results = await store.append(appends)
          for (const { heard } of others(self)) for (const listener of heard.appended) listener()
          return results
        },
        close: async () => {},
      })
      const cluster: Cluster = {
        node: self,
        home: undefined,
        now,
        fence: async () => {},
        onAppended: (listener) => follow(member.heard.appended, listener),
        nodes: () =>
          [...members]
            .map(
              ([id, { name, facts, isReachable, isDraining }]): ClusterNode => ({
                id,
                name,
                ...facts,
                epoch: 1,
                beatAgeMs: isReachable ? 0 : 60_000,
                isReachable,
                isDraining,
              }),
            )
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
        onNodes: (listener) => follow(member.heard.nodes, listener),
        describe: (facts) => {
          member.facts = facts
          tellNodes()
        },
        async rename(id, name) {
          const named = members.get(id)
          if (named) named.name = name
          tellNodes()
          return named !== undefined
        },
        async drain(id, isDraining) {
          const drained = members.get(id)
          if (drained) drained.isDraining = isDraining
          tellNodes()
          return drained !== undefined
        },
        async forget(id) {
          const forgotten = members.get(id)
          if (!forgotten) return 'unknown'
          if (forgotten.isReachable) return 'reachable'
          members.delete(id)
          tellNodes()
          return 'forgotten'
        },
        call: (to, body, { signal }) => call(to, body, signal),
        serve: (handler) => {
          member.serve = handler
        },
        tell(text) {
          for (const { heard, isReachable } of others(self))
            if (isReachable) for (const listener of heard.told) listener(text, self)
        },
        onTold: (listener) => follow(member.heard.told, listener),
        onRecords: (listener) => follow(member.heard.records, listener),
        onDisplaced: () => () => {},
        onReplaced: () => () => {},
        close: async () => {},
      }
      return { store: own, cluster }
    },
    /** Whether the others can reach a node; its gateway goes on. */
    reach(id: NodeId, isReachable: boolean) {
      const member = members.get(id)
      if (member) member.isReachable = isReachable
      tellNodes()
    },
  }
}
