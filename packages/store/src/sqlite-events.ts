import type { SessionId } from '@holdpoint/schema/id'
import type { LogRow } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'

/** Rows that are read as one text. Each may be as large as the largest ask. */
const ROWS_OF_TEXT = 32

interface Text {
  readonly count: number
  readonly bytes: number
  readonly text: string | null
}

/** Rows of the log. `where` is what follows `FROM events`. Runs inside `guard`. */
export function selectEvents(db: SqliteDatabase, where: string, values: readonly SqlValue[]): readonly LogRow[] {
  const rows = db.all<{ line: string; bytes: number }>(`${SELECT_LINE} ${where}`, values)
  return rows.map(({ line, bytes }) => (isWhole(line, bytes) ? toRow(line) : { ...toRow(line), hash: 'cut off' }))
}

/** SQLite gives out a text up to its first NUL: what a damaged one has behind that must not go unseen. */
function isWhole(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) === bytes
}

/** The rows at these places, in their order. */
export function selectEventsAt(db: SqliteDatabase, places: readonly number[]): readonly LogRow[] {
  return selectEvents(db, 'WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq', [JSON.stringify(places)])
}

/** All rows from the place `first` to the place `last`, in their order: the fastest way to read much of the log. */
export function selectEventsBetween(db: SqliteDatabase, first: number, last: number): readonly LogRow[] {
  const rows: LogRow[] = []
  for (let from = first; from <= last; from += ROWS_OF_TEXT) {
    const places = [from, Math.min(from + ROWS_OF_TEXT - 1, last)]
    const { count, bytes, text } = db.get<Text>(SELECT_TEXT, places) ?? { count: 0, bytes: 0, text: null }
    if (count === 0 || text === null) continue
    const lines = text.split('\n')
    if (lines.length === count && isWhole(text, bytes)) for (const line of lines) rows.push(toRow(line))
    else rows.push(...selectEvents(db, `${BETWEEN} ORDER BY seq`, places))
  }
  return rows
}

/**
 * The columns, with a tab between two. None that is as it was written holds a tab: where a damaged one does, what follows
 * it moves, and the row no longer matches its hash.
 */
function toRow(line: string): LogRow {
  let from = 0
  // Not with `split`: this runs for every event of a long log, and the last column is long.
  const column = () => {
    const end = line.indexOf('\t', from)
    if (end === -1) return ''
    const text = line.slice(from, end)
    from = end + 1
    return text
  }
  return {
    seq: Number(column()),
    sessionSeq: Number(column()),
    at: Number(column()),
    prevHash: column(),
    hash: column(),
    sessionId: column() as SessionId,
    type: column(),
    data: line.slice(from),
  }
}

/** One column, not eight: each column of each row is a call into SQLite, which took half the time of a read. */
const LINE = 'concat_ws(char(9), seq, session_seq, at, prev_hash, hash, session_id, type, data)'
const BETWEEN = 'WHERE seq BETWEEN ? AND ?'
const SELECT_LINE = `SELECT ${LINE} AS line, octet_length(${LINE}) AS bytes FROM events`
/** No event holds a line break, being JSON. Where a damaged one does, there are more lines than rows. */
const SELECT_TEXT = `SELECT count, octet_length(text) AS bytes, text FROM (
  SELECT count(*) AS count, group_concat(line, char(10)) AS text
  FROM (SELECT ${LINE} AS line FROM events ${BETWEEN} ORDER BY seq))`
