import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { Clock } from './clock.ts'
import type { Ledger } from './ledger.ts'
import { createSessionTimers } from './session-timers.ts'

export interface IdleSessions {
  /** Looks again when this session will have idled for too long. */
  watch(id: SessionId): void
  forget(id: SessionId): void
  close(): void
}

/** Ends sessions that have sat in `user_turn` with nothing open and nothing to send for too long. */
export function createIdleSessions(deps: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly idleMs: number
  readonly warn: LogFunction
  readonly stopAgent: (id: SessionId) => Promise<void>
  /** Whether its agent runs on this machine. */
  readonly isOurs: (session: Session) => boolean
  /** Whether this kind of agent takes what is typed where it runs. */
  readonly isTyped: (agent: string) => boolean
}): IdleSessions {
  const { ledger, clock, idleMs } = deps
  const timers = createSessionTimers(clock)

  async function end(id: SessionId) {
    const ended = await ledger.transact(id, (view, at) => {
      const due = view && idleSince(view.session) + idleMs <= at
      const idles = due && mayIdle(view.session)
      const events: DurableEvent[] = idles ? [{ type: 'session-ended', sessionId: id, at, reason: 'idle' }] : []
      return { events, result: idles === true }
    })
    if (ended) await deps.stopAgent(id)
  }

  function onDue(id: SessionId) {
    end(id).catch((error: unknown) => deps.warn('idle_session_not_ended', { sessionId: id, error: String(error) }))
  }

  return {
    watch(id) {
      timers.forget(id)
      const session = ledger.views().get(id)?.session
      // An agent in a terminal is never ended for idling: the person at the terminal decides that.
      if (!session || !deps.isOurs(session) || !mayIdle(session) || session.attached || deps.isTyped(session.agent))
        return
      timers.set(id, idleSince(session) + idleMs, () => onDue(id))
    },
    forget: timers.forget,
    close: timers.close,
  }
}

/** A parked agent costs nothing: its time begins anew. */
function idleSince({ parkedAt, stateChangedAt }: Session): number {
  return parkedAt ?? stateChangedAt
}

/**
 * Not while it waits for a person, nor while a message is on its way to its agent. What waits in a session that an alarm has
 * frozen is not on its way.
 */
function mayIdle({ state, openAsks, queuedMessages, frozen }: Session): boolean {
  return state === 'user_turn' && openAsks === 0 && (queuedMessages === 0 || frozen === true)
}
