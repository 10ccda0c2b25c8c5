import { setImmediate } from 'node:timers/promises'
import type { ChainFault, ChainReport } from '@holdpoint/core/store'
import { chainHead, FIRST_HASH, type LogRow, rowHash } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SELECT_EVENT, SELECT_SESSION } from './sqlite-reader.ts'
import { type RecordRow, recordSum, SELECT_RECORD } from './sqlite-records.ts'
import { type SessionRow, sessionSum } from './sqlite-writer.ts'

const PAGE = 2000

interface Walk {
  /** Place in the log of the last row that fitted. */
  seq: number
  readonly sessions: Map<string, { seq: number; hash: string }>
  readonly counts: { asks: number; items: number; rules: number }
}

/**
 * Recomputes the chain from the first row to the last, then compares every table with it. Other work goes on between
 * pages; the last page and the comparison are one step, so that a commit in between is no fault.
 */
export async function verifySqlite(db: SqliteDatabase): Promise<ChainReport> {
  const walk: Walk = { seq: 0, sessions: new Map(), counts: { asks: 0, items: 0, rules: 0 } }
  for (;;) {
    const step = db.guard(() => {
      const rows = db.all<LogRow>(`${SELECT_EVENT} WHERE seq > ? ORDER BY seq LIMIT ?`, [walk.seq, PAGE])
      const from = walk.seq
      const fault = findBrokenLink(rows, walk) ?? findWrongIndex(db, from, walk.seq)
      if (fault) return { fault }
      return rows.length < PAGE ? { fault: findWrongTable(db, walk) } : undefined
    })
    if (step) {
      const head = chainHead(Array.from(walk.sessions, ([id, { hash }]) => ({ id, hash })))
      const report = { events: walk.seq, sessions: walk.sessions.size, head }
      return step.fault ? { ...report, fault: step.fault } : report
    }
    await setImmediate()
  }
}

function findBrokenLink(rows: readonly LogRow[], walk: Walk): ChainFault | undefined {
  for (const row of rows) {
    const last = walk.sessions.get(row.sessionId) ?? { seq: 0, hash: FIRST_HASH }
    const problem =
      row.seq !== walk.seq + 1
        ? `the events between ${walk.seq} and ${row.seq} are missing`
        : row.sessionSeq !== last.seq + 1
          ? `number ${last.seq + 1} of the session should come here, not ${row.sessionSeq}`
          : row.prevHash !== last.hash
            ? 'it does not follow from the event before it'
            : rowHash(row) !== row.hash
              ? 'it does not match its hash'
              : undefined
    if (problem) return { sessionId: row.sessionId, seq: row.seq, sessionSeq: row.sessionSeq, problem }
    walk.seq = row.seq
    walk.sessions.set(row.sessionId, { seq: row.sessionSeq, hash: row.hash })
    if (row.type === 'ask-raised') walk.counts.asks++
    else if (row.type === 'item-added') walk.counts.items++
    else if (row.type === 'rule-added') walk.counts.rules++
  }
  return undefined
}

function findWrongIndex(db: SqliteDatabase, after: number, upTo: number): ChainFault | undefined {
  const row = db.get<{ sessionId: string; seq: number; sessionSeq: number; type: string }>(WRONG_INDEX, [after, upTo])
  if (!row) return undefined
  const { sessionId, seq, sessionSeq, type } = row
  return { sessionId, seq, sessionSeq, problem: `the tables do not say what this ${type} event says` }
}

