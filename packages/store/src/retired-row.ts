import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

/** What a store keeps of a session that has left the log. The session's own events say the same, and are compared with it. */
export interface RetiredRow {
  readonly sessionId: SessionId
  readonly kind: 'archived' | 'deleted'
  /** So many of its events have left, from the first. */
  readonly events: number
  /** The month; empty for a deleted one, as the sum is. */
  readonly archive: string
  readonly sum: string
  /** Whether nothing of it is left in the log. */
  readonly isDone: boolean
}

/** The events that say why others have left: they are no change of the session. */
export function isOfRetirement(event: { readonly type: string }): boolean {
  return event.type === 'session-retired' || event.type === 'session-deleted'
}

/** When a session last changed, after these events. */
export function activityAfter(events: readonly DurableEvent[], before: number): number {
  return events.findLast((event) => !isOfRetirement(event))?.at ?? before
}

/** Whether this event says that the session has left as the row has it. */
export function saysRetired(
  event: DurableEvent,
  row: Pick<RetiredRow, 'kind' | 'events' | 'archive' | 'sum'>,
): boolean {
  if (row.kind === 'deleted') return event.type === 'session-deleted'
  if (event.type !== 'session-retired') return false
  return event.events === row.events && event.archive === row.archive && event.sum === row.sum
}

/** The month of a time, by which archives are named. */
export function archiveOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** What people call the file. */
export function archiveFile(archive: string): string {
  return `archive/${archive}.hpa`
}
