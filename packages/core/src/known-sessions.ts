import type { Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { evolve, type SessionView } from './session-view.ts'
import type { LiveSession } from './store.ts'

/** A session, and how far it was followed. */
export interface KnownSession {
  readonly view: SessionView
  /** `sessionSeq` of the last event in `view`. */
  readonly seq: number
  readonly checkpoint: number
}

/** How many that ended are kept. */
export const ENDED_KEPT = 200

/** The sessions as the log tells them so far: those that live, those that are at work in this commit, and the last that ended. */
export function createKnownSessions() {
  const known = new Map<SessionId, KnownSession>()
  const views = new Map<SessionId, SessionView>()
  const ended = new Map<SessionId, Session>()

  function retire(session: Session) {
    ended.delete(session.id)
    ended.set(session.id, session)
    for (const oldest of ended.keys()) {
      if (ended.size <= ENDED_KEPT) break
      ended.delete(oldest)
    }
  }

  function set(id: SessionId, session: KnownSession) {
    known.set(id, session)
    if (session.view.session.state === 'dead') {
      views.delete(id)
      retire(session.view.session)
    } else {
      views.set(id, session.view)
      ended.delete(id)
    }
  }

  return {
    /** Those that live. */
    views: views as ReadonlyMap<SessionId, SessionView>,
    ended: (): Iterable<Session> => ended.values(),
    get: (id: SessionId) => known.get(id),
    has: (id: SessionId) => known.has(id),
    set,
    retire,
    /** Whether this event goes on from what is known. */
    canApply({ event, sessionSeq }: Stored): boolean {
      const session = known.get(event.sessionId)
      return session ? sessionSeq <= session.seq + 1 : event.type === 'session-started'
    },
    /** Applies an event. One that is known already changes nothing. */
    apply({ event, sessionSeq }: Stored) {
      const session = known.get(event.sessionId)
      if (session && sessionSeq <= session.seq) return
      set(event.sessionId, {
        view: evolve(session?.view, event),
        seq: sessionSeq,
        checkpoint: session?.checkpoint ?? 0,
      })
    },
    /** Takes a session as it was read from the store. */
    adopt({ session, seq, checkpoint, asks, undelivered, rules, messages }: LiveSession) {
      const sent = messages.findLast((message) => message.status === 'sent')
      const view: SessionView = {
        session,
        asks: new Map(asks.map((ask) => [ask.id, ask])),
        undelivered,
        rules,
        queue: messages.filter((message) => message.status === 'queued'),
        ...(sent && { sent }),
      }
      known.set(session.id, { view, seq, checkpoint })
      if (session.state !== 'dead') views.set(session.id, view)
    },
    forget(id: SessionId) {
      known.delete(id)
      views.delete(id)
    },
    /** Of those that ended no more is kept than that they did. */
    dropEnded(ids: Iterable<SessionId>) {
      for (const id of ids) if (!views.has(id)) known.delete(id)
    },
  }
}
