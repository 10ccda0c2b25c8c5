import type { SessionId } from '@holdpoint/schema/id'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Rows that are removed in one commit. */
const ROWS = 500

/**
 * Removes some of the rows that name asks and items of a session, and what was made from them. Says whether there may be
 * more. Runs in a transaction.
 */
export function eraseSome(db: SqliteDatabase, id: SessionId): boolean {
  const run = (sql: string) => db.run(sql, [id, ROWS])
  // First those that are found by the asks.
  if (db.get('SELECT 1 FROM past_calls WHERE session_id = ? LIMIT 1', [id])) {
    // What calls have in common belongs to all of them: all of it is made again.
    for (const table of ['past_calls', 'decided_calls', 'calls']) db.run(`DELETE FROM ${table}`, [])
  }
  return [TEXTS, HISTORY, ASKS, ITEMS, RULES].reduce((sum, sql) => sum + run(sql), 0) > 0
}

const TEXTS = `DELETE FROM history_texts WHERE settled_seq IN
  (SELECT settled_seq FROM history WHERE session_id = ?1 ORDER BY settled_seq LIMIT ?2)`
const HISTORY = `DELETE FROM history WHERE settled_seq IN
  (SELECT settled_seq FROM history WHERE session_id = ?1 ORDER BY settled_seq LIMIT ?2)`
const ASKS = 'DELETE FROM asks WHERE id IN (SELECT id FROM asks WHERE session_id = ?1 ORDER BY id LIMIT ?2)'
const ITEMS = `DELETE FROM items WHERE session_id = ?1 AND seq IN
  (SELECT seq FROM items WHERE session_id = ?1 ORDER BY seq LIMIT ?2)`
const RULES = `DELETE FROM rules WHERE session_id = ?1 AND id IN
  (SELECT id FROM rules WHERE session_id = ?1 ORDER BY id LIMIT ?2)`
