import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import type { Api } from './api.ts'

export async function runningSessions(api: Api): Promise<readonly Session[]> {
  return (await api.call(paths.sessions.list, { query: { state: 'alive' } })).sessions
}

/** Those that have ended, too, however many pages that takes. */
export async function allSessions(api: Api): Promise<readonly Session[]> {
  const found: Session[] = []
  for (let before: string | undefined; ; ) {
    const page = await api.call(paths.sessions.list, { query: { limit: 500, before } })
    found.push(...page.sessions)
    before = page.nextBefore
    if (before === undefined) return found
  }
}
