import { LOOKED_THROUGH, type SessionPage, type SessionQuery } from '@holdpoint/core/store'
import type { Session } from '@holdpoint/schema/session'
import { placeOf, type SessionPlace } from './session-place.ts'

/** How many rows have to be read for a page: one more than it looks through tells whether there is another page. */
export function rowsOfPage({ limit, fits }: SessionQuery): number {
  return (fits ? LOOKED_THROUGH : limit) + 1
}

/** A page of ended sessions, of the rows that were read for it. A row that is damaged gives no session. */
export function endedPage<Row extends SessionPlace>(
  rows: readonly Row[],
  query: SessionQuery,
  read: (row: Row) => readonly Session[],
): SessionPage {
  const { limit, fits = () => true } = query
  const most = rowsOfPage(query) - 1
  const sessions: Session[] = []
  let looked = 0
  for (const row of rows.slice(0, most)) {
    if (sessions.length === limit) break
    sessions.push(...read(row).filter(fits))
    looked++
  }
  const last = rows[looked - 1]
  return last && looked < rows.length ? { sessions, nextBefore: placeOf(last) } : { sessions }
}
