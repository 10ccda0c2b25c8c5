import type { ChainFault } from '@holdpoint/core/store'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Places of the log that are looked at in one go. */
const PLACES = 40_000

interface Row {
  readonly seq: number
  readonly sessionId: string
}

/**
 * Whether the history has a row for each settled ask as far as it goes, and no other. What the rows say is not compared:
 * a search reads the asks themselves, and shows none that does not fit. In steps, each inside `guard`.
 */
export function* checkHistory(db: SqliteDatabase): Generator<void, ChainFault | undefined> {
  const newest = db.get<{ seq: number | null }>('SELECT max(settled_seq) AS seq FROM history', [])?.seq ?? 0
  for (let after = 0; after < newest; after += PLACES) {
    const range = [after, Math.min(after + PLACES, newest)]
    const stray = db.get<Row>(STRAY, range)
    if (stray) return fault(stray, 'history has a row that is of no settled ask')
    const missing = db.get<Row>(MISSING, range)
    if (missing) return fault(missing, 'history is missing a settled ask')
    yield
  }
  return undefined
}

function fault({ seq, sessionId }: Row, problem: string): ChainFault {
  return { sessionId, seq, sessionSeq: 0, problem }
}

const STRAY = `SELECT settled_seq AS seq, session_id AS sessionId FROM history AS h
  WHERE settled_seq > ? AND settled_seq <= ?
  AND NOT EXISTS (SELECT 1 FROM asks AS a WHERE a.settled_seq = h.settled_seq AND a.id = h.ask_id) LIMIT 1`
const MISSING = `SELECT settled_seq AS seq, session_id AS sessionId FROM asks AS a
  WHERE settled_seq > ? AND settled_seq <= ?
  AND NOT EXISTS (SELECT 1 FROM history JOIN history_texts USING (settled_seq) WHERE settled_seq = a.settled_seq) LIMIT 1`
