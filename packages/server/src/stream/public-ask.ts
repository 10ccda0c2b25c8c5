import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { publicOutcome } from './public-outcome.ts'

/** An ask as clients read it: with its outcome, once it has one. */
export function publicAsk({ ask, outcome }: { readonly ask: Ask; readonly outcome?: Outcome }): Ask {
  return outcome ? { ...ask, outcome: publicOutcome(outcome) } : ask
}
