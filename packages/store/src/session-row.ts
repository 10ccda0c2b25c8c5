import { type ChainFault, RecordDamaged } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { damagedEnd } from './damaged-end.ts'
import { sha256 } from './log-row.ts'

/** Where a session's log ends, and what else its row holds. */
export interface SessionHead {
  readonly seq: number
  readonly hash: string
  readonly checkpoint: number
  readonly activityAt: number
  readonly state: string
}

export interface SessionRow extends SessionHead {
  readonly id: SessionId
  readonly data: string
  readonly sum: string
}

export function sessionSum(row: Omit<SessionRow, 'sum'>): string {
  return sha256(`${row.id} ${row.seq} ${row.hash} ${row.checkpoint} ${row.activityAt} ${row.state} ${row.data}`)
}

/** `damage`: what is known to be wrong with it, which is then how it ended. */
export function readSession(row: SessionRow, damage: ChainFault | undefined): Session {
  if (sessionSum(row) !== row.sum) {
    throw new RecordDamaged(`The record of ${row.id} does not match its checksum: it was changed or damaged.`)
  }
  const session = JSON.parse(row.data) as Session
  return damage ? { ...session, ...damagedEnd(damage) } : session
}
