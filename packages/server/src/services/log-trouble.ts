import type { Stored } from '@holdpoint/schema/event'
import type { Log } from '../system/log.ts'

/** Tells the process's log of sessions that failed, and of alarms. */
export function logTrouble(log: Log, stored: readonly Stored[]): void {
  for (const { event } of stored) {
    if (event.type === 'session-ended' && event.error) {
      const { sessionId, reason, error } = event
      log.warn('session_failed', { sessionId, reason, error: error.message, fault: error.code })
    }
    if (event.type === 'alarm') log.error('alarm', { sessionId: event.sessionId, alarm: event.code })
  }
}
