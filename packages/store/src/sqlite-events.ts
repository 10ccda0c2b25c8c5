import type { SessionId } from '@holdpoint/schema/id'
import type { LogRow } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'

interface EventText {
  /** Every column but `data`, with a space between two. */
  readonly head: string
  readonly data: string
}

/** Rows of the log. `where` is what follows `FROM events`. Runs inside `guard`. */
export function selectEvents(db: SqliteDatabase, where: string, values: readonly SqlValue[]): readonly LogRow[] {
  return db.all<EventText>(`${SELECT} ${where}`, values).map(toLogRow)
}

/** The rows at these places, in their order. */
export function selectEventsAt(db: SqliteDatabase, places: readonly number[]): readonly LogRow[] {
  return selectEvents(db, 'WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq', [JSON.stringify(places)])
}

/**
 * A space in a column, which only a damaged row has, moves what follows it: the row no longer matches its hash. Two rows
 * of columns never give the same head, because each column but a damaged one is without a space.
 */
function toLogRow({ head, data }: EventText): LogRow {
  const [seq, sessionSeq, at, prevHash = '', hash = '', sessionId = '', ...type] = head.split(' ')
  return {
    seq: Number(seq),
    sessionSeq: Number(sessionSeq),
    at: Number(at),
    prevHash,
    hash,
    sessionId: sessionId as SessionId,
    type: type.join(' '),
    data,
  }
}

/** Two columns, not eight: each column of each row is a call into SQLite, which took half the time of a read. */
const SELECT = `SELECT seq || ' ' || session_seq || ' ' || at || ' ' || prev_hash || ' ' || hash || ' ' || session_id
  || ' ' || type AS head, data FROM events`
