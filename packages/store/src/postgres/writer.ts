import type { Append, AppendResult } from '@holdpoint/core/store'
import { StoreFault } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import { encodeAppend } from '../encoded-append.ts'
import type { SessionRow } from '../session-row.ts'
import { type Draft, draftAppends, type KnownHead, type SentAppend } from './append-arrays.ts'
import type { Query } from './database.ts'
import { FORMAT } from './migrations.ts'
import type { NodeLife } from './node-life.ts'
import { SELECT_SESSION } from './rows.ts'

/** How far the time of an event may be from the database's clock: a stopped gateway brings nothing from before it stopped. */
const CLOCK_LIMIT_MS = 2_000
/** A session that is written to elsewhere at the same moment is read again. */
const MAX_READS = 5

interface Reply {
  readonly verdict: string
  readonly reasons: readonly (string | null)[]
  readonly heads: readonly number[]
  readonly places: readonly (string | number | null)[]
}

/** Appends. One at a time: the log has one writer at a moment anyway, and what waits here shares the next commit. */
export class PostgresWriter {
  readonly #life: NodeLife
  readonly #clockLimit: number | null
  /** Heads of sessions that were written to and are alive, so that an append reads nothing first. */
  readonly #heads = new Map<SessionId, KnownHead>()
  #lives = 0

  constructor(life: NodeLife, { checkTimes }: { readonly checkTimes: boolean }) {
    this.#life = life
    this.#clockLimit = checkTimes ? CLOCK_LIMIT_MS : null
  }

  async append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    const encoded = appends.map(encodeAppend)
    if (encoded.length === 0) return []
    for (let reads = 0; reads < MAX_READS; reads++) {
      const read = await this.#readHeads(appends, reads > 0)
      const draft = draftAppends(encoded, (id) => read.get(id) ?? this.#heads.get(id))
      if (draft.sent.length === 0) return draft.results.map(present)
      const outcome = await this.#life.commit<Reply & { [column: string]: unknown }, readonly AppendResult[]>(
        { text: APPEND, values: [FORMAT, this.#clockLimit, ...draft.values] },
        (query) => this.#lookFor(draft, query),
      )
      if ('found' in outcome) {
        this.#forget(appends)
        return outcome.found
      }
      if (outcome.row.verdict === 'ok') {
        // What was committed is so, also where the clock cannot be read just now.
        if (outcome.row.reasons.includes('clock')) await this.#life.readClock().catch(() => {})
        return this.#results(draft, outcome.row)
      }
      this.#forget(appends)
    }
    throw new StoreFault(
      'busy',
      'The sessions are being written to by other gateways all the time. Nothing was written.',
    )
  }

  /**
   * Where the sessions stand, for those that are not known to stand where they are expected. One that is expected to be new
   * is believed, unless `all` are to be read: if it is not, the log says so.
   */
  async #readHeads(appends: readonly Append[], all: boolean): Promise<ReadonlyMap<SessionId, KnownHead>> {
    await this.#life.begin()
    if (this.#lives !== this.#life.lives) {
      this.#lives = this.#life.lives
      this.#heads.clear()
    }
    const first = new Map<SessionId, number>()
    for (const { sessionId, expectedSeq } of appends) {
      if (!first.has(sessionId)) first.set(sessionId, expectedSeq)
    }
    const unknown = [...first].filter(([id, seq]) => all || (this.#heads.get(id)?.seq ?? 0) !== seq).map(([id]) => id)
    if (unknown.length === 0) return new Map()
    for (const id of unknown) this.#heads.delete(id)
    const rows = await this.#life.read((query) => query<SessionRow & Record<string, unknown>>(SELECT_HEADS, [unknown]))
    return new Map(rows.map((row) => [row.id, row]))
  }

  #results({ sent, results }: Draft, { reasons, heads, places }: Reply): readonly AppendResult[] {
    const all = [...results]
    let from = 0
    for (const [n, each] of sent.entries()) {
      const { sessionId } = each.append
      const reason = reasons[n]
      if (reason === null) {
        all[each.index] = { ok: true, stored: storedAt(each, places.slice(from, from + each.rows.length).map(Number)) }
        if (each.head.state === 'dead') this.#heads.delete(sessionId)
        else this.#heads.set(sessionId, each.head)
      } else {
        this.#heads.delete(sessionId)
        const because = reason === 'authority' || reason === 'clock' ? { because: reason } : {}
        all[each.index] = { ok: false, seq: heads[n] ?? 0, ...because } as AppendResult
      }
      from += each.rows.length
    }
    return all.map(present)
  }

  /** In a life after the one that sent it: what is there of it, or undefined if none of it is. */
  async #lookFor({ sent, results }: Draft, query: Query): Promise<readonly AppendResult[] | undefined> {
    const rows = sent.flatMap(({ append, rows }) => rows.map((row) => ({ id: append.sessionId, ...row })))
    const found = await query<{ place: string; seq: number }>(FIND_EVENTS, [
      rows.map(({ id }) => id),
      rows.map(({ sessionSeq }) => sessionSeq),
      rows.map(({ hash }) => hash),
    ])
    const heads = await query<{ id: string; seq: number; sum: string }>(SELECT_HEADS, [
      sent.map(({ append }) => append.sessionId),
    ])
    const places = new Map(found.map(({ place, seq }) => [place, seq]))
    const current = new Map(heads.map((head) => [head.id, head]))
    let isThere = false
    const all = [...results]
    for (const each of sent) {
      const { sessionId } = each.append
      const names = each.rows.map(({ sessionSeq }) => `${sessionId} ${sessionSeq}`)
      const seqs = names.flatMap((name) => places.get(name) ?? [])
      const head = current.get(sessionId)
      const isOurs = names.length > 0 ? seqs.length === names.length : head?.sum === each.head.sum
      // One place holds one append's event, also where two of them were the same.
      for (const name of names) places.delete(name)
      isThere ||= isOurs
      all[each.index] = isOurs ? { ok: true, stored: storedAt(each, seqs) } : { ok: false, seq: head?.seq ?? 0 }
    }
    return isThere ? all.map(present) : undefined
  }

