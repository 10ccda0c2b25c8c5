import { MOST_SESSIONS, USAGE_SLOT_MS, type UsageCounts, type UsageQuery } from '@holdpoint/core/usage-counts'
import type { SessionId } from '@holdpoint/schema/id'
import { MOST_EXPENSIVE, SUMS, sessionCount, slotUsage, type UsageSums } from '../usage-row.ts'
import type { PostgresDatabase } from './database.ts'

/**
 * Sums by quarter of an hour, in the transaction of the event itself. They are not checked against the log, which they
 * outlive. The folder is taken as it stands in the event, as JSON text, which need not be text of PostgreSQL. In it, quotes are
 * escaped: it cannot pose as figures.
 */
export const USAGE_TABLE = `
CREATE TABLE usage (
  session_id text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  project text COLLATE "C" NOT NULL,
  cost double precision,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_read bigint NOT NULL,
  cache_write bigint NOT NULL,
  PRIMARY KEY (session_id, slot)
);
CREATE INDEX usage_by_slot ON usage (slot);
CREATE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  used json := substring(NEW.data FROM '"used":(\\{[^}]*\\})');
BEGIN
  INSERT INTO usage AS u (session_id, slot, project, cost, input, output, cache_read, cache_write)
    VALUES (NEW.session_id, NEW.at / ${USAGE_SLOT_MS} * ${USAGE_SLOT_MS}, substring(NEW.data FROM '"cwd":("(?:[^"\\\\]|\\\\.)*")'),
      (used ->> 'costUsd')::double precision, (used ->> 'inputTokens')::bigint, (used ->> 'outputTokens')::bigint,
      (used ->> 'cacheReadTokens')::bigint, (used ->> 'cacheWriteTokens')::bigint)
    ON CONFLICT (session_id, slot) DO UPDATE SET
      cost = CASE WHEN u.cost IS NULL AND excluded.cost IS NULL THEN NULL
        ELSE coalesce(u.cost, 0) + coalesce(excluded.cost, 0) END,
      input = u.input + excluded.input, output = u.output + excluded.output,
      cache_read = u.cache_read + excluded.cache_read, cache_write = u.cache_write + excluded.cache_write;
  RETURN NULL;
END $$;
CREATE TRIGGER count_usage AFTER INSERT ON events FOR EACH ROW WHEN (NEW.type = 'usage-reported' AND NEW.data <> '')
  EXECUTE FUNCTION count_usage();
`

export async function postgresUsage(db: PostgresDatabase, { from, to, sessionIds }: UsageQuery): Promise<UsageCounts> {
  const values = [from, to, sessionIds ?? null]
  const slots = await db.query<UsageSums & { at: number }>(SLOTS, values)
  const sessions = await db.query<UsageSums & { id: SessionId }>(SESSIONS, [...values, MOST_SESSIONS])
  return { slots: slots.map(slotUsage), sessions: sessions.map(sessionCount) }
}

const WANTED = `FROM usage WHERE slot >= $1::bigint AND slot < $2::bigint
  AND ($3::text[] IS NULL OR session_id = ANY($3::text[]))`
const SLOTS = `SELECT slot AS at, project, ${SUMS} ${WANTED} GROUP BY slot, project ORDER BY slot, project`
const SESSIONS = `SELECT session_id AS id, max(project) AS project, ${SUMS} ${WANTED}
  GROUP BY session_id ORDER BY ${MOST_EXPENSIVE}, session_id LIMIT $4`
