import type { ChainFault, ChainReport } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { chainHead, type LogRow } from '../log-row.ts'
import { type RecordRow, recordSum } from '../record-row.ts'
import type { PostgresDatabase } from './database.ts'
import { SELECT_RECORD } from './records.ts'
import { type PostgresRetiredRow, SELECT_RETIRED, sumOf } from './retired.ts'
import { eventColumns } from './rows.ts'
import { checkSession, compareKept, createSessionCheck } from './session-log.ts'

/** Rows of the log that are read in one go. */
const PAGE = 1000
const SESSIONS = 200
/** Places of the log whose asks are looked at in one go. */
const PLACES = 40_000
const TABLES = ['asks', 'items', 'rules', 'retired'] as const

interface Options {
  readonly step: () => Promise<unknown>
  readonly found: (fault: ChainFault) => Promise<void>
}

/**
 * Checks every session, ended ones in one pass over the log, the others one after the other; then that nothing is left
 * over. In short statements with `step` between them: a long one would keep PostgreSQL from tidying up. Reports the first
 * fault, and tells `found` about one of each session that has any.
 */
export async function verifyLog(db: PostgresDatabase, { step, found }: Options): Promise<ChainReport> {
  const inArchive = await checkArchives(db, { step, found })
  const whole = await findWholeSessions(db, step)
  const fault =
    inArchive ??
    (await checkOthers(db, whole, { step, found })) ??
    (await findStray(db, step)) ??
    (await checkHistory(db, step))
  return report(db, fault)
}

/** Reads the log once. What was found of a session is dropped with its last event. Gives the ended ones that are whole. */
async function findWholeSessions(db: PostgresDatabase, step: Options['step']): Promise<ReadonlySet<SessionId>> {
  const whole = new Set<SessionId>()
  /** Null for a session that is not checked here, or no longer. */
  const checks = new Map<SessionId, { check: ReturnType<typeof createSessionCheck>; ends: number } | null>()
  for (let after = 0; ; ) {
    const rows = await db.query<LogRow & Record<string, unknown>>(SELECT_PAGE, [after, PAGE])
    const last = rows.at(-1)
    if (!last) return whole
    after = last.seq
    const fresh = [...new Set(rows.map(({ sessionId }) => sessionId))].filter((id) => !checks.has(id))
    for (const id of fresh) checks.set(id, null)
    for (const { id, seq } of await db.query<{ id: SessionId; seq: number }>(SELECT_ENDS, [fresh])) {
      checks.set(id, { check: createSessionCheck(id), ends: seq })
    }
    for (const row of rows) {
      const begun = checks.get(row.sessionId)
      if (!begun) continue
      const isBroken = begun.check.add(row) !== undefined
      if (!isBroken && row.sessionSeq < begun.ends) continue
      checks.set(row.sessionId, null)
      if (isBroken) continue
      const fault = await db.snapshot((query) => compareKept(query, row.sessionId, begun.check))
      if (!fault) whole.add(row.sessionId)
    }
    await step()
  }
}

/** Whether each part of an archive is as it was written. */
async function checkArchives(db: PostgresDatabase, { step, found }: Options): Promise<ChainFault | undefined> {
  let first: ChainFault | undefined
  for (let after = ''; ; ) {
    const rows = await db.query<PostgresRetiredRow>(
      `${SELECT_RETIRED} WHERE session_id > $1 ORDER BY session_id LIMIT ${SESSIONS}`,
      [after],
    )
    for (const { sessionId, kind, archive, sum, part } of rows) {
      if (kind !== 'archived') continue
      const there = await sumOf(db.query, part, step)
      if (there === sum) continue
      // It may have been taken out since it was read.
      const [now] = await db.query<PostgresRetiredRow>(`${SELECT_RETIRED} WHERE session_id = $1`, [sessionId])
      if (now?.part !== part) continue
      const problem = `its part of the archive ${archive} ${there === undefined ? 'is missing' : 'was changed or damaged'}`
      const fault = { sessionId, seq: 0, sessionSeq: 0, problem }
      await found(fault)
      first ??= fault
    }
    after = rows.at(-1)?.sessionId ?? ''
    if (rows.length < SESSIONS) return first
  }
}

