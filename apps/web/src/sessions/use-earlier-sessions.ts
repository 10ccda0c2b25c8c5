import type { EndedSessionsQuery } from '@holdpoint/client/gateway-client'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Session } from '@holdpoint/schema/session'
import { type PageResult, usePages } from '../parts/use-pages.ts'
import { settle } from '../parts/use-remote.ts'

/** Number of ended sessions in a snapshot; earlier ones are read on demand. */
export const NAMED = 200
/** Before the first page. */
const START = ''
/** Pages without anything new that are read at one press: twenty thousand sessions of a search. */
const READ_AT_ONCE = 20

/** The sessions that ended so long ago that they are not in the snapshot, or those of them that a search finds. */
export function useEarlierSessions(query: Omit<EndedSessionsQuery, 'before'>) {
  const client = useClient()
  async function read(from: string, left = READ_AT_ONCE): Promise<PageResult<Session>> {
    const { sessions: known } = client.getState()
    const page = await settle(client.endedSessions({ ...query, ...(from !== START && { before: from }) }))
    if (!page.ok) return page
    const { sessions, nextBefore: next } = page.value
    const entries = sessions.filter(({ id }) => !known.has(id))
    // The first pages hold what is known already. They are skipped, so that one press always shows more.
    const isEmpty = entries.length === 0 && next !== undefined && left > 1
    return isEmpty ? read(next, left - 1) : { ok: true, value: { entries, next } }
  }
  return usePages<Session>({ first: [], next: START, read })
}
