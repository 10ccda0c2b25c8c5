import { randomBytes } from 'node:crypto'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Store } from '@holdpoint/core/store'
import { idMaker, type NodeId } from '@holdpoint/schema/id'
import { createClock } from '@holdpoint/server/system/system-clock'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { createMemoryCluster } from '../memory-cluster.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { startTestGateway } from '../test-gateway.ts'
import { until } from '../until.ts'

type Options = NonNullable<Parameters<typeof startTestGateway>[0]>

interface WorldNode {
  readonly store: Store
  readonly cluster: Cluster
  readonly attachmentBytes: AttachmentBytes
  /** Where the machines have to agree about the time. */
  readonly clock?: Clock
}

/** Where gateways share a log: in memory, or in a database. */
export interface SharedWorld {
  node(name: string): Promise<WorldNode>
  close(): Promise<void>
}

/** One where a test says whether the others can reach a node; its gateway goes on. */
export interface LosingWorld extends SharedWorld {
  reach(node: NodeId, isReachable: boolean): Promise<void>
}

export async function memoryWorld(): Promise<LosingWorld> {
  const shared = createMemoryCluster()
  const reach = async (node: NodeId, isReachable: boolean) => shared.reach(node, isReachable)
  return { node: async (name) => shared.node(name), reach, close: async () => {} }
}

export async function postgresWorld(server: PostgresServer): Promise<LosingWorld> {
  const address = await server.createDatabase()
  const newId = idMaker({ now: Date.now, randomBytes })
  const opened: Awaited<ReturnType<typeof openPostgresCluster>>[] = []
  return {
    async node(name) {
      const node = await openPostgresCluster({ address, node: newId('nod'), version: '1', name })
      opened.push(node)
      return { ...node, clock: createClock(() => node.cluster.now()) }
    },
    /** Its beats come a minute old: the rest of what it does goes on. */
    async reach(id, isReachable) {
      await server.sql(isReachable ? `DROP TRIGGER late ON holdpoint.nodes` : lateBeats(id), address)
      const isSeen = ({ cluster }: (typeof opened)[number]) =>
        cluster.nodes().some((node) => node.id === id && node.isReachable === isReachable)
      await until(() => opened.every(isSeen), 'every machine to have seen it')
    },
    async close() {
      for (const { cluster } of opened) await cluster.close()
      for (const { store } of opened) await store.close()
    },
  }
}

const lateBeats = (id: NodeId) => `
  CREATE OR REPLACE FUNCTION holdpoint.late() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.beat := clock_timestamp() - interval '1 minute'; RETURN NEW; END $$;
  CREATE TRIGGER late BEFORE UPDATE ON holdpoint.nodes FOR EACH ROW WHEN (NEW.id = '${id}') EXECUTE FUNCTION holdpoint.late();
  UPDATE holdpoint.nodes SET beat = beat WHERE id = '${id}'`

/** What one of them alone is started with. */
interface Apart {
  readonly forA?: Options
  readonly forB?: Options
}

/** Two gateways on one log, each with agents of its own. They start at the same time: then each may take itself for the first. */
export async function twoOf<Gateway extends AsyncDisposable, World extends SharedWorld>(
  open: () => Promise<World>,
  start: (options: Options) => Promise<Gateway>,
  { forA, forB }: Apart = {},
) {
  const world = await open()
  const [onA, onB] = [await world.node('machine a'), await world.node('machine b')]
  const [a, b] = await Promise.all([start({ ...onA, ...forA }), start({ ...onB, ...forB })])
  return {
    world,
    a,
    b,
    nodeA: onA.cluster.node,
    nodeB: onB.cluster.node,
    async [Symbol.asyncDispose]() {
      await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()])
      await world.close()
    },
  }
}

export function twoGateways<World extends SharedWorld>(world: () => Promise<World>, apart?: Apart) {
  return twoOf(world, startTestGateway, apart)
}
