import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import type { Session } from '@holdpoint/schema/session'
import type { Machines } from '../cluster/machines.ts'

const LOOK_MS = 1_000
/** A gateway that could not read the log for so long takes itself for gone, as the others do. */
const STALE_MS = 4_000

/**
 * Which gateway tells people of what: that of the session's machine. While it cannot be reached, the first of those that can
 * goes on from what the log says, as a gateway does after a restart.
 */
export interface NoticeDuty {
  isOurs(session: Session): boolean
  /** Whether this gateway does what is nobody's in particular and is done once, such as to read a chat. */
  isFirst(): boolean
  /** Called when another gateway may have begun to tell what was ours, or the other way round. */
  onChanged(listener: () => void): void
  close(): void
}

/** Where there is one gateway. */
export const ALWAYS_OURS: NoticeDuty = { isOurs: () => true, isFirst: () => true, onChanged: () => {}, close: () => {} }

export function createNoticeDuty(deps: {
  readonly cluster: Pick<Cluster, 'node' | 'nodes' | 'onNodes'>
  readonly machines: Pick<Machines, 'elsewhere'>
  readonly store: Pick<Store, 'lastSeq'>
  readonly ledger: Pick<Ledger, 'seq'>
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
}): NoticeDuty {
  const { cluster, machines, store, ledger, clock } = deps
  const self = cluster.node
  const listeners: (() => void)[] = []
  let reachable = readNodes()
  let readAt = clock.monotonic()
  /** Set from a pause on: how far the log has to be read before anything is told. */
  let behind: number | undefined
  let known = state()
  let isLooking = false
  let cancel = clock.after(LOOK_MS, look)

  function readNodes(): readonly string[] {
    return cluster
      .nodes()
      .flatMap(({ id, isReachable }) => (isReachable ? [id] : []))
      .sort()
  }

  /** Stopped for a while, or cut off from the log, it does not know what the others have told meanwhile. */
  function isCurrent(): boolean {
    return clock.monotonic() - readAt < STALE_MS
  }

  function state(): string {
    return isCurrent() ? reachable.join() : ''
  }

  function note() {
    const now = state()
    if (now === known) return
    known = now
    for (const listener of listeners) listener()
  }

  function look() {
    cancel = clock.after(LOOK_MS, look)
    note()
    if (!isLooking) void read().then(note)
  }

  async function read() {
    isLooking = true
    const from = clock.monotonic()
    try {
      const newest = await store.lastSeq()
      if (clock.monotonic() - readAt >= STALE_MS) behind ??= newest
      if (behind !== undefined && ledger.seq() < behind) return
      behind = undefined
      readAt = from
    } catch {
      // It is asked again. Until then this gateway tells nobody anything.
    } finally {
      isLooking = false
    }
  }

  const stop = cluster.onNodes(() => {
    reachable = readNodes()
    note()
  })

  return {
    isOurs(session) {
      if (!isCurrent()) return false
      const owner = machines.elsewhere(session) ?? self
      return reachable.includes(owner) ? owner === self : reachable[0] === self
    },
    isFirst: () => isCurrent() && reachable[0] === self,
    onChanged: (listener) => void listeners.push(listener),
    close() {
      cancel()
      stop()
    },
  }
}
