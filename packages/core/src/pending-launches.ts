import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { Clock } from './clock.ts'
import type { Decision, Ledger } from './ledger.ts'
import type { SessionView } from './session-view.ts'
import { recordWithRetry } from './store-retry.ts'

/** One start or resumption that is being recorded. */
export interface PendingLaunch {
  /** To be called in the decision that records it. */
  decided(): void
  /** The agent was launched, or it never will be. */
  finished(): void
}

export interface PendingLaunches {
  begin(id: SessionId): PendingLaunch
  close(): void
}

/**
 * Knows which call will launch the agent of a life that is on record. A start or resumption that was reported as failed but
 * is on record (a commit in doubt) has none: its agent must never be started, so it is ended. A call counts only from its
 * decision on, so that it is not taken for the owner of what an earlier one has recorded.
 */
export function createPendingLaunches(deps: {
  readonly ledger: Ledger
  /** What is begun on another machine has its call there. */
  readonly isOurs: (session: Session) => boolean
  readonly clock: Clock
  readonly warn: LogFunction
}): PendingLaunches {
  const { ledger, clock, warn } = deps
  const owners = new Map<SessionId, PendingLaunch>()

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      const epoch = begunEpoch(event)
      const session = ledger.views().get(event.sessionId)?.session
      const isOurs = session !== undefined && deps.isOurs(session)
      if (epoch !== undefined && isOurs && !owners.has(event.sessionId)) endGhost(event.sessionId, epoch)
    }
  })

  function endGhost(id: SessionId, epoch: number) {
    const error = { code: 'start-failed', message: 'The start could not be recorded in time. Start the session again.' }
    const decide = (view: SessionView | undefined, at: number): Decision<undefined> => {
      const isAlive = view?.session.epoch === epoch && view.session.state !== 'dead'
      return {
        events: isAlive ? [{ type: 'session-ended', sessionId: id, at, reason: 'error', error }] : [],
        result: undefined,
      }
    }
    const notEnded = (reason: unknown) => warn('session_not_ended', { sessionId: id, error: String(reason) })
    recordWithRetry(() => ledger.transact(id, decide), { clock, onFault: notEnded }).catch(notEnded)
  }

  return {
    begin(id) {
      const call: PendingLaunch = {
        decided: () => void owners.set(id, call),
        finished() {
          if (owners.get(id) === call) owners.delete(id)
        },
      }
      return call
    },
    close: unsubscribe,
  }
}

/** The life that begins with this event, if one does. */
function begunEpoch(event: DurableEvent): number | undefined {
  if (event.type === 'session-started') return event.session.epoch
  return event.type === 'session-changed' ? event.changes.epoch : undefined
}
