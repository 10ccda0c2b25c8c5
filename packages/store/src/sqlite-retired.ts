import type { SessionId } from '@holdpoint/schema/id'
import type { PartPlace } from './archive-files.ts'
import type { RetiredRow } from './retired-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** With the place of its part, which is empty for one that was deleted. */
export interface SqliteRetiredRow extends RetiredRow, PartPlace {}

interface Row extends Omit<SqliteRetiredRow, 'blocks' | 'isDone'> {
  readonly blocks: string
  readonly done: number
}

/** Runs inside `guard`. */
export function readRetired(db: SqliteDatabase, id: SessionId): SqliteRetiredRow | undefined {
  const row = db.get<Row>(`${SELECT_RETIRED} WHERE session_id = ?`, [id])
  return row && toRetired(row)
}

/** The next ones by their ids. Runs inside `guard`. */
export function retiredAfter(db: SqliteDatabase, id: string, limit: number): readonly SqliteRetiredRow[] {
  return db.all<Row>(`${SELECT_RETIRED} WHERE session_id > ? ORDER BY session_id LIMIT ?`, [id, limit]).map(toRetired)
}

function toRetired({ blocks, done, ...row }: Row): SqliteRetiredRow {
  return { ...row, blocks: readBlocks(blocks), isDone: done === 1 }
}

/** What cannot be read leads to no text, and is found by that. */
function readBlocks(text: string): PartPlace['blocks'] {
  try {
    return JSON.parse(text) as PartPlace['blocks']
  } catch {
    return []
  }
}

export interface ArchiveHole {
  readonly archive: string
  readonly place: number
  readonly size: number
  readonly filled: number
}

/** Behind the last part that is known, and the last that was taken out. Runs inside `guard`. */
export function endOfParts(db: SqliteDatabase, archive: string): number {
  return db.get<{ end: number }>(SELECT_END, [archive])?.end ?? 0
}

export const SELECT_HOLES = 'SELECT archive, place, size, filled FROM archive_holes'
const SELECT_END = `SELECT coalesce(max(place + size), 0) AS "end" FROM (
  SELECT archive, place, size FROM retired UNION ALL SELECT archive, place, size FROM archive_holes) WHERE archive = ?`
const SELECT_RETIRED = `SELECT session_id AS sessionId, kind, events, archive, place, size, sum, blocks, done FROM retired`