async function checkOthers(
  db: PostgresDatabase,
  whole: ReadonlySet<SessionId>,
  { step, found }: Options,
): Promise<ChainFault | undefined> {
  let first: ChainFault | undefined
  for (let after = ''; ; ) {
    const ids = await db.query<{ id: SessionId }>(SELECT_IDS, [after, SESSIONS])
    for (const { id } of ids) {
      if (whole.has(id)) continue
      const fault = await db.snapshot((query) => checkSession(query, id))
      if (fault) await found(fault)
      first ??= fault
      await step()
    }
    after = ids.at(-1)?.id ?? ''
    if (ids.length < SESSIONS) return first
  }
}

/** What belongs to no session, and what no session accounts for. */
async function findStray(db: PostgresDatabase, step: Options['step']): Promise<ChainFault | undefined> {
  for (const table of TABLES) {
    for (let id: string | undefined = ''; id !== undefined; ) {
      const sql = `SELECT min(t.session_id) AS id, s.id AS known
        FROM (SELECT min(session_id) AS session_id FROM ${table} WHERE session_id > $1) t
        LEFT JOIN sessions s ON s.id = t.session_id GROUP BY s.id`
      const [next]: readonly { id: string | null; known: string | null }[] = await db.query(sql, [id])
      id = next?.id ?? undefined
      if (id !== undefined && next?.known === null) {
        return { sessionId: id, seq: 0, sessionSeq: 0, problem: `${table} has rows of a session without a record` }
      }
    }
    await step()
  }
  // Every session has its events, all different: if they are as many as the last one's number, none is missing or strange.
  const [count] = await db.query<{ last: number; events: number }>(COUNT)
  const { last = 0, events = 0 } = count ?? {}
  if (last !== events) {
    const problem = `the sessions have ${events} events, but the log goes up to ${last}`
    return { sessionId: '', seq: last, sessionSeq: 0, problem }
  }
  for (const row of await db.query<RecordRow & Record<string, unknown>>(SELECT_RECORD)) {
    if (recordSum(row) !== row.sum) {
      const problem = `the record ${row.key} of ${row.collection} does not match its checksum`
      return { sessionId: '', seq: last, sessionSeq: 0, problem }
    }
  }
  return undefined
}

/** Whether the history has a row for each settled ask as far as it goes, and no other. */
async function checkHistory(db: PostgresDatabase, step: Options['step']): Promise<ChainFault | undefined> {
  const [row] = await db.query<{ newest: number }>('SELECT coalesce(max(settled_seq), 0) AS newest FROM history')
  const newest = row?.newest ?? 0
  for (let after = 0; after < newest; after += PLACES) {
    const [odd] = await db.query<{ seq: number; id: string; isStray: boolean }>(SELECT_ODD, [
      after,
      Math.min(after + PLACES, newest),
    ])
    if (odd) {
      const problem = odd.isStray ? 'history has a row that is of no settled ask' : 'history is missing a settled ask'
      return { sessionId: odd.id, seq: odd.seq, sessionSeq: 0, problem }
    }
    await step()
  }
  return undefined
}

async function report(db: PostgresDatabase, fault: ChainFault | undefined): Promise<ChainReport> {
  const sessions = await db.query<{ id: string; hash: string; seq: number }>(
    `SELECT id, encode(hash, 'hex') AS hash, seq FROM sessions`,
  )
  const found = { events: sessions.reduce((sum, { seq }) => sum + seq, 0), sessions: sessions.length }
  return fault ? { ...found, fault } : { ...found, head: chainHead(sessions) }
}

const SELECT_PAGE = `SELECT ${eventColumns('e')} FROM events e WHERE seq > $1 ORDER BY seq LIMIT $2`
const SELECT_ENDS = 'SELECT id, seq FROM sessions WHERE id = ANY($1::text[]) AND ended_at IS NOT NULL'
const SELECT_IDS = 'SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT $2'
const COUNT = `SELECT coalesce((SELECT max(seq) FROM events), 0) AS last,
  coalesce((SELECT sum(seq) FROM sessions), 0)::bigint AS events`
const SELECT_ODD = `SELECT coalesce(h.settled_seq, a.settled_seq) AS seq, coalesce(h.session_id, a.session_id) AS id,
  a.id IS NULL AS "isStray"
  FROM (SELECT * FROM history WHERE settled_seq > $1 AND settled_seq <= $2) h
  FULL JOIN (SELECT * FROM asks WHERE settled_seq > $1 AND settled_seq <= $2) a ON a.settled_seq = h.settled_seq AND a.id = h.ask_id
  WHERE a.id IS NULL OR h.ask_id IS NULL ORDER BY 1 LIMIT 1`
