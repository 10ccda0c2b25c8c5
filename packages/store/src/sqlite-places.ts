import type { SessionId } from '@holdpoint/schema/id'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Events of a session whose places are kept together. */
export const BLOCK = 16

/** The places of a session's newest events, in its own row until there are enough of them for a row in `places`. */
export function readRecent(recent: string): number[] {
  return recent === '' ? [] : recent.split(' ').map(Number)
}

/** Where the events of one session stand in the log: the first `limit` places after `after`. Runs inside `guard`. */
export function placesAfter(
  db: SqliteDatabase,
  query: { sessionId: SessionId; after: number; limit: number },
): readonly number[] {
  const { sessionId, after, limit } = query
  const blocks = db.all<{ seqs: string }>(SELECT_BLOCKS, [sessionId, after, Math.ceil(limit / BLOCK) + 1])
  const found = blocks.flatMap(({ seqs }) => readRecent(seqs)).filter((seq) => seq > after)
  if (found.length >= limit) return found.slice(0, limit)
  const row = db.get<{ recent: string }>('SELECT recent FROM sessions WHERE id = ?', [sessionId])
  const recent = readRecent(row?.recent ?? '').filter((seq) => seq > after)
  return [...found, ...recent].slice(0, limit)
}

export const INSERT_PLACES = 'INSERT INTO places (session_id, last_seq, seqs) VALUES (?, ?, ?)'
const SELECT_BLOCKS = 'SELECT seqs FROM places WHERE session_id = ? AND last_seq > ? ORDER BY last_seq LIMIT ?'
