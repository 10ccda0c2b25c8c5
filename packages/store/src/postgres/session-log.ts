import type { ChainFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { type LogRow, sha256 } from '../log-row.ts'
import { SessionCheck } from '../session-check.ts'
import type { SessionRow } from '../session-row.ts'
import type { SessionTable } from '../session-tables.ts'
import type { Query } from './database.ts'
import { type PostgresRetiredRow, SELECT_RETIRED } from './retired.ts'
import { eventColumns, keyOf, SELECT_SESSION } from './rows.ts'

/** Rows that are read in one go. */
const PAGE = 500

/** A check of one session's events, added one after the other. Keys that agents choose are compared as they are kept. */
export function createSessionCheck(id: SessionId): SessionCheck {
  return new SessionCheck(id, sha256)
}

/**
 * Recomputes one session's chain from its first event to its last, and compares every table with what the events say. In a
 * snapshot, so that a commit in between is no fault. Gives back the first thing that does not fit.
 */
export async function checkSession(query: Query, id: SessionId): Promise<ChainFault | undefined> {
  const check = createSessionCheck(id)
  for (;;) {
    const rows = await query<LogRow & Record<string, unknown>>(SELECT_PAGE, [id, check.last.sessionSeq, PAGE])
    for (const row of rows) {
      const fault = check.add(row)
      if (fault) return fault
    }
    if (rows.length < PAGE) return compareKept(query, id, check)
  }
}

/** Once every event was added: the first place where the session's row or another table does not fit. In the same snapshot. */
export async function compareKept(query: Query, id: SessionId, check: SessionCheck): Promise<ChainFault | undefined> {
  const [session] = await query<KeptSession>(SELECT_KEPT, [id])
  const rows = {
    asks: await query<Row>(ROWS.asks, [id]),
    items: await query<Row>(ROWS.items, [id]),
    rules: await query<Row>(ROWS.rules, [id]),
    places: [],
  }
  const [retired] = await query<PostgresRetiredRow>(`${SELECT_RETIRED} WHERE session_id = $1`, [id])
  const fault = check.compare(session, { rows: ({ name }: SessionTable) => rows[name] }, retired)
  if (fault || !session) return fault
  return isFoundAs(session)
    ? undefined
    : check.fault("what the session is found by does not match the session's record")
}

type Row = Record<string, string | number | null>

interface KeptSession extends SessionRow, Record<string, unknown> {
  readonly endedAt: number | null
  readonly projectKey: string
  readonly vendorKey: string | null
}

function isFoundAs({ data, state, activityAt, endedAt, projectKey, vendorKey }: KeptSession): boolean {
  const { projectId, vendorSessionId } = JSON.parse(data) as Session
  const vendorDue = vendorSessionId === undefined ? null : keyOf(vendorSessionId)
  return (
    endedAt === (state === 'dead' ? activityAt : null) && projectKey === keyOf(projectId) && vendorKey === vendorDue
  )
}

const SELECT_PAGE = `SELECT ${eventColumns('e')} FROM events e
  WHERE session_id = $1 AND session_seq > $2 ORDER BY session_seq LIMIT $3`
const SELECT_KEPT = `${SELECT_SESSION.replace(
  ' FROM sessions',
  `, ended_at AS "endedAt", encode(project_key, 'hex') AS "projectKey", encode(vendor_key, 'hex') AS "vendorKey" FROM sessions`,
)} WHERE id = $1`
const ROWS = {
  asks: `SELECT id, epoch, encode(request_key, 'hex') AS "requestId", encode(tool_use_key, 'hex') AS "toolUseId",
    raised_seq AS "raisedSeq", settled_seq AS "settledSeq", changed_seq AS "changedSeq", delivered_seq AS "deliveredSeq"
    FROM asks WHERE session_id = $1`,
  items: `SELECT id, seq, status, status_seq AS "statusSeq" FROM items WHERE session_id = $1`,
  rules: `SELECT id, added_seq AS "addedSeq", removed_seq AS "removedSeq" FROM rules WHERE session_id = $1`,
}
