import type { Clock } from '@holdpoint/core/clock'
import type { Notice, NoticeChannel, SendResult } from './channel.ts'

/** Where notices go. */
export interface Receiver {
  readonly id: string
  readonly channel: NoticeChannel
}

/** After each failure, in order. Then it is given up. */
const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000]
const LONGEST_RETRY_MS = 3_600_000
/** What is new waits so long at most for a place that has failed, unless that place wants more time. */
const NEW_NOTICE_MS = 30_000
/** Notices that wait for one receiver. Older ones are dropped: what is open is on the page. */
const MAX_WAITING = 50

/** The end of a notice: taken by the other side, or given up. */
export type Delivered = SendResult & { readonly tries: number }

interface Entry {
  readonly notice: Notice
  tries: number
}

/** Until the next attempt at a receiver. */
interface Wait {
  readonly until: number
  /** The other side has said how long. */
  readonly isWanted: boolean
  cancel(): void
}

/**
 * Sends notices to each receiver, one after another. What fails is tried again a few times; a later notice with the same tag
 * takes the place of one that waits. Nothing waits for this but the notices themselves (F54). Each attempt goes to the
 * receiver as it is then: to one that was removed, switched off or revoked meanwhile, nothing more is sent (I8).
 */
export function createDeliveryQueue<To extends Receiver>(deps: {
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
  /**
   * Who gets this notice now, and what of it: without a notice, there is nothing to tell any more. Undefined: that receiver
   * is not told anything any more.
   */
  readonly asNow: (id: string, notice: Notice) => { readonly to: To; readonly notice: Notice | undefined } | undefined
  /** Called once for each notice that was sent or given up; not for one that another took the place of. */
  readonly onDone: (to: To, notice: Notice, result: Delivered) => void
}) {
  const queues = new Map<string, Map<string, Entry>>()
  const busy = new Set<string>()
  const waits = new Map<string, Wait>()
  const closing = new AbortController()

  function kick(id: string) {
    if (busy.has(id) || waits.has(id) || closing.signal.aborted) return
    const [entry] = queues.get(id)?.values() ?? []
    const now = entry && deps.asNow(id, entry.notice)
    if (!now) {
      queues.delete(id)
      return
    }
    const { to, notice } = now
    if (!notice) {
      queues.get(id)?.delete(entry.notice.tag)
      kick(id)
      return
    }
    busy.add(id)
    void attempt({ to, notice }, entry).finally(() => {
      busy.delete(id)
      kick(id)
    })
  }

  async function attempt({ to, notice }: { to: To; notice: Notice }, entry: Entry) {
    const result = await to.channel.send(notice, { signal: closing.signal })
    if (closing.signal.aborted) return
    entry.tries++
    const delay = result.ok || result.how !== 'failed' ? undefined : RETRY_MS[entry.tries - 1]
    const isReplaced = queues.get(to.id)?.get(notice.tag) !== entry
    if (delay === undefined || result.ok || result.how !== 'failed') {
      if (!isReplaced) queues.get(to.id)?.delete(notice.tag)
      deps.onDone(to, notice, { ...result, tries: entry.tries })
      return
    }
    if (isReplaced) return
    const { retryAfterMs } = result
    waitFor(to.id, Math.min(Math.max(delay, retryAfterMs ?? 0), LONGEST_RETRY_MS), retryAfterMs !== undefined)
  }

  function waitFor(id: string, ms: number, isWanted = false) {
    waits.get(id)?.cancel()
    const cancel = deps.clock.after(ms, () => {
      waits.delete(id)
      kick(id)
    })
    waits.set(id, { until: deps.clock.monotonic() + ms, isWanted, cancel })
  }

  return {
    add(id: string, notice: Notice) {
      const queue = queues.get(id) ?? new Map<string, Entry>()
      queue.delete(notice.tag)
      queue.set(notice.tag, { notice, tries: 0 })
      for (const tag of queue.keys()) {
        if (queue.size <= MAX_WAITING) break
        queue.delete(tag)
      }
      queues.set(id, queue)
      const wait = waits.get(id)
      const isLong = wait && !wait.isWanted && wait.until - deps.clock.monotonic() > NEW_NOTICE_MS
      if (isLong) waitFor(id, NEW_NOTICE_MS)
      kick(id)
    },
    /** Whether such a notice is on its way to a receiver, or waits to be. */
    has: (id: string, fits: (notice: Notice) => boolean) =>
      [...(queues.get(id)?.values() ?? [])].some(({ notice }) => fits(notice)),
    /** Ends attempts that are under way. */
    close() {
      closing.abort()
      for (const { cancel } of waits.values()) cancel()
      queues.clear()
    },
  }
}
