import { personDecision } from '@holdpoint/core/history'
import type { PastCalls } from '@holdpoint/core/policy/dry-run'
import { type KeptCall, PARTS_VERSION } from '@holdpoint/core/policy/kept-call'
import type { AllowedCalls } from '@holdpoint/core/policy/suggestions'
import { type AskRecord, type PastCallQuery, RecordDamaged } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { sha256 } from '../log-row.ts'
import type { PostgresDatabase, SqlParameter } from './database.ts'
import { plain, type SettledRow } from './history.ts'
import type { PostgresReader } from './reader.ts'

const ADDED_AT_ONCE = 150
/** Texts that are read in one go, and places of the log whose asks are. */
const CALLS_AT_ONCE = 2000
const PLACES_AT_ONCE = 20_000
/** Calls of one stem that a rule is tried on. */
const CALLS_OF_STEM = 50

type Step = () => Promise<unknown>

/** The parts of past calls, each once. */
export class PostgresPastCalls {
  readonly #db: PostgresDatabase
  readonly #reader: PostgresReader
  #isChecked = false

  constructor(db: PostgresDatabase, reader: PostgresReader) {
    this.#db = db
    this.#reader = reader
  }

  /** Adds the calls of the next asks. False when there are no more. Another gateway may add the same ones: one row stays. */
  async add(take: (ask: Ask) => KeptCall | undefined): Promise<boolean> {
    await this.#dropOlder()
    const due = await this.#db.query<SettledRow>(SELECT_DUE, [ADDED_AT_ONCE])
    if (due.length === 0) return false
    const texts = new Map<string, string>()
    const rows: SqlParameter[][] = []
    for (const row of due) {
      const { ask, outcome, session } = await this.#read(row)
      const kept = ask?.kind === 'approval' ? take(ask) : undefined
      const hash = kept ? sha256(kept.text) : null
      if (kept && hash !== null) texts.set(hash, JSON.stringify(kept.text))
      rows.push([
        row.settledSeq,
        PARTS_VERSION,
        row.id,
        row.sessionId,
        JSON.stringify(session?.cwd ?? ''),
        session?.trusted ?? false,
        outcome?.at ?? 0,
        (outcome && personDecision(outcome)) ?? '',
        plain(kept?.about ?? ''),
        kept?.stem === undefined ? null : JSON.stringify(kept.stem),
        hash,
      ])
    }
    const columns = Array.from({ length: COLUMNS }, (_, n) => rows.map((row) => row[n] as string | number | null))
    // In one order, so that two gateways that add the same texts do not wait for each other.
    const hashes = [...texts.keys()].sort()
    await this.#db.change(async (query) => {
      await query(INSERT_TEXTS, [hashes, hashes.map((hash) => texts.get(hash) ?? '')])
      await query(INSERT, columns)
    })
    return due.length === ADDED_AT_ONCE
  }

  /** A call may come several times. */
  async past({ from, about }: PastCallQuery, step: Step): Promise<readonly PastCalls[]> {
    const [last] = await this.#db.query<{ seq: number }>('SELECT coalesce(max(settled_seq), 0) AS seq FROM past_calls')
    const newest = last?.seq ?? 0
    const rows: PastRow[] = []
    for (let after = 0; after < newest; after += PLACES_AT_ONCE) {
      const values = [from, about === undefined ? null : plain(about), after, after + PLACES_AT_ONCE]
      rows.push(...(await this.#db.query<PastRow>(SELECT_PAST, values)))
      await step()
    }
    const texts = await this.#texts([...new Set(rows.map(({ hash }) => hash))], step)
    return rows.flatMap(({ hash, project, ...row }) => {
      const call = texts.get(hash)
      return call === undefined ? [] : [{ ...row, call, project: JSON.parse(project) as string }]
    })
  }

  async allowed({ min }: { min: number }, step: Step): Promise<readonly AllowedCalls[]> {
    const rows = [
      ...(await this.#db.query<AllowedRow>(SELECT_ALLOWED_CALLS, [min])),
      ...(await this.#db.query<AllowedRow>(SELECT_ALLOWED_STEMS, [min])),
    ]
    const hashesOf = ({ hashes }: AllowedRow) => hashes.slice(0, CALLS_OF_STEM)
    const texts = await this.#texts([...new Set(rows.flatMap(hashesOf))], step)
    return rows.map(({ project, stem, trusted, allowed, latest, ...row }) => ({
      project: JSON.parse(project) as string,
      stem: stem === null ? undefined : (JSON.parse(stem) as string),
      calls: hashesOf({ project, stem, trusted, allowed, latest, ...row }).flatMap((hash) => texts.get(hash) ?? []),
      trusted,
      allowed,
      latest,
    }))
  }

  async #texts(hashes: readonly string[], step: Step): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>()
    for (let at = 0; at < hashes.length; at += CALLS_AT_ONCE) {
      const rows = await this.#db.query<{ hash: string; text: string }>(SELECT_TEXTS, [
        hashes.slice(at, at + CALLS_AT_ONCE),
      ])
      for (const { hash, text } of rows) texts.set(hash, JSON.parse(text) as string)
      await step()
    }
    return texts
  }

  async #read({ id, sessionId }: SettledRow): Promise<Partial<AskRecord> & { session?: Session }> {
    try {
      const session = await this.#reader.session(sessionId)
      return { ...(await this.#reader.ask(id)), ...(session && { session }) }
    } catch (error) {
      if (error instanceof RecordDamaged) return {}
      throw error
    }
  }

  /** What an older gateway has taken apart is taken apart again, with all that follows it: there are no gaps. */
  async #dropOlder(): Promise<void> {
    if (this.#isChecked) return
    await this.#db.change((query) => query(DROP_OLDER, [PARTS_VERSION]))
    this.#isChecked = true
  }
}

interface PastRow extends Record<string, unknown> {
  readonly hash: string
  readonly project: string
  readonly sessionId: SessionId
  readonly trusted: boolean
  readonly asks: number
  readonly allowed: number
  readonly denied: readonly AskId[]
}

interface AllowedRow extends Record<string, unknown> {
  readonly project: string
  readonly stem: string | null
  readonly hashes: readonly string[]
  readonly trusted: boolean
  readonly allowed: number
  readonly latest: AskId
}

const COLUMNS = 11
const DROP_OLDER = `DELETE FROM past_calls WHERE settled_seq >= (SELECT min(settled_seq) FROM past_calls WHERE version < $1)`
const SELECT_DUE = `SELECT id, session_id AS "sessionId", settled_seq AS "settledSeq" FROM asks
  WHERE settled_seq > (SELECT coalesce(max(settled_seq), 0) FROM past_calls) ORDER BY settled_seq LIMIT $1`
const INSERT_TEXTS = `INSERT INTO kept_calls (hash, text)
  SELECT decode(hash, 'hex'), text FROM unnest($1::text[], $2::text[]) AS call(hash, text) ON CONFLICT DO NOTHING`
const INSERT = `INSERT INTO past_calls
  (settled_seq, version, ask_id, session_id, project, trusted, at, decision, about, stem, call)
  SELECT seq, version, ask, session, project, trusted, at, decision, about, stem, decode(call, 'hex')
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::text[], $9::text[],
    $10::text[], $11::text[]) AS row(seq, version, ask, session, project, trusted, at, decision, about, stem, call)
  ORDER BY seq ON CONFLICT DO NOTHING`
const SELECT_PAST = `SELECT encode(call, 'hex') AS hash, session_id AS "sessionId", project, bool_or(trusted) AS trusted,
  count(*)::int AS asks, (count(*) FILTER (WHERE decision = 'allowed'))::int AS allowed,
  coalesce(array_agg(ask_id ORDER BY settled_seq) FILTER (WHERE decision = 'denied'), '{}') AS denied
  FROM past_calls WHERE settled_seq > $3 AND settled_seq <= $4 AND at >= $1
  AND call IS NOT NULL AND ($2::text IS NULL OR strpos(about, $2) > 0)
  GROUP BY call, session_id, project`
/** What people decided, by call. */
const DECIDED = `FROM past_calls WHERE decision <> '' AND stem IS NOT NULL`
const SELECT_ALLOWED_CALLS = `SELECT project, NULL AS stem, ARRAY[encode(call, 'hex')] AS hashes, bool_or(trusted) AS trusted,
  count(*)::int AS allowed, (array_agg(ask_id ORDER BY settled_seq DESC))[1] AS latest
  ${DECIDED} GROUP BY project, call HAVING count(*) >= $1 AND bool_and(decision = 'allowed') ORDER BY project, min(settled_seq)`
const SELECT_ALLOWED_STEMS = `SELECT project, stem, array_agg(encode(call, 'hex') ORDER BY first) AS hashes,
  bool_or(trusted) AS trusted, sum(asks)::int AS allowed, (array_agg(latest ORDER BY last DESC))[1] AS latest
  FROM (SELECT project, stem, call, bool_or(trusted) AS trusted, count(*) AS asks, bool_and(decision = 'allowed') AS is_allowed,
    (array_agg(ask_id ORDER BY settled_seq DESC))[1] AS latest, max(settled_seq) AS last, min(settled_seq) AS first
    ${DECIDED} GROUP BY project, stem, call) AS decided
  GROUP BY project, stem HAVING sum(asks) >= $1 AND bool_and(is_allowed) AND count(*) > 1 ORDER BY project, min(first)`
const SELECT_TEXTS = `SELECT encode(hash, 'hex') AS hash, text FROM kept_calls
  WHERE hash IN (SELECT decode(sought, 'hex') FROM unnest($1::text[]) AS sought)`
