import type { AskRequest } from '@holdpoint/schema/ask'
import type { NotAsked } from './interactive-tool.ts'

/**
 * Makes the request of a call that still waits anew, when what it showed has changed. It is kept, because the answer is to
 * what was shown last.
 */
export function renewing(
  toAsk: () => Promise<AskRequest | NotAsked>,
  keep: (request: AskRequest) => void,
): () => Promise<AskRequest | NotAsked> {
  return async () => {
    const next = await toAsk()
    if (!('refusal' in next)) keep(next)
    return next
  }
}
