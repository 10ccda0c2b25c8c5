import type { ChainFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { archiveFile } from './retired-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import {
  type ArchiveHole,
  endOfParts,
  readRetired,
  retiredAfter,
  SELECT_HOLES,
  type SqliteRetiredRow,
} from './sqlite-retired.ts'

/** Rows that are looked at in one go. */
const PAGE = 100

/**
 * Compares every byte of the archives with what the log knows: each part with its sum, what was taken out with its filler,
 * and that one begins where the one before it ends. In steps, each inside `guard`. Gives the first fault, and tells `found`
 * about one of each session that has any.
 */
export function* checkArchives(
  db: SqliteDatabase,
  isAccepted: (id: SessionId) => boolean,
  found: (fault: ChainFault) => void,
): Generator<void, ChainFault | undefined> {
  let first: ChainFault | undefined
  for (let after = ''; ; ) {
    const rows = retiredAfter(db, after, PAGE)
    for (const row of rows) {
      if (row.kind !== 'archived' || isAccepted(row.sessionId)) continue
      const sum = yield* db.archives.sumOf(row)
      // It may have been taken out since it was read.
      if (sum === row.sum || readRetired(db, row.sessionId)?.sum !== row.sum) continue
      const fault = faultOf(row, sum === undefined ? 'is missing' : 'was changed or damaged')
      found(fault)
      first ??= fault
    }
    after = rows.at(-1)?.sessionId ?? ''
    if (rows.length < PAGE) break
    yield
  }
  for (const hole of db.all<ArchiveHole>(`${SELECT_HOLES} WHERE filled = 1`, [])) {
    if (db.archives.isFilled(hole)) continue
    const problem = `${archiveFile(hole.archive)} has something else at bytes ${range(hole)} than it should: a session was taken out there`
    first ??= { sessionId: '', seq: 0, sessionSeq: 0, problem }
  }
  return first ?? findOverlap(db)
}

/** Files that go on behind the last part that the log knows: a write was cut off. */
export function unrecordedArchives(db: SqliteDatabase): readonly string[] {
  const names = db.archives.names().filter((archive) => db.archives.size(archive) > endOfParts(db, archive))
  return names.map(archiveFile)
}

function faultOf(row: SqliteRetiredRow, problem: string): ChainFault {
  const { sessionId, archive } = row
  const where = `its part of ${archiveFile(archive)} (bytes ${range(row)})`
  return { sessionId, seq: 0, sessionSeq: 0, problem: `${where} ${problem}` }
}

function range({ place, size }: { readonly place: number; readonly size: number }): string {
  return `${place} to ${place + size - 1}`
}

/** No byte belongs to nothing, or to two. */
function findOverlap(db: SqliteDatabase): ChainFault | undefined {
  const row = db.get<{ archive: string; place: number; id: string }>(FIND_GAP, [])
  if (!row) return undefined
  const problem = `${archiveFile(row.archive)} is not told whole: nothing is known to end where a part begins, at byte ${row.place}`
  return { sessionId: row.id, seq: 0, sessionSeq: 0, problem }
}

const FIND_GAP = `WITH parts AS (
    SELECT archive, place, size, session_id AS id FROM retired WHERE kind = 'archived'
    UNION ALL SELECT archive, place, size, '' FROM archive_holes
  ), placed AS (
    SELECT *, coalesce(sum(size) OVER (PARTITION BY archive ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS due
    FROM parts
  ) SELECT archive, place, id FROM placed WHERE place <> due ORDER BY archive, place LIMIT 1`
