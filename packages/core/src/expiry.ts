import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Clock } from './clock.ts'
import { requestKey } from './request-key.ts'

const RETRY_MS = 1000
/** A machine that slept has its timers late by as long as it slept: the clocks are looked at this often. */
const LOOK_MS = 30_000

interface Watched {
  readonly request: string
  readonly cancel: () => void
}

/**
 * Time limits of open asks. One has passed as soon as either clock says so: the time of day counts on while the machine
 * sleeps and the gateway is down, and the other cannot be set back (F28, F29).
 */
export function createExpiry(deps: {
  readonly clock: Clock
  readonly expire: (ask: Ask) => void
  /** How long an ask is left to another gateway after its time. */
  readonly delayOf?: (ask: Ask) => number
}) {
  const { clock } = deps
  const watched = new Map<AskId, Watched>()
  /** By the clock that nobody sets. An ask that is raised again because it has changed keeps the time it had. */
  const deadlines = new Map<string, number>()

  const delayOf = (ask: Ask) => deps.delayOf?.(ask) ?? 0

  function isDue(ask: Ask, at: number, delay = 0): boolean {
    const deadline = deadlines.get(requestKey(ask)) ?? Number.POSITIVE_INFINITY
    return ask.expiresAt !== undefined && (ask.expiresAt + delay <= at || deadline + delay <= clock.monotonic())
  }

  function left(ask: Ask, expiresAt: number): number {
    const deadline = deadlines.get(requestKey(ask)) ?? Number.POSITIVE_INFINITY
    const remaining = Math.min(expiresAt - clock.now(), deadline - clock.monotonic()) + delayOf(ask)
    return Math.max(0, Math.min(remaining, LOOK_MS))
  }

  function arm(ask: Ask, ms: number) {
    watched.get(ask.id)?.cancel()
    const cancel = clock.after(ms, () => (isDue(ask, clock.now(), delayOf(ask)) ? deps.expire(ask) : watch(ask)))
    watched.set(ask.id, { request: requestKey(ask), cancel })
  }

  function watch(ask: Ask) {
    if (ask.expiresAt === undefined) return
    const request = requestKey(ask)
    // After a restart only the time of day tells what is left. It may have been set back: never more than there was at first.
    const remaining = Math.min(ask.expiresAt - clock.now(), ask.expiresAt - ask.raisedAt)
    if (!deadlines.has(request)) deadlines.set(request, clock.monotonic() + remaining)
    arm(ask, left(ask, ask.expiresAt))
  }

  return {
    watch,
    isDue: (ask: Ask, at: number) => isDue(ask, at),
    /** The expiry could not be stored. */
    again: (ask: Ask) => arm(ask, RETRY_MS),
    /** `raisedAgain`: another one for the same request follows. */
    forget(id: AskId, raisedAgain: boolean) {
      const entry = watched.get(id)
      entry?.cancel()
      watched.delete(id)
      if (entry && !raisedAgain) deadlines.delete(entry.request)
    },
    /** An ask that was to be raised again may never have been. */
    forgetSession(id: SessionId) {
      for (const request of deadlines.keys()) if (request.startsWith(`${id} `)) deadlines.delete(request)
    },
    close() {
      for (const { cancel } of watched.values()) cancel()
      watched.clear()
    },
  }
}
