import type { ErasedRow } from '@holdpoint/core/retirement'
import { isChanged } from '@holdpoint/core/session-view'
import { type Append, type AppendResult, StoreFault } from '@holdpoint/core/store'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { type EncodedAppend, encodeAppend } from './encoded-append.ts'
import { FIRST_HASH, rowHash } from './log-row.ts'
import { activityAfter, isOfRetirement } from './retired-row.ts'
import { type SessionHead, type SessionRow, sessionSum } from './session-row.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { isRefusedByTable, RefusedByTable } from './sqlite-error.ts'
import { BLOCK, INSERT_PLACES, readRecent } from './sqlite-places.ts'
import { COUNT_USAGE, usageValues } from './sqlite-usage.ts'

interface SqliteHead extends SessionHead {
  /** Places of the newest events, those that are not yet in `places`. */
  readonly recent: string
}

/** `recent` is not in the sum: what it says is checked against the log itself. */
export interface SqliteSessionRow extends SqliteHead, SessionRow {}

/** What a transaction has written so far. It becomes what the writer knows only when the commit has succeeded. */
interface Draft {
  seq: number
  readonly heads: Map<SessionId, SqliteHead>
}

export class SqliteWriter {
  readonly #db: SqliteDatabase
  /** Heads of sessions that were written to and are alive, so that an append reads nothing. */
  readonly #heads = new Map<SessionId, SqliteHead>()
  #lastSeq: number | undefined
  #connections = 0

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  append(appends: readonly Append[]): readonly AppendResult[] {
    const encoded = appends.map(encodeAppend)
    try {
      return this.#commit(encoded, (append, draft) => this.#write(append, draft))
    } catch (error) {
      if (!isRefusedByTable(error)) throw error
    }
    // Rare: one append ran into a row that is already there. Once more, with each append on its own.
    return this.#commit(encoded, (append, draft) => this.#writeGuarded(append, draft))
  }

