import { StoreFault } from '@holdpoint/core/store'
import type pg from 'pg'
import { STEPS } from './schema.ts'

/** What `append` is told: a database of another format refuses it. */
export const FORMAT = STEPS.length

/** Another lock than the log's: a long step must not be taken for a hung commit. */
export const MIGRATION_LOCK = '1215261808, 2'

/** Brings the schema up to date, each step together with its number. Of several starters one does it, the others wait. */
export async function migrate(client: pg.Client, name: string, steps: readonly string[] = STEPS): Promise<void> {
  for (;;) {
    // A step may read the whole log.
    await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'`)
    try {
      await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
      const format = await readFormat(client, name)
      if (format > steps.length) {
        throw new StoreFault(
          'newer-schema',
          `${capital(name)} was written by a newer Holdpoint (its format is ${format}, this one knows ${steps.length}). Update Holdpoint on this machine.`,
        )
      }
      if (format < steps.length) {
        if (format === 0) await client.query('CREATE SCHEMA IF NOT EXISTS holdpoint')
        await client.query(`${steps[format]}; UPDATE cluster SET format = ${format + 1}`)
      }
      await client.query('COMMIT')
      if (format >= steps.length - 1) return
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
}

/** 0 where there is nothing yet. */
async function readFormat(client: pg.Client, name: string): Promise<number> {
  const { rowCount } = await client.query(FOREIGN_SCHEMA)
  if (rowCount !== 0) {
    throw new StoreFault(
      'io',
      `The schema "holdpoint" of ${name} belongs to another role, which could change what gateways run. Give it to this one (ALTER SCHEMA holdpoint OWNER TO …) if you trust what is in it, or use another database.`,
    )
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'holdpoint' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1`,
  )
  if (rows.length === 0) return 0
  const isOurs = ['cluster', 'events', 'sessions'].every((table) => rows.some((row) => row.name === table))
  const found = isOurs ? await client.query<{ format: number }>('SELECT format FROM cluster') : { rows: [] }
  const format = found.rows[0]?.format
  if (format !== undefined) return format
  throw new StoreFault(
    'corrupt',
    `The schema "holdpoint" of ${name} is not one of Holdpoint, or was damaged. It was not changed. Use another database, or restore a backup.`,
  )
}

/** Whoever owns a schema can put other functions in the place of those that are in it. */
const FOREIGN_SCHEMA = `SELECT FROM pg_namespace WHERE nspname = 'holdpoint' AND NOT pg_has_role(nspowner, 'MEMBER')`

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
