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
import { type ChainFault, RecordDamaged } from '@holdpoint/core/store'
import { createTurn } from '@holdpoint/core/turns'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { WrittenPart } from './archive-files.ts'
import { type ArchiveBlock, createPartWriter } from './archive-part.ts'
import { type LogRow, readRow, rowHash } from './log-row.ts'
import { refuseBroken, unlessDamaged } from './record-damage.ts'
import { archiveOf, saysRetired } from './retired-row.ts'
import { readSession, type SessionRow } from './session-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { eraseSome } from './sqlite-erasing.ts'
import { selectEventsAt } from './sqlite-events.ts'
import { placesAfter } from './sqlite-places.ts'
import { SELECT_SESSION } from './sqlite-reader.ts'
import { type ArchiveHole, endOfParts, readRetired, SELECT_HOLES, type SqliteRetiredRow } from './sqlite-retired.ts'
import type { SqliteWriter } from './sqlite-writer.ts'

/** Rows that are changed in one commit: it is to hold up nobody. */
const ROWS = 32
/** Places that are looked at to tell how large an event is. */
const SAMPLES = 200

/** How sessions leave a database: their texts move to files beside it, or go. */
export class SqliteRetirement implements Retirement {
  readonly #db: SqliteDatabase
  readonly #writer: SqliteWriter
  readonly #faultOf: (id: SessionId) => Promise<ChainFault | undefined>
  /** Parts that were written here and that the log may come to know. */
  readonly #written = new Map<string, WrittenPart>()
  /** Sessions that are about to go on: nothing is taken from them meanwhile. */
  readonly #restoring = new Set<SessionId>()
  /** A part ends where the next one begins. */
  readonly #inTurn = createTurn()

  constructor(
    db: SqliteDatabase,
    deps: {
      readonly writer: SqliteWriter
      /** What is wrong with a session that has ended. */
      readonly faultOf: (id: SessionId) => Promise<ChainFault | undefined>
    },
  ) {
    this.#db = db
    this.#writer = deps.writer
    this.#faultOf = deps.faultOf
  }

