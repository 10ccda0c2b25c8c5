import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { findByAbbreviation } from './abbreviation.ts'
import type { Api } from './api.ts'
import { CliError } from './cli-error.ts'
import { allSessions } from './list-sessions.ts'
import { terminalText } from './terminal-text.ts'

/** The ask that a person names: an open one, or one that was settled before they were done typing. */
export async function findAsk(api: Api, given: string): Promise<Ask> {
  for (const status of ['open', 'settled']) {
    const { asks } = await api.call<{ asks: Ask[] }>('GET', `/api/asks?status=${status}`)
    const found = findByAbbreviation(asks, given)
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
