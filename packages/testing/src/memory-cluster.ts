import { randomBytes } from 'node:crypto'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import {
  AUTHORITY_COLLECTIONS,
  type Cluster,
  type ClusterNode,
  type NodeFacts,
  type NodeReply,
  type RecordChange,
  type ServeCall,
  TOLD_BYTES,
} from '@holdpoint/core/cluster'
import type { Append, AppendResult, Records, Store } from '@holdpoint/core/store'
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
  /** Ends the calls that it has taken: nobody will hear what came of them. */
  readonly losing: Set<() => void>
  /** Numbers of the authority whose changes this one has not taken up yet. */
  readonly pending: Set<number>
}

interface MemoryNode {
  readonly store: Store
  readonly cluster: Cluster
  readonly attachmentBytes: AttachmentBytes
}

/** One log in memory and several gateways on it, as on one database. A test says which of them can be reached. */
export function createMemoryCluster() {
  const store = createMemoryStore()
  const newId = idMaker({ now: Date.now, randomBytes })
  const members = new Map<NodeId, Member>()
  let newestAuthority = 0
  const authorityWaiters = new Set<() => void>()
  const attachmentBytes = createMemoryAttachments()

  const others = (self: NodeId) => [...members].flatMap(([id, member]) => (id === self ? [] : [member]))
  const tellNodes = () => {
    for (const { heard } of members.values()) for (const listener of heard.nodes) listener()
  }

  function follow<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  const authorityOf = ({ pending }: Member) => (pending.size > 0 ? Math.min(...pending) - 1 : newestAuthority)

  /**
   * Whoever puts or removes a record waits until the others have read it again: as if they always had been fast enough.
   */
  async function change<Result>(self: NodeId, told: RecordChange, commit: () => Promise<Result>): Promise<Result> {
    const result = await commit()
    if (result === false) return result
    const number = AUTHORITY_COLLECTIONS.includes(told.collection) ? ++newestAuthority : undefined
    if (number !== undefined) for (const { pending } of members.values()) pending.add(number)
    const takenUp = ({ pending }: Member) => {
      if (number !== undefined) pending.delete(number)
      for (const look of [...authorityWaiters]) look()
    }
    await Promise.all(
      others(self).map(async (member) => {
        await Promise.all([...member.heard.records].map((listener) => listener(told)))
        takenUp(member)
      }),
    )
    const own = members.get(self)
    if (own) setImmediate(() => takenUp(own))
    return result
  }

  function authorityAfter(member: Member, number: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (authorityOf(member) <= number && !signal.aborted) return
        authorityWaiters.delete(look)
        signal.removeEventListener('abort', look)
        resolve()
      }
      authorityWaiters.add(look)
      signal.addEventListener('abort', look, { once: true })
      look()
    })
  }

  /** What was decided by older rights is refused, the rest is not. */
  async function append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    const isStale = ({ authority }: Append) => authority !== undefined && authority !== newestAuthority
    const results = [...(await store.append(appends.filter((each) => !isStale(each))))]
    return appends.map((each): AppendResult => {
      if (isStale(each)) return { ok: false, seq: each.expectedSeq, because: 'authority' }
      const result = results.shift()
      if (!result) throw new Error('each append has a result')
      return result
    })
  }

  function recordsOf(self: NodeId): Records {
    const { records } = store
    return {
      get: (collection, key) => records.get(collection, key),
      list: (collection) => records.list(collection),
      collections: () => records.collections(),
      put: (collection, key, value) => change(self, { collection, key }, () => records.put(collection, key, value)),
      replace: (collection, key, value, before) =>
        change(self, { collection, key }, () => records.replace(collection, key, value, before)),
      remove: (collection, key) => change(self, { collection, key }, () => records.remove(collection, key)),
    }
  }

  async function call(caller: Member, to: NodeId, body: string, signal: AbortSignal): Promise<NodeReply> {
    const member = members.get(to)
    if (signal.aborted || !member?.isReachable || !member.serve) return { ok: false, why: 'unreachable' }
    const ended = new AbortController()
    const lose = () => ended.abort()
    const endings = [member.losing, caller.losing]
    for (const losing of endings) losing.add(lose)
    signal.addEventListener('abort', lose, { once: true })
    const gone = new Promise<NodeReply>((resolve) => {
      ended.signal.addEventListener('abort', () => resolve({ ok: false, why: 'unknown' }), { once: true })
    })
    const served = member.serve(body, { signal: ended.signal }).then(
      (reply): NodeReply => ({ ok: true, reply }),
      (): NodeReply => ({ ok: false, why: 'unknown' }),
    )
    return Promise.race([served, gone]).finally(() => {
      for (const losing of endings) losing.delete(lose)
      signal.removeEventListener('abort', lose)
    })
  }

  return {
    store,
    /** A node, with its store and its place in the cluster. */
    node(name: string, now: () => number = Date.now): MemoryNode {
      const self = newId('nod')
      const member: Member = {
        name,
        facts: { version: '0.0.0', agents: [] },
        isReachable: true,
        isDraining: false,
        pending: new Set(),
        losing: new Set(),
        heard: { appended: new Set(), nodes: new Set(), told: new Set(), records: new Set() },
      }
      members.set(self, member)
      tellNodes()
      const own = overrideStore(store, {
        records: recordsOf(self),
        append: async (appends: readonly Append[]) => {
          const results = await append(appends)
          for (const { heard } of others(self)) for (const listener of heard.appended) listener()
          return results
        },
        close: async () => {},
      })
      const cluster: Cluster = {
        node: self,
        home: undefined,
        now,
        onAppended: (listener) => follow(member.heard.appended, listener),
        authority: () => authorityOf(member),
        authorityAfter: (number, { signal }) => authorityAfter(member, number, signal),
        nodes: () =>
          [...members]
            .map(
              ([id, { name, facts, isReachable, isDraining }]): ClusterNode => ({
                id,
                name,
                ...facts,
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
        call: (to, body, { signal }) => call(member, to, body, signal),
        serve: (handler) => {
          member.serve = handler
        },
        tell(text) {
          if (Buffer.byteLength(text) > TOLD_BYTES) return
          for (const { heard, isReachable } of others(self))
            if (isReachable) for (const listener of heard.told) listener(text, self)
        },
        onTold: (listener) => follow(member.heard.told, listener),
        onRecords: (listener) => follow(member.heard.records, listener),
        onDisplaced: () => () => {},
        onReplaced: () => () => {},
        close: async () => {
          for (const lose of member.losing) lose()
        },
      }
      return { store: own, cluster, attachmentBytes }
    },
    /** Whether the others can reach a node; its gateway goes on. */
    reach(id: NodeId, isReachable: boolean) {
      const member = members.get(id)
      if (member) member.isReachable = isReachable
      if (!isReachable) for (const lose of member?.losing ?? []) lose()
      tellNodes()
    },
  }
}

function createMemoryAttachments(): AttachmentBytes {
  const files = new Map<string, Uint8Array>()
  return {
    write: async (id, bytes) => void files.set(id, Uint8Array.from(bytes)),
    async *read(id) {
      const bytes = files.get(id)
      if (bytes) yield bytes
    },
    remove: async (id) => void files.delete(id),
  }
}