  async list({ before, after, limit }: RetirableQuery) {
    const rows = this.#db.guard(() => {
      const from = after === undefined ? undefined : this.#db.get<SessionRow>(`${SELECT_SESSION} WHERE id = ?`, [after])
      return this.#db.all<SessionRow>(SELECT_RETIRABLE, [before, from?.activityAt ?? -1, from?.id ?? '', limit])
    })
    const sessions = rows.flatMap((row): readonly Retirable[] =>
      unlessDamaged(() => ({ session: readSession(row, undefined), activityAt: row.activityAt, events: row.seq })),
    )
    const last = rows.at(-1)
    return last && rows.length === limit ? { sessions, next: last.id } : { sessions }
  }

  async eventSize(): Promise<number> {
    return this.#db.guard(() => {
      const last = this.#writer.lastSeq()
      const places = Array.from({ length: SAMPLES }, (_, n) => Math.ceil(((n + 1) * last) / SAMPLES))
      return this.#db.get<{ size: number | null }>(AVERAGE, [JSON.stringify(places)])?.size ?? 0
    })
  }

  async write(id: SessionId, options: InSteps = {}): Promise<ArchivedPart | undefined> {
    refuseBroken(await this.#faultOf(id))
    return this.#inTurn(async () => {
      const row = this.#db.guard(() => this.#retirable(id))
      if (!row) return undefined
      const archive = archiveOf(row.activityAt)
      const place = this.#endOf(archive)
      const { seq: events, hash: head } = row
      const header = { session: id, archive, events, head }
      // It is written over what is behind the last part that the log knows.
      this.#forget(archive)
      const part = await this.#db.archives.write(archive, place, this.#blocks(header, options))
      this.#written.set(part.sum, part)
      const { epoch } = readSession(row, undefined)
      return { sessionId: id, epoch, archive, events, head, sum: part.sum, bytes: part.size }
    })
  }

  async release(part: ArchivedPart, options: InSteps = {}): Promise<boolean> {
    return this.#inTurn(async () => {
      const written = this.#written.get(part.sum)
      this.#written.delete(part.sum)
      if (!written) return false
      if (!this.#db.transaction(() => this.#begin(part, written))) {
        await this.#cutTail(part.archive)
        return false
      }
      await this.#release(part.sessionId, options)
      return true
    })
  }

  async restore(id: SessionId, options: InSteps = {}): Promise<boolean> {
    this.#restoring.add(id)
    try {
      const retired = this.#db.guard(() => readRetired(this.#db, id))
      if (retired?.kind !== 'archived') return false
      for (const places of this.#pages(id, retired.events)) {
        this.#db.transaction(() => this.#putBack(id, places))
        await step(options)
      }
      this.#db.transaction(() => this.#letGo(retired))
      await this.#fillHoles()
      return true
    } finally {
      this.#restoring.delete(id)
    }
  }

  async erase(id: SessionId, options: InSteps = {}): Promise<boolean> {
    const isBegun = this.#db.transaction(() => this.#beginErasing(id))
    if (!isBegun) return false
    const events = this.#db.guard(() => readRetired(this.#db, id))?.events ?? 0
    for (const places of this.#pages(id, events)) {
      this.#db.removing(() => this.#db.run(EMPTY, [JSON.stringify(places)]))
      await step(options)
    }
    while (this.#db.removing(() => eraseSome(this.#db, id))) await step(options)
    await this.#fillHoles()
    // It may also have been written without being recorded, in any month.
    await this.#inTurn(async () => {
      for (const archive of this.#db.archives.names()) await this.#cutTail(archive)
    })
    this.#db.transaction(() => this.#db.run(DONE, [id]))
    // What was overwritten is so in the database itself, not in the file before it alone.
    this.#db.guard(() => this.#db.get('PRAGMA wal_checkpoint(RESTART)', []))
    return true
  }

  async unfinished(): Promise<readonly Unfinished[]> {
    await this.#fillHoles()
    return this.#db.guard(() => this.#db.all<Unfinished>(SELECT_UNFINISHED, []))
  }

  async finish({ sessionId, work }: Unfinished, options: InSteps = {}): Promise<void> {
    if (work === 'restore') await this.restore(sessionId, options)
    else if (work === 'erase') await this.erase(sessionId, options)
    else await this.#inTurn(() => this.#release(sessionId, options))
  }

  async erasedRows({ after, to }: { after: number; to: number }): Promise<readonly ErasedRow[]> {
    return this.#db.guard(() => this.#db.all<ErasedRow>(SELECT_ERASED, [after, to]))
  }

  async putErased(rows: readonly ErasedRow[], sessions: ReadonlyMap<SessionId, Session>): Promise<void> {
    this.#writer.putErased(rows, sessions)
  }

  #retirable(id: SessionId): SessionRow | undefined {
    const row = this.#db.get<SessionRow>(`${SELECT_SESSION} WHERE id = ?`, [id])
    return row?.state === 'dead' && !readRetired(this.#db, id) ? row : undefined
  }

  async *#blocks(header: Parameters<typeof createPartWriter>[0], options: InSteps): AsyncGenerator<ArchiveBlock, void> {
    const writer = createPartWriter(header)
    for (const places of this.#pages(header.session, header.events)) {
      for (const row of this.#db.guard(() => this.#rowsAt(header.session, places))) {
        const block = writer.add(row)
        if (block) yield block
      }
      await step(options)
    }
    const last = writer.end()
    if (last) yield last
  }

  /** As they were hashed, or not at all. */
  #rowsAt(id: SessionId, places: readonly number[]): readonly LogRow[] {
    const rows = selectEventsAt(this.#db, places)
    for (const row of rows) readRow(row)
    if (rows.length !== places.length) throw new RecordDamaged(`Events of ${id} are missing.`)
    return rows
  }

  /** Where the first so many events of a session are, some at a time. */
  *#pages(id: SessionId, events: number): Generator<readonly number[], void> {
    for (let left = events, after = 0; left > 0; ) {
      const query = { sessionId: id, after, limit: Math.min(ROWS, left) }
      const places = this.#db.guard(() => placesAfter(this.#db, query))
      after = places.at(-1) ?? 0
      if (places.length === 0) return
      yield places
      left -= places.length
    }
  }

  /** The first event of this kind, if it fits; read back, so that a forged one says nothing. */
  #findEvent(id: SessionId, type: string, fits: (row: LogRow) => boolean): LogRow | undefined {
    for (let after = 0; ; ) {
      const places = placesAfter(this.#db, { sessionId: id, after, limit: 1000 })
      const found = this.#db.all<{ seq: number }>(SELECT_OF_TYPE, [JSON.stringify(places), type])
      for (const row of selectEventsAt(
        this.#db,
        found.map(({ seq }) => seq),
      )) {
        if (row.sessionId === id && fits(row)) return row
      }
      after = places.at(-1) ?? 0
      if (places.length < 1000) return undefined
    }
  }

  #begin({ sessionId, epoch, events, archive, sum }: ArchivedPart, part: WrittenPart): boolean {
    const row = this.#retirable(sessionId)
    if (!row || readSession(row, undefined).epoch !== epoch || this.#restoring.has(sessionId)) return false
    const retired = { kind: 'archived', events, archive, sum } as const
    const isTold = this.#findEvent(sessionId, 'session-retired', (each) => saysRetired(readRow(each).event, retired))
    if (!isTold) return false
    const { place, size, blocks } = part
    this.#db.run(INSERT_RETIRED, [sessionId, 'archived', events, archive, place, size, sum, JSON.stringify(blocks)])
    return true
  }

  async #release(id: SessionId, options: InSteps): Promise<void> {
    const retired = this.#db.guard(() => readRetired(this.#db, id))
    if (retired?.kind !== 'archived') return
    for (const places of this.#pages(id, retired.events)) {
      if (!this.#db.removing(() => this.#releaseSome(id, places))) return
      await step(options)
    }
    this.#db.transaction(() => this.#db.run(DONE, [id]))
  }

  #releaseSome(id: SessionId, places: readonly number[]): boolean {
    const row = this.#db.get<{ state: string }>('SELECT state FROM sessions WHERE id = ?', [id])
    if (row?.state !== 'dead' || this.#restoring.has(id) || readRetired(this.#db, id)?.kind !== 'archived') return false
    this.#db.run(EMPTY, [JSON.stringify(places)])
    return true
  }

  #putBack(id: SessionId, places: readonly number[]): void {
    for (const row of selectEventsAt(this.#db, places)) {
      if (row.sessionId !== id || rowHash(row) !== row.hash) {
        throw new RecordDamaged(
          `Event ${row.seq} of ${id} cannot be put back from the archive: it was changed or is missing.`,
        )
      }
      this.#db.run(FILL_IN, [row.data, row.seq])
    }
  }

  #letGo(retired: SqliteRetiredRow): void {
    this.#db.run('DELETE FROM retired WHERE session_id = ?', [retired.sessionId])
    this.#db.run(INSERT_HOLE, [retired.archive, retired.place, retired.size])
  }

  #beginErasing(id: SessionId): boolean {
    const retired = readRetired(this.#db, id)
    if (retired?.kind === 'deleted') return true
    const told = this.#findEvent(id, 'session-deleted', (row) => readRow(row).event.type === 'session-deleted')
    if (!told) return false
    if (retired) this.#letGo(retired)
    this.#db.run(INSERT_RETIRED, [id, 'deleted', told.sessionSeq - 1, '', 0, 0, '', '[]'])
    return true
  }

  #endOf(archive: string): number {
    return this.#db.guard(() => endOfParts(this.#db, archive))
  }

  /** Removes what is behind the last part that the log knows. Only in turn: no part is being written or recorded then. */
  async #cutTail(archive: string): Promise<void> {
    this.#forget(archive)
    await this.#db.archives.cut(archive, this.#endOf(archive))
  }

  /** Parts of this archive that the log does not know yet are not there any more: they must not be released. */
  #forget(archive: string): void {
    for (const [sum, part] of this.#written) if (part.archive === archive) this.#written.delete(sum)
  }

  async #fillHoles(): Promise<void> {
    const holes = this.#db.guard(() => this.#db.all<ArchiveHole>(`${SELECT_HOLES} WHERE filled = 0`, []))
    for (const hole of holes) {
      await this.#db.archives.fill(hole)
      this.#db.transaction(() => this.#db.run(FILLED, [hole.archive, hole.place]))
    }
  }
}

