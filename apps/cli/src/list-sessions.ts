import type { CallInput } from '@holdpoint/schema/endpoints/endpoints'
import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import type { Api } from './api.ts'

export async function runningSessions(api: Api): Promise<readonly Session[]> {
  return (await api.call(paths.sessions.list, { query: { state: 'alive' } })).sessions
}

type Narrowed = Pick<NonNullable<CallInput<typeof paths.sessions.list>['query']>, 'search' | 'archived'>

/** Those that have ended, too, however many pages that takes. */
export async function allSessions(api: Api, narrowed: Narrowed = {}): Promise<readonly Session[]> {
  const found: Session[] = []
  for (let before: string | undefined; ; ) {
    const page = await api.call(paths.sessions.list, { query: { ...narrowed, limit: 500, before } })
    found.push(...page.sessions)
    before = page.nextBefore
    if (before === undefined) return found
  }
}
