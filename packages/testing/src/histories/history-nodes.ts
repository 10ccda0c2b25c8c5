import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '@holdpoint/core/cluster'
import { idMaker, type NodeId } from '@holdpoint/schema/id'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { createCoreWorld } from '../core-world.ts'
import { createManualClock } from '../manual-clock.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { startProxy } from '../proxy.ts'
import type { Stream } from './history.ts'
import { toldBy } from './told.ts'

const PAUSE_MS = 20
/** So long a life goes on beside the next one of its node. */
const OVERLAP_MS = 200

/** One life of a gateway in this process. */
export interface NodeWorld extends Awaited<ReturnType<typeof createCoreWorld>> {
  readonly name: string
  readonly node: NodeId
  readonly cluster: Cluster
  readonly stream: Stream & { readonly events: { seq: number; hash: string }[] }
  close(): Promise<void>
}

/**
 * Gateways without a server on one PostgreSQL, each on a line of its own that can be cut. `onLife`: a later life of a node has
 * begun, and its agents are to be taken over by it.
 */
export async function openNodes(options: {
  readonly server: PostgresServer
  readonly address: string
  readonly names: readonly string[]
  readonly onLife?: (world: NodeWorld) => void
}) {
  const { server, address, names, onLife = () => {} } = options
  const newId = idMaker({ now: Date.now, randomBytes })
  const worlds: NodeWorld[] = []
  const current: NodeWorld[] = []
  let isClosed = false
  const replacing = new Map<number, Promise<void>>()
  const ending: Promise<void>[] = []
  const nodes = await Promise.all(
    names.map(async (name) => {
      const proxy = await startProxy()
      proxy.connectTo(address.replace('postgres:', 'http:'))
      return { name, id: newId('nod'), proxy }
    }),
  )
  const nodeAt = (index: number) => {
    const node = nodes[index]
    if (!node) throw new Error('no such node')
    return node
  }

  async function open(index: number): Promise<NodeWorld> {
    const { name, id: node, proxy } = nodeAt(index)
    const line = address.replace(String(server.port), new URL(proxy.url).port)
    const { store, cluster } = await openPostgresCluster({ address: line, node, name, version: '1' })
    const close = async () => {
      await cluster.close()
      await store.close()
    }
    try {
      const time = createManualClock()
      const clock = { ...time.clock, now: cluster.now }
      const { authority } = cluster
      const world = await createCoreWorld({ store, node, others: cluster, authority, time: { ...time, clock } })
      const stream: NodeWorld['stream'] = { gateway: `${name} (${worlds.length})`, events: [] }
      world.ledger.subscribe((stored) => stream.events.push(...stored.map(({ seq, hash }) => ({ seq, hash }))))
      world.broker.resume()
      world.sessions.reattach()
      const opened: NodeWorld = {
        ...world,
        name,
        node,
        stream,
        cluster,
        async close() {
          await world.sessions.close()
          await world.ledger.close()
          world.broker.close()
          await close()
        },
      }
      worlds.push(opened)
      current[index] = opened
      return opened
    } catch (error) {
      await close()
      throw error
    }
  }

  /** Its line may be cut meanwhile. */
  async function openAtLast(index: number): Promise<NodeWorld> {
    for (;;) {
      const opened = await open(index).catch(toldBy)
      if (!('told' in opened)) return opened
      await sleep(PAUSE_MS)
    }
  }

  function replace(index: number): Promise<void> {
    const running = replacing.get(index)
    if (running) return running
    const opening = (async () => {
      const before = current[index]
      const opened = await openAtLast(index)
      replacing.delete(index)
      onLife(opened)
      // What is stopped and woken ends in the end: two that are cut off in turns would fence each other for ever.
      if (before) ending.push(sleep(OVERLAP_MS).then(before.close))
      // An older life whose line was cut may have claimed the node once more. Whoever runs this one starts it again.
      opened.cluster.onDisplaced(() => void (!isClosed && current[index] === opened && replace(index)))
    })()
    replacing.set(index, opening)
    return opening
  }

  for (const index of names.keys()) await openAtLast(index)

  return {
    /** The newest life of each node. */
    current: current as readonly NodeWorld[],
    /** All lives there were. The older ones may not know yet that they are over. */
    worlds: worlds as readonly NodeWorld[],
    /** A later life of a node begins, while the one before it still thinks that it is the only one. */
    replace,
    proxy: (index: number) => nodeAt(index).proxy,
    ownerOf: (nodeId: NodeId | undefined) => current.find(({ node }) => node === nodeId),
    async close() {
      isClosed = true
      await Promise.all(replacing.values())
      await Promise.all([...ending, ...current.map((world) => world.close())])
      for (const { proxy } of nodes) await proxy[Symbol.asyncDispose]()
    },
  }
}
export type HistoryNodes = Awaited<ReturnType<typeof openNodes>>
