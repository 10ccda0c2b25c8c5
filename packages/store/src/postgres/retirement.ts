import { createHash, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type {
  ArchivedPart,
  ErasedRow,
  InSteps,
  Retirable,
  RetirableQuery,
  Retirement,
  Unfinished,
} from '@holdpoint/core/retirement'
import { type ChainFault, RecordDamaged, StoreFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { createPartWriter } from '../archive-part.ts'
import { type LogRow, readRow } from '../log-row.ts'
import { refuseBroken, unlessDamaged } from '../record-damage.ts'
import { archiveOf, type RetiredRow, saysRetired } from '../retired-row.ts'
import { readSession, type SessionRow } from '../session-row.ts'
import { LOCK } from './append-functions.ts'
import type { PostgresDatabase, SqlParameter } from './database.ts'
import { FORMAT } from './migrations.ts'
import { putErased } from './put-erased.ts'
import { type PostgresRetiredRow, SELECT_RETIRED, sumOf } from './retired.ts'
import { eventColumns, SELECT_SESSION } from './rows.ts'

/** Events of which the texts are changed in one statement: it is to hold up nobody. */
const ROWS = 64
const ERASED_AT_ONCE = 500
/** A gateway that still took texts while they were put back has taken some of them again. */
const TRIES = 5
/** Places that are looked at to tell how large an event is. */
const SAMPLES = 200

/** How sessions leave the log: their texts become compressed rows beside it, or go. */
export class PostgresRetirement implements Retirement {
  readonly #db: PostgresDatabase
  readonly #faultOf: (id: SessionId) => Promise<ChainFault | undefined>
  /** Parts that were written here and that the log may come to know. */
  readonly #written = new Map<string, string>()

  constructor(db: PostgresDatabase, faultOf: (id: SessionId) => Promise<ChainFault | undefined>) {
    this.#db = db
    this.#faultOf = faultOf
  }

  async list({ before, after, limit }: RetirableQuery) {
    const rows = await this.#db.query<Joined<SessionRow>>(SELECT_RETIRABLE, [before, after ?? null, limit])
    const sessions = rows.flatMap((row): readonly Retirable[] =>
      unlessDamaged(() => ({ session: readSession(row, undefined), activityAt: row.activityAt, events: row.seq })),
    )
    const last = rows.at(-1)
    return last && rows.length === limit ? { sessions, next: last.id } : { sessions }
  }

  async eventSize(): Promise<number> {
    const [row] = await this.#db.query<{ size: number }>(AVERAGE, [SAMPLES])
    return row?.size ?? 0
  }

  async write(id: SessionId, options: InSteps = {}): Promise<ArchivedPart | undefined> {
    refuseBroken(await this.#faultOf(id))
    const row = await this.#retirable(id)
    if (!row) return undefined
    const { seq: events, hash: head } = row
    const archive = archiveOf(row.activityAt)
    const part = randomUUID()
    const sum = createHash('sha256')
    let bytes = 0
    await this.#db.query(DROP_LEFT_OVER, [id])
    for await (const block of this.#blocks({ session: id, archive, events, head }, options)) {
      const inserted = await this.#db.query(INSERT_BLOCK, [part, block.first, id, archive, block.bytes, events])
      if (inserted.length === 0) {
        await this.#db.query(DROP_PART, [part])
        return undefined
      }
      sum.update(block.bytes)
      bytes += block.bytes.length
    }
    const written = { sessionId: id, archive, events, head, sum: sum.digest('hex'), bytes }
    this.#written.set(written.sum, part)
    return { ...written, epoch: readSession(row, undefined).epoch }
  }

  async release(part: ArchivedPart, options: InSteps = {}): Promise<boolean> {
    const { sessionId, sum } = part
    const blocks = this.#written.get(sum)
    this.#written.delete(sum)
    if (blocks === undefined) return false
    if (!(await this.#begin(part, blocks))) {
      await this.#db.query(DROP_PART, [blocks])
      return false
    }
    await this.#empty(sessionId, 'archived', options)
    return true
  }

  async restore(id: SessionId, options: InSteps = {}): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const retired = await this.#retired(id)
      if (retired?.kind !== 'archived') return tries > 0
      await this.#db.query('UPDATE retired SET restoring = true WHERE session_id = $1', [id])
      for (let after = 0; after < retired.events; after += ROWS) {
        const rows = await this.#rows(id, after, Math.min(after + ROWS, retired.events))
        await this.#db.query(PUT_BACK, [id, rows.map(({ sessionSeq }) => sessionSeq), rows.map(({ data }) => data)])
        await step(options)
      }
      if (await this.#change(LET_GO, [id])) return true
    }
    throw new StoreFault('busy', `${id} could not be taken out of the archive. Try it again.`)
  }

  async erase(id: SessionId, options: InSteps = {}): Promise<boolean> {
    const told = await this.#findEvent(id, 'session-deleted', (row) => readRow(row).event.type === 'session-deleted')
    if (!told || !(await this.#change(BEGIN_ERASING, [id, told.sessionSeq, told.hash]))) return false
    await this.#empty(id, 'deleted', options)
    while ((await this.#verdict(ERASE_ROWS, [id, ERASED_AT_ONCE])) === 'more') await step(options)
    return true
  }

  unfinished(): Promise<readonly Unfinished[]> {
    return this.#db.query<Unfinished & Record<string, unknown>>(SELECT_UNFINISHED)
  }

  async finish({ sessionId, work }: Unfinished, options: InSteps = {}): Promise<void> {
    if (work === 'restore') await this.restore(sessionId, options)
    else if (work === 'erase') await this.erase(sessionId, options)
    else await this.#empty(sessionId, 'archived', options)
  }

  erasedRows({ after, to }: { after: number; to: number }): Promise<readonly ErasedRow[]> {
    return this.#db.query<ErasedRow & Record<string, unknown>>(SELECT_ERASED, [after, to])
  }

  putErased(rows: readonly ErasedRow[], sessions: ReadonlyMap<SessionId, Session>): Promise<void> {
    return this.#db.change(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${LOCK})`)
      await putErased(query, rows, sessions)
    })
  }

  async #retired(id: SessionId): Promise<PostgresRetiredRow | undefined> {
    const [row] = await this.#db.query<PostgresRetiredRow>(`${SELECT_RETIRED} WHERE session_id = $1`, [id])
    return row
  }

  async #retirable(id: SessionId): Promise<SessionRow | undefined> {
    const [row] = await this.#db.query<Joined<SessionRow>>(SELECT_ONE_RETIRABLE, [id])
    return row
  }

  async #begin({ sessionId, epoch, events, archive, sum }: ArchivedPart, blocks: string): Promise<boolean> {
    const row = await this.#retirable(sessionId)
    if (!row || readSession(row, undefined).epoch !== epoch) return false
    if ((await sumOf(this.#db.query, blocks, async () => {})) !== sum) return false
    const retired = { kind: 'archived', events, archive, sum } as const
    const told = await this.#findEvent(sessionId, 'session-retired', (each) =>
      saysRetired(readRow(each).event, retired),
    )
    if (!told) return false
    return this.#change(BEGIN, [...[sessionId, row.sum, told.sessionSeq, told.hash], ...[events, archive, sum, blocks]])
  }

  async *#blocks(header: Parameters<typeof createPartWriter>[0], options: InSteps) {
    const writer = createPartWriter(header)
    for (let after = 0; after < header.events; after += ROWS) {
      for (const row of await this.#rows(header.session, after, Math.min(after + ROWS, header.events))) {
        const block = writer.add(row)
        if (block) yield block
      }
      await step(options)
    }
    const last = writer.end()
    if (last) yield last
  }

  /** As they were hashed, or not at all: those after `after`, to `to`. */
  async #rows(id: SessionId, after: number, to: number): Promise<readonly LogRow[]> {
    const rows = await this.#db.query<Joined<LogRow>>(SELECT_ROWS, [id, after, to])
    for (const row of rows) readRow(row)
    if (rows.length !== to - after) throw new RecordDamaged(`Events of ${id} are missing.`)
    return rows
  }

  async #findEvent(id: SessionId, type: string, fits: (row: LogRow) => boolean): Promise<LogRow | undefined> {
    const rows = await this.#db.query<Joined<LogRow>>(SELECT_OF_TYPE, [id, type])
    return rows.find(fits)
  }

  async #empty(id: SessionId, kind: RetiredRow['kind'], options: InSteps): Promise<void> {
    const events = (await this.#retired(id))?.events ?? 0
    for (let after = 0; after < events; after += ROWS) {
      if (!(await this.#change(EMPTY, [id, kind, after + 1, Math.min(after + ROWS, events)]))) return
      await step(options)
    }
    // One that is deleted has more to lose than its texts.
    if (kind === 'archived') await this.#db.query(DONE, [id])
  }

  async #change(sql: string, values: readonly SqlParameter[]): Promise<boolean> {
    return (await this.#verdict(sql, values)) === 'ok'
  }

  async #verdict(sql: string, values: readonly SqlParameter[]): Promise<string> {
    const [row] = await this.#db.query<{ verdict: string }>(sql, [FORMAT, ...values])
    if (row?.verdict === 'format') {
      throw new StoreFault(
        'newer-schema',
        'A newer Holdpoint has changed the format of the database. Update Holdpoint here.',
      )
    }
    return row?.verdict ?? 'no'
  }
}

type Joined<Row> = Row & Record<string, unknown>

async function step({ pause = setImmediate, signal }: InSteps): Promise<void> {
  await pause()
  signal?.throwIfAborted()
}

const NOT_RETIRED = 'NOT EXISTS (SELECT FROM retired WHERE session_id = sessions.id)'
const SELECT_RETIRABLE = `${SELECT_SESSION} WHERE ended_at IS NOT NULL AND ended_at < $1
  AND ($2::text IS NULL OR (ended_at, id) > (SELECT ended_at, id FROM sessions WHERE id = $2))
  AND ${NOT_RETIRED} ORDER BY ended_at, id LIMIT $3`
const SELECT_ONE_RETIRABLE = `${SELECT_SESSION} WHERE id = $1 AND ended_at IS NOT NULL AND ${NOT_RETIRED}`
const AVERAGE = `SELECT coalesce(avg(length(data)), 0)::double precision AS size FROM events WHERE data <> '' AND seq IN (
  SELECT ceil(n * (SELECT max(seq) FROM events)::numeric / $1)::bigint FROM generate_series(1, $1::int) n)`
/** Of writes that were cut off. Those of another gateway may be under way: they are younger. */
const DROP_LEFT_OVER = `DELETE FROM archive_blocks WHERE session_id = $1 AND at < clock_timestamp() - interval '1 hour'
  AND part NOT IN (SELECT part FROM retired WHERE session_id = $1)`
/** Only while nothing more is said in the session: its deletion is an event, and removes all blocks that came before. */
const INSERT_BLOCK = `INSERT INTO archive_blocks (part, first, session_id, archive, bytes)
  SELECT $1, $2::int, id, $4, $5::bytea FROM sessions WHERE id = $3 AND seq = $6 AND ended_at IS NOT NULL FOR UPDATE
  ON CONFLICT (part, first) DO UPDATE SET bytes = excluded.bytes RETURNING first`
const DROP_PART = 'DELETE FROM archive_blocks WHERE part = $1 AND part NOT IN (SELECT part FROM retired)'
const SELECT_ROWS = `SELECT ${eventColumns('e')} FROM events e
  WHERE session_id = $1 AND session_seq > $2 AND session_seq <= $3 ORDER BY session_seq`
const SELECT_OF_TYPE = `SELECT ${eventColumns('e')} FROM events e WHERE session_id = $1 AND type = $2 ORDER BY session_seq`
const BEGIN = 'SELECT retire_session($1, $2, $3, $4, $5, $6, $7, $8, $9) AS verdict'
const EMPTY = 'SELECT empty_events($1, $2, $3, $4, $5) AS verdict'
const PUT_BACK = `UPDATE events e SET data = t.data FROM unnest($2::int[], $3::text[]) t(n, data)
  WHERE e.session_id = $1 AND e.session_seq = t.n AND e.data = ''`
const LET_GO = 'SELECT let_go_of_part($1, $2) AS verdict'
const BEGIN_ERASING = 'SELECT begin_erasing($1, $2, $3, $4) AS verdict'
const ERASE_ROWS = 'SELECT erase_rows($1, $2, $3) AS verdict'
const DONE = `UPDATE retired SET done = true WHERE session_id = $1 AND kind = 'archived' AND NOT restoring`
const SELECT_UNFINISHED = `SELECT r.session_id AS "sessionId",
  CASE WHEN kind = 'deleted' THEN 'erase' WHEN s.ended_at IS NULL OR r.restoring THEN 'restore' ELSE 'release' END AS work
  FROM retired r JOIN sessions s ON s.id = r.session_id
  WHERE NOT done OR restoring OR (kind = 'archived' AND s.ended_at IS NULL) ORDER BY r.session_id`
const SELECT_ERASED = `SELECT seq, session_id AS "sessionId", session_seq AS "sessionSeq", type, at,
  encode(prev_hash, 'hex') AS "prevHash", encode(hash, 'hex') AS hash FROM events
  WHERE seq > $1 AND seq <= $2 AND data = '' AND session_id IN (SELECT session_id FROM retired WHERE kind = 'deleted') ORDER BY seq`
