import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent } from '@holdpoint/core/driver'
import type { SessionRecord } from './session-record.ts'

export const SILENT_MS = 1000

/** Whether an agent in a terminal works or waits: told by its hooks, and by what Claude Code notes of itself. */
export function createTurnState(clock: Clock, emit: (events: readonly AgentEvent[]) => Promise<void>) {
  let isWorking: boolean | undefined
  let lastStatus = ''
  let heardAt = clock.now()
  /** When a hook last said whether it works. */
  let toldAt = 0

  async function set(now: boolean, more: readonly AgentEvent[] = []) {
    const events: AgentEvent[] = isWorking === now ? [] : [{ type: now ? 'turn-started' : 'turn-ended' }]
    isWorking = now
    await emit([...more, ...events])
  }

  return {
    isWorking: () => isWorking === true,
    /** A hook came. */
    heard() {
      heardAt = clock.now()
    },
    /** A hook says whether it works, and what else there is to record. */
    told(now: boolean, more: readonly AgentEvent[]): Promise<void> {
      toldAt = clock.now()
      return set(now, more)
    },
    /** Hooks know first, and may come late: what is noted after they spoke is right, and so is all once they are silent. */
    async noted(pid: number, { status, statusAt }: SessionRecord): Promise<void> {
      if (status === undefined) return
      const noted = `${pid} ${status} ${statusAt}`
      const isSilent = clock.now() - Math.max(heardAt, toldAt, statusAt ?? 0) > SILENT_MS
      const isOld = noted === lastStatus || (statusAt ?? 0) < toldAt
      if (isOld && !isSilent) return
      lastStatus = noted
      await set(status !== 'idle')
    },
  }
}
