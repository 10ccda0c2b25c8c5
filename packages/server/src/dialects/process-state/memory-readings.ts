import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { Services } from '../../services/services.ts'

export interface MemoryReadings {
  /** Bytes, as of the last reading. */
  last(id: SessionId): number | undefined
  /** Takes a reading, for those who are told next, unless there is one of this turn. */
  read(session: Pick<Session, 'id' | 'state' | 'stateChangedAt'>): void
}

/**
 * How large agents are. A reading takes a walk over all processes of the machine, so there is one for each turn that
 * somebody listens to, and nobody waits for it.
 */
export function createMemoryReadings(services: Pick<Services, 'sessions' | 'ledger'>): MemoryReadings {
  const readings = new Map<SessionId, { readonly turn: number; bytes: number | undefined }>()

  /** Sessions that ended while nobody listened. */
  function forgetEnded() {
    const views = services.ledger.views()
    if (readings.size > views.size) for (const id of readings.keys()) if (!views.has(id)) readings.delete(id)
  }

  return {
    last: (id) => readings.get(id)?.bytes,
    read({ id, state, stateChangedAt: turn }) {
      const before = readings.get(id)
      if (state === 'dead') return void readings.delete(id)
      if (before && before.turn >= turn) return
      const reading = { turn, bytes: before?.bytes }
      readings.set(id, reading)
      forgetEnded()
      void services.sessions
        .memoryBytes(id)
        .catch(() => undefined)
        .then((bytes) => {
          reading.bytes = bytes
        })
    },
  }
}
