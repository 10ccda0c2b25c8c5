import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Clock } from './clock.ts'
import type { AgentRun } from './driver.ts'
import type { Ledger } from './ledger.ts'
import type { RunningSession } from './run-session.ts'

/** How long anybody waits for an agent that may be out of reach. */
export const REACH_MS = 1000

/** The sessions whose agents this gateway holds. */
export function createRunningSessions({
  ledger,
  clock,
  warn,
}: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly warn: LogFunction
}) {
  const running = new Map<SessionId, RunningSession>()
  let takenUp = () => {}
  const isTakenUp = new Promise<void>((resolve) => {
    takenUp = resolve
  })

  function isParked(id: SessionId): boolean {
    return ledger.views().get(id)?.session.parkedAt !== undefined
  }

  /** The agent of a session, unless it cannot be reached just now: then nobody is kept waiting for it. */
  function reachable(id: SessionId): Promise<AgentRun | undefined> {
    const run = running.get(id)?.run
    // That of a parked one is on its way out.
    if (!run || isParked(id)) return Promise.resolve(undefined)
    return Promise.race([run, new Promise<undefined>((resolve) => clock.after(REACH_MS, () => resolve(undefined)))])
  }

  return {
    get: (id: SessionId) => running.get(id),
    add(id: SessionId, started: RunningSession) {
      running.set(id, started)
      void started.over.then(() => {
        if (running.get(id) === started) running.delete(id)
      })
    },
    isParked,
    reachable,
    /** The agent of a session once the sessions were taken up and it was found; undefined after a second without it. */
    found(id: SessionId): Promise<AgentRun | undefined> {
      return new Promise((resolve, reject) => {
        const cancelTimeout = clock.after(REACH_MS, () => resolve(undefined))
        isTakenUp
          .then(() => running.get(id)?.run)
          .finally(cancelTimeout)
          .then(resolve, reject)
      })
    },
    /** The sessions of the gateway before this one are known here. */
    takenUp,
    async stopAgent(id: SessionId, how?: 'now') {
      const run = await reachable(id)
      await run?.stop(how).catch((error: unknown) => warn('agent_not_stopped', { sessionId: id, error: String(error) }))
    },
    async detachAll() {
      await Promise.all([...running.values()].map((session) => session.detach()))
    },
  }
}
