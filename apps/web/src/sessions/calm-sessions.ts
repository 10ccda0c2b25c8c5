import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { systemTimers, type Timers } from '@holdpoint/client/timers'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'

/** How often agents that start and end their turns may move the rows of a list. */
const CALM_MS = 250

type Sessions = ReadonlyMap<SessionId, Session>

/**
 * All sessions, for lists. Whatever concerns the person shows at once; what agents do by themselves shows at once after
 * a quiet time, and a few times a second when fifty of them are at work: rows that jump about cannot be read, and each
 * time the whole page is laid out.
 */
export function calmSessions(client: Pick<GatewayClient, 'subscribe' | 'getState'>, timers: Timers = systemTimers) {
  const listeners = new Set<() => void>()
  let shown = listOf(client.getState().sessions)
  let lastAt = Number.NEGATIVE_INFINITY
  let callOff: (() => void) | undefined
  let unsubscribe = () => {}

  function show() {
    callOff?.()
    callOff = undefined
    const { sessions } = client.getState()
    if (sessions === shown.sessions) return
    lastAt = timers.now()
    shown = listOf(sessions)
    for (const listener of listeners) listener()
  }
  function onChange() {
    const { sessions } = client.getState()
    if (sessions === shown.sessions) return
    // The clock may have been put back.
    const wait = Math.min(lastAt + CALM_MS - timers.now(), CALM_MS)
    if (wait <= 0 || concernsThePerson(shown.sessions, sessions)) show()
    else callOff ??= timers.after(wait, show)
  }

  return {
    subscribe(listener: () => void) {
      if (listeners.size === 0) {
        // Nothing has read it since it was made.
        show()
        unsubscribe = client.subscribe(onChange)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        unsubscribe()
        callOff?.()
        callOff = undefined
      }
    },
    getSessions: () => shown.list,
  }
}

function listOf(sessions: Sessions) {
  return { sessions, list: [...sessions.values()].filter(({ deleted }) => !deleted) as readonly Session[] }
}

/** Asks, alarms, and sessions that come or go. */
function concernsThePerson(before: Sessions, after: Sessions): boolean {
  if (before.size !== after.size) return true
  for (const [id, session] of after) {
    const known = before.get(id)
    if (!known || known.openAsks !== session.openAsks || known.frozen !== session.frozen) return true
    if ((known.state === 'dead') !== (session.state === 'dead')) return true
  }
  return false
}
