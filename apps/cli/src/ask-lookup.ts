import type { Ask } from '@holdpoint/schema/ask'
import type { CallInput } from '@holdpoint/schema/endpoints/endpoints'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import { findByAbbreviation } from './abbreviation.ts'
import type { Api } from './api.ts'
import { CliError } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import { allSessions } from './list-sessions.ts'

/** Of the settled ones, those that somebody may just have been looking at. */
const RECENT = 1000

/** All that are open, however many pages that takes, without what is large in them. */
export function openAsks(api: Api, sessionId?: SessionId): Promise<Ask[]> {
  return listAsks(api, { sessionId }, Number.POSITIVE_INFINITY)
}

/** Page by page: how many are in one depends on how large they are. */
async function listAsks(api: Api, which: CallInput<typeof paths.asks.list>['query'], enough: number): Promise<Ask[]> {
  const found: Ask[] = []
  for (let next: AskId | undefined; ; ) {
    const page = await api.call(paths.asks.list, { query: { ...which, next } })
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
    if (found) return api.call(paths.asks.read, { params: { id: found.id } })
  }
  throw new CliError(
    `There is no ask "${terminalText(given)}", or you may not see it. "holdpoint asks" lists the open ones.`,
  )
}

export async function findSession(api: Api, given: string): Promise<Session> {
  const found = findByAbbreviation(await allSessions(api), given)
  if (found) return found
  throw new CliError(
    `There is no session "${terminalText(given)}", or you may not see it. "holdpoint sessions" lists them.`,
  )
}
