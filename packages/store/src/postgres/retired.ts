import { createHash } from 'node:crypto'
import type { RetiredRow } from '../retired-row.ts'
import type { Query } from './database.ts'

export interface PostgresRetiredRow extends RetiredRow, Record<string, unknown> {
  readonly part: string
}

/** Of these sessions, those that have left. */
export const SELECT_RETIRED = `SELECT session_id AS "sessionId", kind, events, archive, sum, part, done AS "isDone" FROM retired`

/** The SHA-256 of a part's blocks, one after another; undefined where there are none. */
export async function sumOf(query: Query, part: string, step: () => Promise<unknown>): Promise<string | undefined> {
  const hash = createHash('sha256')
  for (let after = 0; ; ) {
    const [block] = await query<{ first: number; bytes: Buffer }>(SELECT_NEXT_BLOCK, [part, after])
    if (!block) return after === 0 ? undefined : hash.digest('hex')
    hash.update(block.bytes)
    after = block.first
    await step()
  }
}

const SELECT_NEXT_BLOCK =
  'SELECT first, bytes FROM archive_blocks WHERE part = $1 AND first > $2 ORDER BY first LIMIT 1'