  #forget(appends: readonly Append[]): void {
    for (const { sessionId } of appends) this.#heads.delete(sessionId)
  }
}

function storedAt({ rows }: SentAppend, places: readonly number[]): readonly Stored[] {
  return rows.map((row, n) => ({ seq: places[n] ?? 0, ...row }))
}

function present(result: AppendResult | undefined): AppendResult {
  if (!result) throw new Error('each append has a result')
  return result
}

const TYPES = [
  ...['bigint', 'int', 'bigint', 'boolean'],
  ...['text[]', 'int[]', 'text[]', 'boolean[]', 'bigint[]', 'int[]', 'int[]', 'int[]', 'text[]', 'bigint[]'],
  ...['bigint[]', 'text[]', 'text[]', 'text[]', 'text[]', 'text[]'],
  ...['int[]', 'int[]', 'text[]', 'bigint[]', 'text[]', 'text[]', 'text[]'],
  ...['int[]', 'text[]', 'text[]', 'int[]', 'text[]', 'text[]', 'text[]'],
]
const APPEND = `SELECT verdict, reasons, heads, places FROM append($1, ${TYPES.map((type, n) => `$${n + 2}::${type}`).join(', ')})`
const SELECT_HEADS = `${SELECT_SESSION} WHERE id = ANY($1::text[])`
const FIND_EVENTS = `SELECT e.session_id || ' ' || e.session_seq AS place, e.seq
  FROM unnest($1::text[], $2::int[], $3::text[]) AS sought(id, seq, hash)
  JOIN events e ON e.session_id = sought.id AND e.session_seq = sought.seq AND e.hash = decode(sought.hash, 'hex')`
