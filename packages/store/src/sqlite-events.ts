import type { SessionId } from '@holdpoint/schema/id'
import type { LogRow } from './log-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { readRetired } from './sqlite-retired.ts'

/** Rows that are read as one text. Each may be as large as the largest ask. */
const ROWS_OF_TEXT = 32

/**
 * Rows of the log. `where` is what follows `FROM events`. Runs inside `guard`. Text is read as bytes: SQLite gives out a
 * text only up to its first NUL, so what a damaged one has behind that would go unseen.
 */
export function selectEvents(db: SqliteDatabase, where: string, values: readonly SqlValue[]): readonly LogRow[] {
  return db
    .all<{ line: Uint8Array }>(`${SELECT_LINE} ${where}`, values)
    .map(({ line }) => whole(db, toRow(toText(line))))
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

/** The rows at these places, in their order. */
export function selectEventsAt(db: SqliteDatabase, places: readonly number[]): readonly LogRow[] {
  const rows: LogRow[] = []
  for (let from = 0; from < places.length; from += ROWS_OF_TEXT) {
    rows.push(...selectAsText(db, AT, [JSON.stringify(places.slice(from, from + ROWS_OF_TEXT))]))
  }
  return rows
}

/** All rows from the place `first` to the place `last`, in their order. */
export function selectEventsBetween(db: SqliteDatabase, first: number, last: number): readonly LogRow[] {
  const rows: LogRow[] = []
  for (let from = first; from <= last; from += ROWS_OF_TEXT) {
    rows.push(...selectAsText(db, BETWEEN, [from, Math.min(from + ROWS_OF_TEXT - 1, last)]))
  }
  return rows
}

/** A few rows as one text: the fastest way to read many of them. */
function selectAsText(db: SqliteDatabase, where: string, values: readonly SqlValue[]): readonly LogRow[] {
  const { count, text } = db.get<{ count: number; text: Uint8Array | null }>(selectText(where), values) ?? { count: 0 }
  if (!text) return []
  const lines = toText(text).split('\n')
  return lines.length === count
    ? lines.map((line) => whole(db, toRow(line)))
    : selectEvents(db, `${where} ORDER BY seq`, values)
}

/** With the text that is in the archive. Where it is not there, the row stays empty, and does not match its hash. */
function whole(db: SqliteDatabase, row: LogRow): LogRow {
  if (row.data !== '') return row
  const part = readRetired(db, row.sessionId)
  const text = part?.kind === 'archived' ? db.archives.text(row.sessionId, part, row.sessionSeq) : undefined
  return text === undefined ? row : { ...row, data: text }
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
const AT = 'WHERE seq IN (SELECT value FROM json_each(?))'
const SELECT_LINE = `SELECT CAST(${LINE} AS BLOB) AS line FROM events`
/** No event holds a line break, being JSON. Where a damaged one does, there are more lines than rows. */
const selectText = (where: string) => `SELECT count(*) AS count, CAST(group_concat(line, char(10)) AS BLOB) AS text
  FROM (SELECT ${LINE} AS line FROM events ${where} ORDER BY seq)`
