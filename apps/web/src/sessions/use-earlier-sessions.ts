import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Session } from '@holdpoint/schema/session'
import { type PageResult, usePages } from '../parts/use-pages.ts'
import { settle } from '../parts/use-remote.ts'

/** Number of ended sessions in a snapshot; earlier ones are read on demand. */
export const NAMED = 200
/** Before the first page. */
const START = ''

export type EarlierSessions = ReturnType<typeof useEarlierSessions>

/** The sessions that ended so long ago that they are not in the snapshot. */
export function useEarlierSessions() {
  const client = useClient()
  async function read(from: string): Promise<PageResult<Session>> {
    const { sessions: known } = client.getState()
    const page = await settle(client.endedSessions({ ...(from !== START && { before: from }) }))
    if (!page.ok) return page
    const { sessions, nextBefore: next } = page.value
    const entries = sessions.filter(({ id }) => !known.has(id))
    // The first pages hold what is known already. They are skipped, so that one press always shows more.
    return entries.length === 0 && next !== undefined ? read(next) : { ok: true, value: { entries, next } }
  }
  return usePages<Session>({ first: [], next: START, read })
}
