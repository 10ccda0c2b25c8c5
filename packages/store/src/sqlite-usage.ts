import { MOST_SESSIONS, USAGE_SLOT_MS, type UsageCounts, type UsageQuery } from '@holdpoint/core/usage-counts'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { MOST_EXPENSIVE, SUMS, sessionCount, slotUsage, type UsageSums } from './usage-row.ts'

export function usageValues(event: Extract<DurableEvent, { type: 'usage-reported' }>): readonly SqlValue[] {
  const { sessionId, at, cwd, used } = event
  const slot = Math.floor(at / USAGE_SLOT_MS) * USAGE_SLOT_MS
  const { costUsd = null, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = used
  return [sessionId, slot, JSON.stringify(cwd), costUsd, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]
}

/** Runs inside `guard`. */
export function sqliteUsage(db: SqliteDatabase, { from, to, sessionIds }: UsageQuery): UsageCounts {
  const values = [from, to, sessionIds === undefined ? null : JSON.stringify(sessionIds)]
  return {
    slots: db.all<UsageSums & { at: number }>(SLOTS, values).map(slotUsage),
    sessions: db.all<UsageSums & { id: SessionId }>(SESSIONS, [...values, MOST_SESSIONS]).map(sessionCount),
  }
}

export const COUNT_USAGE = `INSERT INTO usage (session_id, slot, project, cost, input, output, cache_read, cache_write)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session_id, slot) DO UPDATE SET
    cost = CASE WHEN cost IS NULL AND excluded.cost IS NULL THEN NULL
      ELSE coalesce(cost, 0) + coalesce(excluded.cost, 0) END,
    input = input + excluded.input, output = output + excluded.output,
    cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write`
const WANTED = `FROM usage WHERE slot >= ?1 AND slot < ?2
  AND (?3 IS NULL OR session_id IN (SELECT value FROM json_each(?3)))`
const SLOTS = `SELECT slot AS at, project, ${SUMS} ${WANTED} GROUP BY slot, project ORDER BY slot, project`
const SESSIONS = `SELECT session_id AS id, max(project) AS project, ${SUMS} ${WANTED}
  GROUP BY session_id ORDER BY ${MOST_EXPENSIVE}, session_id LIMIT ?4`