async function step({ pause = setImmediate, signal }: InSteps): Promise<void> {
  await pause()
  signal?.throwIfAborted()
}

const SELECT_RETIRABLE = `${SELECT_SESSION} WHERE state = 'dead' AND activity_at < ?1 AND (activity_at, id) > (?2, ?3)
  AND NOT EXISTS (SELECT 1 FROM retired WHERE session_id = sessions.id) ORDER BY activity_at, id LIMIT ?4`
const AVERAGE = `SELECT avg(length(data)) AS size FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND data <> ''`
const SELECT_OF_TYPE = `SELECT seq FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND type = ? ORDER BY seq`
const INSERT_RETIRED = `INSERT INTO retired (session_id, kind, events, archive, place, size, sum, blocks)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_HOLE = 'INSERT INTO archive_holes (archive, place, size) VALUES (?, ?, ?)'
const FILLED = 'UPDATE archive_holes SET filled = 1 WHERE archive = ? AND place = ?'
const DONE = 'UPDATE retired SET done = 1 WHERE session_id = ?'
const EMPTY = `UPDATE events SET data = '' WHERE seq IN (SELECT value FROM json_each(?)) AND data <> ''`
const FILL_IN = `UPDATE events SET data = ? WHERE seq = ? AND data = ''`
const SELECT_UNFINISHED = `SELECT r.session_id AS sessionId,
  CASE WHEN kind = 'deleted' THEN 'erase' WHEN s.state = 'dead' THEN 'release' ELSE 'restore' END AS work
  FROM retired r JOIN sessions s ON s.id = r.session_id
  WHERE done = 0 OR (kind = 'archived' AND s.state <> 'dead') ORDER BY r.session_id`
const SELECT_ERASED = `SELECT seq, session_id AS sessionId, session_seq AS sessionSeq, type, at, prev_hash AS prevHash, hash
  FROM events WHERE seq > ? AND seq <= ? AND data = ''
  AND session_id IN (SELECT session_id FROM retired WHERE kind = 'deleted') ORDER BY seq`
