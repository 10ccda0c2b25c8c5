import { randomUUID } from 'node:crypto'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Cluster, NodeFacts } from '@holdpoint/core/cluster'
import type { StoreFault } from '@holdpoint/core/store'
import type { NodeId } from '@holdpoint/schema/id'
import { createAttachmentParts } from './attachment-parts.ts'
import type { Query } from './database.ts'
import { CHANNELS } from './listener.ts'
import { NodeCalls } from './node-calls.ts'
import { NodeList } from './node-list.ts'
import type { PostgresStoreOptions } from './open-database.ts'
import { openStore, type PostgresStore } from './postgres-store.ts'
import { Telling } from './telling.ts'

export interface PostgresClusterOptions extends PostgresStoreOptions {
  readonly node: NodeId
  /** Of its machine, where the cluster does not know it yet. */
  readonly name: string
}

/** A gateway among several: its log, and the others on it. The cluster is closed before the store. */
export async function openPostgresCluster(options: PostgresClusterOptions): Promise<{
  readonly store: PostgresStore
  readonly cluster: Cluster
  readonly attachmentBytes: AttachmentBytes
}> {
  const { node, name, version } = options
  const run = randomUUID()
  const displaced = new Set<() => void>()
  let isDisplaced = false
  const appended = new Set<() => void>()
  const onFenced = (fault: StoreFault) => {
    options.onFenced?.(fault)
    isDisplaced = true
    for (const listener of displaced) listener()
  }
  const { store, parts } = await openStore({ ...options, onFenced })
  const { db, life, listener, changes, commits, place } = parts
  const nodes = new NodeList()
  const calls = new NodeCalls({ db, node, run, nodes, now: () => life.now() })
  const telling = new Telling(node, listener.query)
  let facts: NodeFacts = { version, agents: [] }
  let home: NodeId | undefined
  /** Whether records that are read from now on are those of the authority's number. */
  let isOpen = false
  let isClosed = false

  /** Followers of the log are told of their own gateway's commits by itself. */
  function hasAppended() {
    commits.announce()
    for (const listener of appended) listener()
  }

  async function beat(query: Query) {
    if (isClosed || life.isOver) return
    const after = performance.now()
    const values = [node, life.epoch, run, JSON.stringify(name), JSON.stringify(facts)]
    const [row] = await query<{ isOurs: boolean; authority: number; now: number }>(BEAT, values)
    if (!row) return
    life.setClock(row.now, { after, before: performance.now() })
    // Our own next life has begun, or another gateway's.
    if (!row.isOurs) void life.check().catch(() => {})
    return row.authority
  }

  async function look(query: Query, { isNew }: { readonly isNew: boolean }) {
    const isNews = await place.look(query, { isNew })
    const authority = await beat(query)
    if (isNew) home = (await query<{ home: NodeId | null }>('SELECT home FROM cluster'))[0]?.home ?? undefined
    if (authority !== undefined && isOpen) changes.read(authority, { isNew })
    else if (authority !== undefined) changes.begin(authority)
    isOpen = true
    await nodes.read(query)
    if (isNews) hasAppended()
    calls.look()
  }

  function heard(channel: string, payload: string) {
    if (channel === CHANNELS.commits && payload !== node) hasAppended()
    if (channel === CHANNELS.nodes) listener.wake()
    if (channel === CHANNELS.calls) calls.heard(payload)
    if (channel === CHANNELS.records && isOpen) changes.heard(payload)
    if (channel === CHANNELS.told) telling.heard(payload)
  }

  await listener.run({ heard, look })
  const change = async <Result>(text: string, values: readonly (string | boolean)[]) => {
    const [row] = await db.query<{ result: Result }>(text, values)
    return row?.result
  }

  const cluster: Cluster = {
    node,
    get home() {
      return home
    },
    now: () => life.now(),
    onAppended: (told) => follow(appended, told),
    authority: () => changes.authority,
    authorityAfter: (number, wait) => changes.authorityAfter(number, wait),
    nodes: () => nodes.all(),
    onNodes: (told) => nodes.onChange(told),
    describe(given) {
      facts = given
      listener.wake()
    },
    async rename(id, to) {
      return (await change<boolean>('SELECT rename_node($1, $2) AS result', [id, JSON.stringify(to)])) === true
    },
    async drain(id, isDraining) {
      return (await change<boolean>('SELECT drain_node($1, $2) AS result', [id, isDraining])) === true
    },
    async forget(id) {
      return (await change<'forgotten' | 'reachable'>('SELECT forget_node($1) AS result', [id])) ?? 'unknown'
    },
    call: (to, body, wait) => calls.call(to, body, wait),
    serve: (handler) => calls.serve(handler),
    tell: (text) => telling.tell(text),
    onTold: (told) => telling.onTold(told),
    onRecords: (told) => changes.onChange(told),
    onDisplaced(told) {
      if (isDisplaced) told()
      return follow(displaced, told)
    },
    onReplaced: (told) => place.onReplaced(told),
    async close() {
      if (isClosed) return
      isClosed = true
      nodes.close()
      await calls.close()
      await change('SELECT leave($1, $2) AS result', [node, run]).catch(() => {})
    },
  }
  return { store, cluster, attachmentBytes: createAttachmentParts(db) }
}

function follow(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const BEAT = 'SELECT is_ours AS "isOurs", newest_authority AS authority, now_ms AS now FROM beat($1, $2, $3, $4, $5)'
