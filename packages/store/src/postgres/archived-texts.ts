import type pg from 'pg'
import { readBlock } from '../archive-part.ts'
import { KeptTexts } from '../kept-texts.ts'
import type { Query } from './database.ts'

/** The columns of an event in a row, by what is before their names. */
const PREFIXES = ['', 'r_', 's_', 'e_'] as const

interface Missing {
  readonly id: string
  readonly n: number
  readonly put: (text: string) => void
}

interface Place extends pg.QueryResultRow {
  readonly id: string
  readonly n: number
  readonly part: string
  readonly first: number
}

/** Gives each event that is read the text that has left the log for an archive. Parts never change. */
export class ArchivedTexts {
  readonly #kept = new KeptTexts()

  /** The same statements, whose rows have the texts. Where one is nowhere, the row stays empty, and does not match its hash. */
  within(query: Query): Query {
    return async <Row extends pg.QueryResultRow>(text: string, values?: Parameters<Query>[1]) => {
      const rows = (await query<Row>(text, values)).slice()
      const missing: Missing[] = []
      for (const [index, row] of rows.entries()) {
        for (const prefix of PREFIXES) {
          if (row[`${prefix}data`] !== '' || typeof row[`${prefix}sessionSeq`] !== 'number') continue
          missing.push({
            id: String(row[`${prefix}sessionId`]),
            n: Number(row[`${prefix}sessionSeq`]),
            put: (data) => {
              rows[index] = { ...(rows[index] ?? row), [`${prefix}data`]: data }
            },
          })
        }
      }
      if (missing.length > 0) await this.#fill(query, missing)
      return rows
    }
  }

  async #fill(query: Query, missing: readonly Missing[]): Promise<void> {
    const places = new Map<string, Place>()
    for (const row of await query<Place>(SELECT_PLACES, [missing.map(({ id }) => id), missing.map(({ n }) => n)])) {
      places.set(`${row.id} ${row.n}`, row)
    }
    const back: Missing[] = []
    for (const each of missing) {
      const place = places.get(`${each.id} ${each.n}`)
      const text = place && (await this.#block(query, place)).get(each.n)
      if (text === undefined) back.push(each)
      else each.put(text)
    }
    if (back.length === 0) return
    // It may have been put back into the log since the row was read.
    const rows = await query<{ id: string; n: number; text: string }>(SELECT_BACK, [
      back.map(({ id }) => id),
      back.map(({ n }) => n),
    ])
    for (const { id, n, text } of rows) back.find((each) => each.id === id && each.n === n)?.put(text)
  }

  async #block(query: Query, { part, first }: Place): Promise<ReadonlyMap<number, string>> {
    const key = `${part} ${first}`
    const known = this.#kept.get(key)
    if (known) return known
    const [row] = await query<{ bytes: Buffer }>(SELECT_BYTES, [part, first])
    const texts = (row && readBlock(row.bytes)) ?? new Map<number, string>()
    if (texts.size > 0) this.#kept.put(key, texts)
    return texts
  }
}

const SELECT_PLACES = `SELECT q.id, q.n, r.part, b.first FROM unnest($1::text[], $2::int[]) q(id, n)
  JOIN retired r ON r.session_id = q.id AND r.kind = 'archived'
  JOIN LATERAL (SELECT first FROM archive_blocks WHERE part = r.part AND first <= q.n ORDER BY first DESC LIMIT 1) b ON true`
const SELECT_BACK = `SELECT q.id, q.n, e.data AS text FROM unnest($1::text[], $2::int[]) q(id, n)
  JOIN events e ON e.session_id = q.id AND e.session_seq = q.n WHERE e.data <> ''`
const SELECT_BYTES = 'SELECT bytes FROM archive_blocks WHERE part = $1 AND first = $2'
