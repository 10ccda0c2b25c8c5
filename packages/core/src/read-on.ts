import type { Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LiveSession, Store } from './store.ts'
import { unlessDamaged } from './unless-damaged.ts'

/** What the log holds beyond a position. */
export interface ReadOn {
  readonly events: readonly Stored[]
  /**
   * Sessions that were read whole, none of them newer than `events`. They may be older: what follows them there has to be
   * applied. Undefined: there is none, or it cannot be read.
   */
  readonly sessions: ReadonlyMap<SessionId, LiveSession | undefined>
}

/**
 * Reads a page of the log, and whole those of its sessions whose events cannot be applied to what is known. A session is read
 * as it is now, and others may write meanwhile: the log is then read as far as that, so that views and events fit together.
 */
export async function readOn(
  store: Pick<Store, 'events' | 'liveSession'>,
  from: {
    readonly after: number
    readonly limit: number
    /** Whether the first event of a session in these pages can be applied to what is known. */
    readonly canApply: (first: Stored) => boolean
  },
): Promise<ReadOn> {
  const events: Stored[] = []
  const sessions = new Map<SessionId, LiveSession | undefined>()
  const newest = new Map<SessionId, number>()

  async function readPage(): Promise<boolean> {
    const page = await store.events({ after: events.at(-1)?.seq ?? from.after, limit: from.limit })
    for (const stored of page) {
      const { sessionId } = stored.event
      if (!newest.has(sessionId) && !from.canApply(stored)) sessions.set(sessionId, undefined)
      newest.set(sessionId, stored.sessionSeq)
    }
    events.push(...page)
    return page.length > 0
  }

  function isAhead(live: LiveSession | undefined): boolean {
    return live !== undefined && live.seq > (newest.get(live.session.id) ?? 0)
  }

  const read = new Set<SessionId>()
  let hasMore = await readPage()
  while (hasMore) {
    for (const id of sessions.keys()) {
      if (read.has(id)) continue
      read.add(id)
      // One that cannot be read must not hold up all others: it is refused when somebody asks for it.
      sessions.set(id, await unlessDamaged(store.liveSession(id)))
    }
    hasMore = [...sessions.values()].some(isAhead) && (await readPage())
  }
  return { events, sessions }
}
