import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { Clock } from './clock.ts'
import type { AgentRun } from './driver.ts'
import type { Decision, Ledger } from './ledger.ts'
import type { PendingLaunches } from './pending-launches.ts'
import { lifeOf } from './remembering.ts'
import { createSessionTimers } from './session-timers.ts'
import type { SessionView } from './session-view.ts'
import type { StoreFault } from './store.ts'
import { isClosed, recordWithRetry } from './store-retry.ts'

export interface Parking {
  /** Looks again when the agent of this session will have had nothing to do for long enough. */
  watch(id: SessionId): void
  forget(id: SessionId): void
  /** Starts a parked agent again if a message waits for it. */
  wake(id: SessionId): void
  close(): void
}

/** An agent that was busy with something of its own is looked at again after so long, or after the time to park if that is shorter. */
const LOOK_AGAIN_MS = 10 * 60_000
const TRY_AGAIN_MS = 10_000

/**
 * Parks agents: ends the process of one that has had nothing to do for long, and leaves its session as it is. The next message
 * wakes it: the same conversation in the next epoch, in the same life, with the rules of that life.
 */
export function createParking(deps: {
  readonly ledger: Ledger
  readonly clock: Clock
  /** Left out: no agent is parked. Those that are parked already are woken all the same. */
  readonly parkMs?: number | undefined
  readonly warn: LogFunction
  readonly isOurs: (session: Session) => boolean
  readonly reachable: (id: SessionId) => Promise<AgentRun | undefined>
  /** `RunDeps.beforeTurn`: what changed in a trusted folder is found before its agent runs anything, also on its way out. */
  readonly beforeTurn: (id: SessionId) => Promise<void>
  /** Settles when the process that the session had last is gone. */
  readonly over: (id: SessionId) => Promise<void> | undefined
  readonly launches: PendingLaunches
  readonly launch: (session: Session) => void
}): Parking {
  const { ledger, clock, parkMs, warn } = deps
  const timers = createSessionTimers(clock)
  const waking = new Set<SessionId>()
  let closed = false

  async function park(id: SessionId, afterMs: number) {
    const epoch = ledger.views().get(id)?.session.epoch
    const run = await deps.reachable(id)
    if (!run?.quietMs) return
    const quietMs = await run.quietMs()
    if (quietMs === undefined || quietMs < afterMs) {
      const waitMs = quietMs === undefined ? Math.min(afterMs, LOOK_AGAIN_MS) : afterMs - quietMs
      return timers.set(id, clock.now() + waitMs, () => onDue(id, afterMs))
    }
    await deps.beforeTurn(id)
    // Its process is ended by whoever sees the event: also where this gets no reply.
    await ledger.transact(id, (view, at) => {
      // Nothing has happened since it was looked at.
      const isSame = view && view.session.epoch === epoch && view.session.stateChangedAt + afterMs <= at
      const parked: DurableEvent = { type: 'session-changed', sessionId: id, at, changes: { parkedAt: at } }
      return { events: isSame && mayPark(view) ? [parked] : [], result: undefined }
    })
  }

  function onDue(id: SessionId, afterMs: number) {
    park(id, afterMs).catch((error: unknown) => {
      if (isClosed(error)) return
      warn('agent_not_parked', { sessionId: id, error: String(error) })
      if (!closed) timers.set(id, clock.now() + LOOK_AGAIN_MS, () => onDue(id, afterMs))
    })
  }

  async function start(id: SessionId) {
    // Two processes of one conversation must never run at once.
    await deps.over(id)
    await deps.beforeTurn(id)
    const pending = deps.launches.begin(id)
    let woken: number | undefined
    const decide = (view: SessionView | undefined, at: number): Decision<undefined> => {
      const nothing = { events: [], result: undefined }
      // The last try was in doubt, and it did count.
      if (!view || view.session.epoch === woken) return nothing
      const { session, queue } = view
      woken = undefined
      if (session.parkedAt === undefined || queue.length === 0 || session.frozen || !deps.isOurs(session))
        return nothing
      pending.decided()
      woken = session.epoch + 1
      const changes = { state: 'starting', epoch: woken, lifeEpoch: lifeOf(session) } as const
      // The output of the new process counts from its own beginning.
      return { events: [{ type: 'session-changed', sessionId: id, at, changes }], checkpoint: 0, result: undefined }
    }
    const onFault = (fault: StoreFault) => warn('record_waits_for_store', { sessionId: id, error: fault.message })
    try {
      await recordWithRetry(() => ledger.transact(id, decide), { clock, onFault })
      const session = ledger.views().get(id)?.session
      // Where we leave, the next gateway starts it.
      if (session && session.epoch === woken && !closed) deps.launch(session)
    } finally {
      pending.finished()
    }
  }

  function wake(id: SessionId) {
    const view = ledger.views().get(id)
    if (view?.session.parkedAt === undefined || !deps.isOurs(view.session) || waking.has(id) || closed) return
    waking.add(id)
    start(id)
      .catch((error: unknown) => {
        if (closed || isClosed(error)) return
        // Its message stays in the queue.
        warn('agent_not_woken', { sessionId: id, error: String(error) })
        timers.set(id, clock.now() + TRY_AGAIN_MS, () => wake(id))
        return 'later'
      })
      .then((tried) => {
        waking.delete(id)
        const { queue, session } = ledger.views().get(id) ?? {}
        // One message was taken back, and another one came, while it was decided that there was none.
        if (tried !== 'later' && queue && queue.length > 0 && !session?.frozen) wake(id)
      })
  }

  return {
    watch(id) {
      const view = ledger.views().get(id)
      if (view?.session.parkedAt !== undefined) return
      timers.forget(id)
      if (parkMs === undefined || !view || !deps.isOurs(view.session) || !mayPark(view)) return
      timers.set(id, view.session.stateChangedAt + parkMs, () => onDue(id, parkMs))
    },
    forget: timers.forget,
    wake,
    close() {
      closed = true
      timers.close()
    },
  }
}

/**
 * Whether nothing that is on record needs the process. A session that an alarm has frozen keeps its process, as it was. Without
 * the vendor's id there must be no conversation yet: it could not be gone on with.
 */
function mayPark({ session, asks, queue, undelivered, grants, sent }: SessionView): boolean {
  const { state, parkedAt, frozen, embedded, attached, mayWait, vendorSessionId } = session
  const isWaiting = asks.size > 0 || queue.length > 0 || undelivered.size > 0 || (grants?.size ?? 0) > 0
  const isElsewhere = embedded === true || attached === true
  const canGoOn = vendorSessionId !== undefined || sent === undefined
  return state === 'user_turn' && parkedAt === undefined && !frozen && !mayWait && !isWaiting && !isElsewhere && canGoOn
}
