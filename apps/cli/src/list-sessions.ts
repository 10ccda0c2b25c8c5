import type { Session } from '@holdpoint/schema/session'
import type { Api } from './api.ts'

interface Page {
  readonly sessions: readonly Session[]
  readonly nextBefore?: string
}

export async function runningSessions(api: Api): Promise<readonly Session[]> {
  return (await api.call<Page>('GET', '/api/sessions?state=alive')).sessions
}

/** Those that have ended, too, however many pages that takes. */
export async function allSessions(api: Api): Promise<readonly Session[]> {
  const found: Session[] = []
  for (let page = await api.call<Page>('GET', '/api/sessions?limit=500'); ; ) {
    found.push(...page.sessions)
    if (page.nextBefore === undefined) return found
    page = await api.call<Page>('GET', `/api/sessions?limit=500&before=${encodeURIComponent(page.nextBefore)}`)
  }
}
