import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { findByAbbreviation } from './abbreviation.ts'
import type { Api } from './api.ts'
import { CliError } from './cli-error.ts'
import { allSessions } from './list-sessions.ts'
import { terminalText } from './terminal-text.ts'

/** Of the settled ones, those that somebody may just have been looking at. */
const RECENT = 1000

/** All that are open, however many pages that takes, without what is large in them. */
export function openAsks(api: Api, sessionId?: string): Promise<Ask[]> {
  return listAsks(api, sessionId === undefined ? {} : { sessionId }, Number.POSITIVE_INFINITY)
}

/** Page by page: how many are in one depends on how large they are. */
async function listAsks(api: Api, which: Record<string, string>, enough: number): Promise<Ask[]> {
  const found: Ask[] = []
  for (let next: string | undefined; ; ) {
    const query = new URLSearchParams({ ...which, ...(next !== undefined && { next }) })
    const page = await api.call<{ asks: Ask[]; next?: string }>('GET', `/api/asks?${query}`)
    found.push(...page.asks)
    next = page.next
    if (next === undefined || found.length >= enough) return found
  }
}

/** The ask that a person names: an open one, or one that was settled before they were done typing. */
export async function findAsk(api: Api, given: string): Promise<Ask> {
  const lists = [() => openAsks(api), () => listAsks(api, { status: 'settled' }, RECENT)]
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
