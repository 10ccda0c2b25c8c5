import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Clock } from './clock.ts'
import type { Ledger } from './ledger.ts'

export interface IdleSessions {
  /** Looks again when this session will have idled for too long. */
  watch(id: SessionId): void
  forget(id: SessionId): void
  close(): void
}

/** Ends sessions that have sat in `user_turn` with nothing open for too long. */
export function createIdleSessions(deps: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly idleMs: number
  readonly warn: (message: string, details: Record<string, unknown>) => void
  readonly stopAgent: (id: SessionId) => Promise<void>
  /** Whether this kind of agent takes what is typed where it runs. */
  readonly isTyped: (agent: string) => boolean
}): IdleSessions {
  const { ledger, clock, idleMs } = deps
  const wakes = new Map<SessionId, () => void>()

  function forget(id: SessionId) {
    wakes.get(id)?.()
    wakes.delete(id)
  }

  async function end(id: SessionId) {
    const ended = await ledger.transact(id, (view, at) => {
      const due = view && view.session.stateChangedAt + idleMs <= at
      // A session that waits for a person is never ended for being idle.
      const idles = due && view.session.state === 'user_turn' && view.asks.size === 0
      const events: DurableEvent[] = idles ? [{ type: 'session-ended', sessionId: id, at, reason: 'idle' }] : []
      return { events, result: idles === true }
    })
    if (ended) await deps.stopAgent(id)
  }

  function onDue(id: SessionId) {
    end(id).catch((error: unknown) =>
      deps.warn('an idle session could not be ended', { sessionId: id, error: String(error) }),
    )
  }

  return {
    watch(id) {
      forget(id)
      const session = ledger.views().get(id)?.session
      // Whether an agent in a terminal has been there for too long is for whoever sits there to say.
      if (session?.state !== 'user_turn' || session.openAsks > 0) return
      if (session.attached || deps.isTyped(session.agent)) return
      wakes.set(
        id,
        clock.wake(session.stateChangedAt + idleMs, () => onDue(id)),
      )
    },
    forget,
    close() {
      for (const id of [...wakes.keys()]) forget(id)
    },
  }
}