  /** Events whose text is gone, with the hashes that they had, at the end of the log. For a copy of it. */
  putErased(rows: readonly ErasedRow[], sessions: ReadonlyMap<SessionId, Session>): void {
    this.#db.transaction(() => {
      let last = this.#readLastSeq()
      for (const row of rows) {
        const { sessionId, sessionSeq } = row
        const known = this.#db.get<SqliteHead>(SELECT_HEAD, [sessionId])
        const session = sessions.get(sessionId)
        const isNext = row.seq === last + 1 && sessionSeq === (known?.seq ?? 0) + 1
        if (!isNext || !session || row.prevHash !== (known?.hash ?? FIRST_HASH)) {
          throw new StoreFault('io', `Event ${row.seq} of ${sessionId} does not go on from what is there.`)
        }
        this.#db.run(INSERT_EVENT, [row.seq, sessionId, sessionSeq, row.type, row.at, row.prevHash, row.hash, ''])
        const recent = this.#place(sessionId, readRecent(known?.recent ?? ''), row.seq)
        this.#writeSession(sessionId, JSON.stringify(session), known, {
          seq: sessionSeq,
          hash: row.hash,
          checkpoint: 0,
          activityAt: isOfRetirement(row) ? (known?.activityAt ?? session.startedAt) : row.at,
          state: session.state,
          recent: recent.join(' '),
        })
        last = row.seq
      }
    })
    this.#lastSeq = undefined
    this.#heads.clear()
  }

  lastSeq(): number {
    return this.#db.guard(() => this.#readLastSeq())
  }

  #commit(
    encoded: readonly EncodedAppend[],
    write: (append: EncodedAppend, draft: Draft) => AppendResult,
  ): readonly AppendResult[] {
    const heads = new Map<SessionId, SqliteHead>()
    const { results, draft } = this.#db.transaction(() => {
      const draft = { seq: this.#readLastSeq(), heads }
      return { results: encoded.map((append) => write(append, draft)), draft }
    })
    this.#lastSeq = draft.seq
    for (const [id, head] of heads) this.#heads.set(id, head)
    for (const { append } of encoded) if (append.session.state === 'dead') this.#heads.delete(append.sessionId)
    return results
  }

  #write({ append, events, session }: EncodedAppend, draft: Draft): AppendResult {
    const { sessionId } = append
    const known = draft.heads.get(sessionId) ?? this.#readHead(sessionId)
    if ((known?.seq ?? 0) !== append.expectedSeq) return { ok: false, seq: known?.seq ?? 0 }
    let seq = draft.seq
    let sessionSeq = append.expectedSeq
    let hash = known?.hash ?? FIRST_HASH
    let recent = readRecent(known?.recent ?? '')
    const stored: Stored[] = []
    for (const [index, event] of append.events.entries()) {
      const { type, at } = event
      const row = { sessionId, sessionSeq: ++sessionSeq, type, data: events[index] as string, at, prevHash: hash }
      hash = rowHash(row)
      this.#db.run(INSERT_EVENT, [++seq, sessionId, sessionSeq, type, at, row.prevHash, hash, row.data])
      this.#index(event, seq)
      recent = this.#place(sessionId, recent, seq)
      stored.push({ seq, sessionSeq, hash, event })
    }
    const head = {
      seq: sessionSeq,
      hash,
      checkpoint: append.checkpoint ?? known?.checkpoint ?? 0,
      activityAt: activityAfter(append.events, known?.activityAt ?? append.session.startedAt),
      state: append.session.state,
      recent: recent.join(' '),
    }
    this.#writeSession(sessionId, session, known, head)
    draft.seq = seq
    draft.heads.set(sessionId, head)
    return { ok: true, stored }
  }

  /** The places of its newest events, with this one. */
  #place(id: SessionId, recent: number[], seq: number): number[] {
    recent.push(seq)
    if (recent.length < BLOCK) return recent
    this.#db.run(INSERT_PLACES, [id, seq, recent.join(' ')])
    return []
  }

  #writeSession(id: SessionId, data: string, known: SqliteHead | undefined, head: SqliteHead): void {
    const sum = sessionSum({ id, ...head, data })
    const values = [head.seq, head.hash, head.checkpoint, head.activityAt, data, sum, head.recent, id]
    if (!known) this.#db.run(INSERT_SESSION, [...values, head.state])
    else this.#db.run(UPDATE_SESSION, values)
    // Named only when it changes: an index hangs on it.
    if (known && known.state !== head.state) this.#db.run(UPDATE_STATE, [head.state, id])
  }

  #writeGuarded(encoded: EncodedAppend, draft: Draft): AppendResult {
    this.#db.run('SAVEPOINT one', [])
    let result: AppendResult
    try {
      result = this.#write(encoded, draft)
    } catch (error) {
      if (!isRefusedByTable(error)) throw error
      this.#db.run('ROLLBACK TO one', [])
      result = { ok: false, seq: encoded.append.expectedSeq }
    }
    this.#db.run('RELEASE one', [])
    return result
  }

  #index(event: DurableEvent, seq: number): void {
    const { sessionId } = event
    switch (event.type) {
      case 'ask-raised': {
        const { id, epoch, requestId, toolUseId } = event.ask
        const toolUse = toolUseId === undefined ? null : JSON.stringify(toolUseId)
        this.#changeOne(INSERT_ASK, [id, sessionId, epoch, JSON.stringify(requestId), toolUse, seq])
        break
      }
      case 'ask-settled':
        this.#changeOne(SETTLE_ASK, [seq, event.askId, sessionId])
        if (isChanged(event.outcome)) this.#changeOne(MAKE_ROOM, [seq, event.askId])
        break
      case 'ask-delivered':
        this.#changeOne(DELIVER_ASK, [seq, event.askId, sessionId])
        break
      case 'item-added': {
        const status = (event.item.type === 'message' && event.item.status) || null
        this.#changeOne(INSERT_ITEM, [sessionId, seq, event.item.id, status, seq])
        break
      }
      case 'item-changed':
        this.#changeOne(CHANGE_ITEM, [event.changes.status, seq, sessionId, event.itemId])
        break
      case 'rule-added':
        this.#changeOne(INSERT_RULE, [sessionId, event.rule.id, seq])
        break
      case 'rule-removed':
        this.#changeOne(REMOVE_RULE, [seq, sessionId, event.ruleId])
        break
      case 'usage-reported':
        this.#db.run(COUNT_USAGE, usageValues(event))
        break
    }
  }

  #changeOne(sql: string, values: readonly SqlValue[]): void {
    if (this.#db.run(sql, values) !== 1) throw new RefusedByTable('there is no row to change')
  }

  #readHead(id: SessionId): SqliteHead | undefined {
    return this.#heads.get(id) ?? this.#db.get<SqliteHead>(SELECT_HEAD, [id])
  }

  #readLastSeq(): number {
    // A commit whose flush failed may have reached the file after all: a new connection shows it.
    if (this.#connections !== this.#db.connections) {
      this.#connections = this.#db.connections
      this.#heads.clear()
      this.#lastSeq = undefined
    }
    this.#lastSeq ??= this.#db.get<{ seq: number }>('SELECT max(seq) AS seq FROM events', [])?.seq ?? 0
    return this.#lastSeq
  }
}

const INSERT_EVENT = `INSERT INTO events (seq, session_id, session_seq, type, at, prev_hash, hash, data)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_SESSION = `INSERT INTO sessions (seq, hash, checkpoint, activity_at, data, sum, recent, id, state)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const UPDATE_SESSION = `UPDATE sessions
  SET seq = ?, hash = ?, checkpoint = ?, activity_at = ?, data = ?, sum = ?, recent = ? WHERE id = ?`
const UPDATE_STATE = 'UPDATE sessions SET state = ? WHERE id = ?'
const SELECT_HEAD = `SELECT seq, hash, checkpoint, activity_at AS activityAt, state, recent
  FROM sessions WHERE id = ?`
const INSERT_ASK = `INSERT INTO asks (id, session_id, epoch, request_id, tool_use_id, raised_seq)
  VALUES (?, ?, ?, ?, ?, ?)`
const SETTLE_ASK = 'UPDATE asks SET settled_seq = ? WHERE id = ? AND session_id = ? AND settled_seq IS NULL'
const MAKE_ROOM = 'UPDATE asks SET changed_seq = ? WHERE id = ?'
const DELIVER_ASK = `UPDATE asks SET delivered_seq = coalesce(delivered_seq, ?)
  WHERE id = ? AND session_id = ? AND settled_seq IS NOT NULL`
const INSERT_ITEM = 'INSERT INTO items (session_id, seq, id, status, status_seq) VALUES (?, ?, ?, ?, ?)'
const CHANGE_ITEM = 'UPDATE items SET status = ?, status_seq = ? WHERE session_id = ? AND id = ?'
const INSERT_RULE = 'INSERT INTO rules (session_id, id, added_seq) VALUES (?, ?, ?)'
const REMOVE_RULE = `UPDATE rules SET removed_seq = ? WHERE session_id = ? AND id = ? AND removed_seq IS NULL`
