import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { findByAbbreviation } from './abbreviation.ts'
import type { Api } from './api.ts'
import { CliError } from './cli-error.ts'
import { allSessions } from './list-sessions.ts'
import { terminalText } from './terminal-text.ts'

/** All that are open, however many pages that takes, without what is large in them. */
export async function openAsks(api: Api, sessionId?: string): Promise<Ask[]> {
  const found: Ask[] = []
  for (let next: string | undefined; ; ) {
    const query = new URLSearchParams({
      ...(sessionId !== undefined && { sessionId }),
      ...(next !== undefined && { next }),
    })
    const page = await api.call<{ asks: Ask[]; next?: string }>('GET', `/api/asks?${query}`)
    found.push(...page.asks)
    next = page.next
    if (next === undefined) return found
  }
}

/** The ask that a person names: an open one, or one that was settled before they were done typing. */
export async function findAsk(api: Api, given: string): Promise<Ask> {
  const lists = [
    () => openAsks(api),
    async () => (await api.call<{ asks: Ask[] }>('GET', '/api/asks?status=settled')).asks,
  ]
  for (const list of lists) {
    const found = findByAbbreviation(await list(), given)
    // A list leaves out what is large; one ask by its id is whole.
    if (found) return api.call<Ask>('GET', `/api/asks/${found.id}`)
  }
  throw new CliError(
    `There is no ask "${terminalText(given)}", or it is not yours to see. "holdpoint asks" lists the open ones.`,
  )
}

export async function findSession(api: Api, given: string): Promise<Session> {
  const found = findByAbbreviation(await allSessions(api), given)
  if (found) return found
  throw new CliError(
    `There is no session "${terminalText(given)}", or it is not yours to see. "holdpoint sessions" lists them.`,
  )
}
