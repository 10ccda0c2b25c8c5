import type { ErasedRow } from '@holdpoint/core/retirement'
import { StoreFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { FIRST_HASH } from '../log-row.ts'
import { isOfRetirement } from '../retired-row.ts'
import { type SessionRow, sessionSum } from '../session-row.ts'
import type { Query } from './database.ts'
import { keyOf, SELECT_SESSION } from './rows.ts'

/** What is left of deleted sessions, at the end of a log that is copied. In a transaction that has the log's lock. */
export async function putErased(
  query: Query,
  rows: readonly ErasedRow[],
  sessions: ReadonlyMap<SessionId, Session>,
): Promise<void> {
  const [end] = await query<{ last: number }>('SELECT coalesce(max(seq), 0) AS last FROM events')
  let last = end?.last ?? 0
  for (const row of rows) {
    const { sessionId, sessionSeq } = row
    const [known] = await query<SessionRow & Record<string, unknown>>(`${SELECT_SESSION} WHERE id = $1`, [sessionId])
    const session = sessions.get(sessionId)
    const isNext = row.seq === last + 1 && sessionSeq === (known?.seq ?? 0) + 1
    if (!isNext || !session || row.prevHash !== (known?.hash ?? FIRST_HASH)) {
      throw new StoreFault('io', `Event ${row.seq} of ${sessionId} does not go on from what is there.`)
    }
    await query(INSERT_EVENT, [row.seq, sessionId, sessionSeq, row.type, row.at, row.prevHash, row.hash])
    const data = JSON.stringify(session)
    const activityAt = isOfRetirement(row) ? (known?.activityAt ?? session.startedAt) : row.at
    const head = { seq: sessionSeq, hash: row.hash, checkpoint: 0, activityAt, state: session.state }
    const sum = sessionSum({ id: sessionId, ...head, data })
    const { projectId, vendorSessionId } = session
    const vendor = vendorSessionId === undefined ? null : keyOf(vendorSessionId)
    await query(WRITE_SESSION, [sessionId, ...Object.values(head), keyOf(projectId), vendor, data, sum])
    last = row.seq
  }
}

const INSERT_EVENT = `INSERT INTO events (seq, session_id, session_seq, type, at, prev_hash, hash, data)
  VALUES ($1, $2, $3, $4, $5, decode($6, 'hex'), decode($7, 'hex'), '')`
const WRITE_SESSION = 'SELECT write_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'