function findWrongTable(db: SqliteDatabase, walk: Walk): ChainFault | undefined {
  const place = { sessionId: '', seq: walk.seq, sessionSeq: 0 }
  const known = new Set<string>()
  for (const row of db.all<SessionRow>(SELECT_SESSION, [])) {
    known.add(row.id)
    const last = walk.sessions.get(row.id) ?? { seq: 0, hash: FIRST_HASH }
    const at = { ...place, sessionId: row.id, sessionSeq: last.seq }
    if (row.seq !== last.seq || row.hash !== last.hash) {
      return { ...at, problem: `the log ends at number ${last.seq}, but the session was at ${row.seq}` }
    }
    if (sessionSum(row) !== row.sum) return { ...at, problem: "the session's record does not match its checksum" }
  }
  for (const [sessionId, last] of walk.sessions) {
    if (!known.has(sessionId))
      return { ...place, sessionId, sessionSeq: last.seq, problem: 'the session has no record' }
  }
  for (const table of ['asks', 'items', 'rules'] as const) {
    const count = db.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`, [])?.count
    if (count !== walk.counts[table]) {
      return { ...place, problem: `${table} has ${count} rows where the log has ${walk.counts[table]}` }
    }
  }
  for (const row of db.all<RecordRow>(SELECT_RECORD, [])) {
    if (recordSum(row) !== row.sum) {
      return { ...place, problem: `the record ${row.key} of ${row.collection} does not match its checksum` }
    }
  }
  const check = db.get<{ integrity_check: string }>('PRAGMA integrity_check(1)', [])?.integrity_check
  return check === 'ok' ? undefined : { ...place, problem: `the file is damaged: ${check}` }
}

/** The first event of a range that the tables do not agree with. Columns that hold ids as JSON text compare with `->`. */
const WRONG_INDEX = `
SELECT e.session_id AS sessionId, e.seq, e.session_seq AS sessionSeq, e.type FROM events e
WHERE e.seq > ?1 AND e.seq <= ?2 AND CASE e.type
  WHEN 'ask-raised' THEN NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.id = e.data ->> '$.ask.id' AND a.session_id = e.session_id AND a.raised_seq = e.seq
      AND a.epoch = e.data ->> '$.ask.epoch' AND a.request_id = e.data -> '$.ask.requestId'
      AND a.tool_use_id IS e.data -> '$.ask.toolUseId'
      AND (a.settled_seq IS NOT NULL OR a.changed_seq = 0)
      AND (a.settled_seq IS NULL OR EXISTS (SELECT 1 FROM events s
        WHERE s.seq = a.settled_seq AND s.type = 'ask-settled' AND s.data ->> '$.askId' = a.id))
      AND (a.delivered_seq IS NULL OR EXISTS (SELECT 1 FROM events d
        WHERE d.seq = a.delivered_seq AND d.type = 'ask-delivered' AND d.data ->> '$.askId' = a.id)))
  WHEN 'ask-settled' THEN NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.id = e.data ->> '$.askId' AND a.settled_seq = e.seq AND a.changed_seq =
      CASE WHEN e.data ->> '$.outcome.kind' = 'withdrawn' AND e.data ->> '$.outcome.reason' = 'changed'
        THEN e.seq ELSE 0 END)
  WHEN 'ask-delivered' THEN NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.id = e.data ->> '$.askId' AND a.delivered_seq <= e.seq)
  WHEN 'item-added' THEN NOT EXISTS (
    SELECT 1 FROM items i WHERE i.session_id = e.session_id AND i.seq = e.seq AND i.id = e.data ->> '$.item.id'
      AND CASE WHEN i.status_seq = e.seq THEN i.status IS e.data ->> '$.item.status'
        ELSE EXISTS (SELECT 1 FROM events c WHERE c.seq = i.status_seq AND c.session_id = i.session_id
          AND c.type = 'item-changed' AND c.data ->> '$.itemId' = i.id AND c.data ->> '$.changes.status' = i.status) END)
  WHEN 'item-changed' THEN NOT EXISTS (
    SELECT 1 FROM items i WHERE i.session_id = e.session_id AND i.id = e.data ->> '$.itemId' AND i.status_seq >= e.seq)
  WHEN 'rule-added' THEN NOT EXISTS (
    SELECT 1 FROM rules r WHERE r.session_id = e.session_id AND r.id = e.data ->> '$.rule.id' AND r.added_seq = e.seq
      AND (r.removed_seq IS NULL OR EXISTS (SELECT 1 FROM events d WHERE d.seq = r.removed_seq
        AND d.session_id = r.session_id AND d.type = 'rule-removed' AND d.data ->> '$.ruleId' = r.id)))
  WHEN 'rule-removed' THEN NOT EXISTS (
    SELECT 1 FROM rules r WHERE r.session_id = e.session_id AND r.id = e.data ->> '$.ruleId' AND r.removed_seq = e.seq)
  ELSE 0 END
ORDER BY e.seq LIMIT 1`
