import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Cluster } from '@holdpoint/core/cluster'
import { type Records, StoreFault } from '@holdpoint/core/store'
import { AttachmentId, idMaker, type NodeId } from '@holdpoint/schema/id'
import { copyLog } from '@holdpoint/store/copy-log'
import { noteCopyState, readCopyState } from '@holdpoint/store/copy-state'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { keepNodeId } from '@holdpoint/store/node-id'
import { addressName } from '@holdpoint/store/postgres/address'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import type { SharedDatabase } from './open-log.ts'
import { POLICY_FILES, policyFileKey } from './policy/other-policy-files.ts'
import { createAttachmentFiles } from './services/attachment-files.ts'
import { ATTACHMENTS } from './services/attachments.ts'
import { VERSION } from './system/version.ts'

const LOOK_MS = 200

export interface MoveOptions {
  readonly dataDir: string
  readonly database: SharedDatabase
  readonly to: 'database' | 'folder'
  readonly onProgress?: (progress: { readonly events: number; readonly of: number }) => void
  readonly signal?: AbortSignal
}

/**
 * Moves the log of a data folder into a database, or back. No gateway runs on either meanwhile. What was cut off goes on when
 * it is called again; the log is in use at one place only, at every moment. Gives the head that both have.
 */
export async function moveLog({ dataDir, database, to, onProgress, signal }: MoveOptions): Promise<string> {
  const { address, machineName } = database
  const path = join(dataDir, 'holdpoint.db')
  if (to === 'database' && !existsSync(path)) throw new StoreFault('io', `There is no log in ${dataDir}.`)
  const lock = await lockDataFolder(dataDir)
  const closing = [() => lock.release()]
  try {
    const newId = idMaker({ now: Date.now, randomBytes })
    const node = await keepNodeId(dataDir, () => newId('nod'))
    const shared = await openPostgresCluster({
      address,
      node,
      version: VERSION,
      name: machineName,
      // Those of the log are old.
      checkTimes: false,
      ...(signal && { signal }),
    })
    closing.unshift(
      () => shared.cluster.close(),
      // Its gateway has not started yet: the name that it is given then counts.
      async () => void (await shared.cluster.forget(node)),
      () => shared.store.close(),
    )
    const { home } = shared.cluster
    if (to === 'folder' && home !== undefined && home !== node) throw new StoreFault('io', OTHER_HOME)
    await refuseOthers(shared.cluster, addressName(address), signal)
    const isNew = !existsSync(path)
    const local = await openSqliteStore({ path, lock })
    closing.unshift(() => local.close())
    const files = createAttachmentFiles(join(dataDir, 'attachments'))
    const parts = shared.attachmentBytes
    const [from, goal] = to === 'database' ? [files, parts] : [parts, files]
    const [source, target] = to === 'database' ? [local, shared.store] : [shared.store, local]
    const copying = copyLog(source, target, {
      async onWhole() {
        await copyAttachments({ records: target.records, from, goal, ...(signal && { signal }) })
        if (to === 'database') await shared.store.setHome(node)
        else await takeHome(local.records, node)
        await noteCopyState(source, 'moved')
        try {
          await refuseStarted(shared.cluster, addressName(address), signal)
          await shared.store.endOthers()
          if ((await source.lastSeq()) !== (await target.lastSeq())) throw new StoreFault('io', WENT_ON)
        } catch (error) {
          await noteCopyState(source, undefined)
          throw error
        }
      },
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    })
    return await copying.catch(async (error: unknown) => {
      // A start would take the empty one for the log of this folder.
      if (isNew && (await readCopyState(local)) === undefined) {
        closing.splice(1, 0, async () => rmSync(path))
      }
      throw error
    })
  } finally {
    for (const close of closing) await close()
  }
}

const OTHER_HOME =
  'The record is not moved: it came from the data folder of another machine, and goes back to that one alone. Which folders are trusted is kept there.'

const WENT_ON =
  'The log went on while it was copied. Stop all gateways that use it, with "holdpoint stop", and run this again.'

/** The same bytes once more do no harm: what was cut off may have some of them already. */
async function copyAttachments(options: {
  readonly records: Records
  readonly from: AttachmentBytes
  readonly goal: AttachmentBytes
  readonly signal?: AbortSignal
}): Promise<void> {
  const { records, from, goal, signal } = options
  for (const { key } of await records.list(ATTACHMENTS)) {
    signal?.throwIfAborted()
    const { data: id } = AttachmentId.safeParse(key)
    // One that is gone from its place was gone before.
    const bytes = id && (await buffer(from.read(id)).catch(() => undefined))
    if (id && bytes) await goal.write(id, bytes)
  }
}

/** Where one gateway is alone, the records of its machine are in the collections that have no machine in their names. */
async function takeHome(records: Records, node: NodeId): Promise<void> {
  const end = ` of ${node}`
  for (const name of await records.collections()) {
    if (!name.endsWith(end)) continue
    for (const { key, value } of await records.list(name)) {
      await records.put(name.slice(0, -end.length), key, value)
      await records.remove(name, key)
    }
  }
  const file = await records.get(POLICY_FILES, node)
  if (file !== undefined) await records.put(POLICY_FILES, policyFileKey(undefined), file)
}

/** Gateways that have started since then. From now on none does: each reads, once it is on the list, where the log is. */
async function refuseStarted(cluster: Cluster, name: string, signal: AbortSignal | undefined): Promise<void> {
  const began = performance.now()
  const isListNew = () =>
    cluster.nodes().some(({ id, beatAgeMs }) => id === cluster.node && beatAgeMs < performance.now() - began)
  // Has it read at once.
  cluster.describe({ version: VERSION, agents: [] })
  while (!isListNew()) await sleep(LOOK_MS, undefined, { ...(signal && { signal }) })
  await refuseOthers(cluster, name, signal)
}

/** One that was killed a moment ago is waited for, until it would have been heard of again. */
async function refuseOthers(cluster: Cluster, name: string, signal: AbortSignal | undefined): Promise<void> {
  const began = performance.now()
  for (;;) {
    const others = cluster.nodes().filter(({ id, isReachable }) => isReachable && id !== cluster.node)
    if (others.length === 0) return
    const working = others.filter(({ beatAgeMs }) => beatAgeMs < performance.now() - began)
    if (working.length > 0) {
      throw new StoreFault(
        'locked',
        `Gateways still use ${name}: on ${working.map((node) => `“${node.name}”`).join(', ')}. Stop them all with "holdpoint stop", and run this again.`,
      )
    }
    await sleep(LOOK_MS, undefined, { ...(signal && { signal }) })
  }
}
