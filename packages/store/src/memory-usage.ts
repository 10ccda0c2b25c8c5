import { plusUsage } from '@holdpoint/core/usage'
import {
  addedUp,
  byCost,
  MOST_SESSIONS,
  type SlotUsage,
  USAGE_SLOT_MS,
  type UsageCounts,
  type UsageQuery,
} from '@holdpoint/core/usage-counts'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

interface Row extends SlotUsage {
  readonly sessionId: SessionId
}

export function createMemoryUsage() {
  const rows = new Map<string, Row>()

  return {
    add({ sessionId, at, cwd, used }: Extract<DurableEvent, { type: 'usage-reported' }>): void {
      const slot = Math.floor(at / USAGE_SLOT_MS) * USAGE_SLOT_MS
      const key = `${sessionId} ${slot}`
      const known = rows.get(key)
      rows.set(key, { sessionId, at: slot, project: cwd, used: known ? plusUsage(known.used, used) : used })
    },

    counts({ from, to, sessionIds }: UsageQuery): UsageCounts {
      const wanted = [...rows.values()].filter(
        ({ sessionId, at }) => at >= from && at < to && (!sessionIds || sessionIds.includes(sessionId)),
      )
      const key = ({ at, project }: Row) => JSON.stringify([at, project])
      const slots = [...addedUp(wanted, key)].map(([name, used]): SlotUsage => {
        const [at, project] = JSON.parse(name) as [number, string]
        return { at, project, used }
      })
      const projects = new Map(wanted.map(({ sessionId, project }) => [sessionId, project]))
      const sessions = [...addedUp(wanted, ({ sessionId }) => sessionId)].map(([id, used]) => ({
        id,
        project: projects.get(id) ?? '',
        used,
      }))
      return { slots, sessions: sessions.sort(byCost).slice(0, MOST_SESSIONS) }
    },
  }
}
