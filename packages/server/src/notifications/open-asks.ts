import type { Ledger } from '@holdpoint/core/ledger'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'

/** An open ask with its session. */
export interface OpenAsk {
  readonly ask: Ask
  readonly session: Session
}

export function openAsks(ledger: Pick<Ledger, 'views'>): readonly OpenAsk[] {
  return [...ledger.views().values()].flatMap(({ session, asks }) =>
    [...asks.values()].map((ask) => ({ ask, session })),
  )
}
