import { StoreFault } from '@holdpoint/core/store'
import type pg from 'pg'

const OLDEST = 140_000

interface Found {
  readonly version: number
  readonly fsync: string
  readonly pages: string
  readonly encoding: string
  readonly readOnly: string
  readonly isStandby: boolean
  readonly hasStandby: boolean
  readonly synchronous: string
}

/** Refuses a server that could lose what it said is committed. Gives back what does not forbid the start, but has to be said. */
export async function checkServer(client: pg.Client, name: string): Promise<readonly string[]> {
  const { rows } = await client.query<Found>(SELECT)
  const [found] = rows
  if (!found) throw new StoreFault('io', `The settings of ${name} cannot be read.`)
  const problem = problemOf(found)
  if (problem) throw new StoreFault('io', `${problem} (${name})`)
  if (!found.hasStandby || found.synchronous !== '') return []
  return [
    'The database has a standby that is not synchronous: if it takes over, answers that were committed may be missing. Set synchronous_standby_names.',
  ]
}

function problemOf({ version, fsync, pages, encoding, readOnly, isStandby }: Found): string | undefined {
  if (version < OLDEST) return `PostgreSQL ${Math.floor(version / 10_000)} is too old: Holdpoint needs 14 or newer.`
  if (fsync !== 'on')
    return 'The server has fsync=off: after a crash, committed answers would be missing. Set it to on.'
  if (pages !== 'on') return 'The server has full_page_writes=off: a crash could damage the record. Set it to on.'
  if (isStandby) return 'The server is a standby, which cannot be written to. Connect to the primary.'
  if (readOnly !== 'off') return 'The server or this user is set to read-only (default_transaction_read_only).'
  if (encoding !== 'UTF8') return `The database has the encoding ${encoding}: create one with UTF8.`
  return undefined
}

const SELECT = `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS pages, current_setting('server_encoding') AS encoding,
  current_setting('default_transaction_read_only') AS "readOnly", pg_is_in_recovery() AS "isStandby",
  EXISTS (SELECT FROM pg_stat_replication) OR EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = 'physical') AS "hasStandby",
  current_setting('synchronous_standby_names') AS synchronous`
