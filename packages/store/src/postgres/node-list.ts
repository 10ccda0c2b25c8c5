import { isDeepStrictEqual } from 'node:util'
import type { ClusterNode, NodeFacts } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import type { Query } from './database.ts'
import { SILENCE_MS } from './node-functions.ts'

interface NodeRow extends Record<string, unknown> {
  readonly id: NodeId
  readonly run: string
  readonly name: string
  readonly facts: string
  readonly draining: boolean
  readonly age: number
}

interface ReadNode extends Omit<ClusterNode, 'isReachable'> {
  readonly run: string
}

/** The nodes as they were read last. What was not heard of for four seconds, here or there, cannot be reached. */
export class NodeList {
  readonly #listeners = new Set<() => void>()
  #read: readonly ReadNode[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #told: readonly unknown[] = []
  #timer: NodeJS.Timeout | undefined

  all(): readonly ClusterNode[] {
    const since = performance.now() - this.#readAt
    return this.#read.map(({ run: _, ...node }) => {
      const beatAgeMs = node.beatAgeMs + since
      return { ...node, beatAgeMs, isReachable: beatAgeMs <= SILENCE_MS }
    })
  }

  /** The process that a node is now; undefined where it cannot be reached. */
  runOf(id: NodeId): string | undefined {
    const isReachable = this.all().some((node) => node.id === id && node.isReachable)
    return isReachable ? this.#read.find((node) => node.id === id)?.run : undefined
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async read(query: Query): Promise<void> {
    const at = performance.now()
    const rows = await query<NodeRow>(SELECT_NODES)
    this.#readAt = at
    this.#read = rows
      .map(({ id, run, name, facts, draining, age }) => ({
        id,
        run,
        ...saidBy({ id, name, facts }),
        beatAgeMs: age,
        isDraining: draining,
      }))
      .sort((a, b) => (a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1))
    this.#tell()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Not for each beat. Looks again when the next one would have been silent for too long. */
  #tell(): void {
    const nodes = this.all()
    const news = nodes.map(({ beatAgeMs: _, ...node }) => node)
    clearTimeout(this.#timer)
    const left = nodes.flatMap(({ isReachable, beatAgeMs }) => (isReachable ? [SILENCE_MS - beatAgeMs] : []))
    if (left.length > 0) this.#timer = setTimeout(() => this.#tell(), Math.max(Math.min(...left), 0) + 1).unref()
    if (isDeepStrictEqual(news, this.#told)) return
    this.#told = news
    for (const listener of this.#listeners) listener()
  }
}

/** As far as it can be read: another version may have written it, and nobody may be cut off from the others by that. */
function saidBy({ id, name, facts }: Pick<NodeRow, 'id' | 'name' | 'facts'>): NodeFacts & Pick<ClusterNode, 'name'> {
  const called = json(name)
  const said = (json(facts) ?? {}) as { readonly [Fact in keyof NodeFacts]?: unknown }
  return {
    name: typeof called === 'string' ? called : id,
    version: typeof said.version === 'string' ? said.version : '',
    agents: Array.isArray(said.agents) ? said.agents.filter((agent) => typeof agent === 'string') : [],
    ...(typeof said.address === 'string' && { address: said.address }),
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SELECT_NODES = `SELECT id, run, name, facts, draining,
  greatest(extract(epoch FROM clock_timestamp() - greatest(beat, '2000-01-01')) * 1000, 0)::double precision AS age FROM nodes WHERE run IS NOT NULL`
