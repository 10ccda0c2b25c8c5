import { hash } from 'node:crypto'
import { RecordDamaged } from '@holdpoint/core/store'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

/** One row of the log. `data` is the event's exact text: the hash is taken over it, not over what it parses to. */
export interface LogRow {
  readonly seq: number
  readonly sessionId: SessionId
  readonly sessionSeq: number
  readonly type: string
  readonly data: string
  readonly at: number
  readonly prevHash: string
  readonly hash: string
}

/** What a session's first row follows. */
export const FIRST_HASH = '0'.repeat(64)

export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Taken over `canonicalJson` of the row, put together by hand: this runs for every event that is written or read. */
export function rowHash(row: Omit<LogRow, 'seq' | 'hash'>): string {
  const text = JSON.stringify
  return sha256(
    `${row.prevHash}{"at":${text(row.at)},"data":${text(row.data)},"session_id":${text(row.sessionId)},"session_seq":${text(row.sessionSeq)},"type":${text(row.type)}}`,
  )
}

/** Reads a row back. A row that does not match its own hash is never shown as what happened (I4). */
export function readRow(row: LogRow): Stored {
  if (rowHash(row) !== row.hash) {
    throw new RecordDamaged(
      `Event ${row.seq} (number ${row.sessionSeq} of ${row.sessionId}) does not match its hash: the data was changed or damaged.`,
    )
  }
  return { seq: row.seq, sessionSeq: row.sessionSeq, hash: row.hash, event: JSON.parse(row.data) as DurableEvent }
}

/** Names the newest hash of every session in one hash. Kept elsewhere, it shows later that nothing was cut off. */
export function chainHead(sessions: Iterable<{ readonly id: string; readonly hash: string }>): string {
  const lines = Array.from(sessions, ({ id, hash }) => `${id} ${hash}`).sort()
  return sha256(lines.join('\n'))
}
