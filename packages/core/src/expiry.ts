import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Clock } from './clock.ts'

const RETRY_MS = 1000

/** Timers of open asks. Only asks with a time limit have one. */
export function createExpiry(deps: { clock: Clock; expire: (ask: Ask) => void }) {
  const timers = new Map<AskId, () => void>()

  function arm(ask: Ask, at: number) {
    forget(ask.id)
    timers.set(
      ask.id,
      deps.clock.wake(at, () => {
        timers.delete(ask.id)
        deps.expire(ask)
      }),
    )
  }

  function forget(id: AskId) {
    timers.get(id)?.()
    timers.delete(id)
  }

  return {
    watch(ask: Ask) {
      if (ask.expiresAt !== undefined) arm(ask, ask.expiresAt)
    },
    /** The expiry could not be stored. */
    again: (ask: Ask) => arm(ask, deps.clock.now() + RETRY_MS),
    forget,
    close() {
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}
