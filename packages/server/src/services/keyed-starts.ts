import type { Records } from '@holdpoint/core/store'
import { createTurns } from '@holdpoint/core/turns'
import type { SessionId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import { hashSecret } from '../auth/secrets.ts'
import { isRefusal, type Reply, refusal } from '../transport/errors.ts'

/** By session: what the call under an idempotency key asked for. A hash: prompts and environments may hold secrets. */
const STARTS = 'starts'

export interface KeyedStarts {
  /** Starts what this call asks for, or refuses where its key was used for something else. One call at a time. */
  once(id: SessionId, body: unknown, start: () => Promise<Reply>): Promise<Reply>
}

/**
 * What is started under idempotency keys. Two calls at once under one key would each see that nothing was started yet, and
 * what one records the other would run.
 */
export function createKeyedStarts(records: Records): KeyedStarts {
  const inTurn = createTurns<SessionId>()

  async function startNoted(id: SessionId, body: unknown, start: () => Promise<Reply>): Promise<Reply> {
    const hash = hashSecret(canonicalJson(body))
    const noted = await records.get(STARTS, id)
    if (noted !== undefined && noted !== hash) return refusal('retry_mismatch')
    // Before the start: whoever sends it again after a crash is known then.
    if (noted === undefined) await records.put(STARTS, id, hash)
    const reply = await start()
    if (noted === undefined && isRefusal(reply)) await records.remove(STARTS, id)
    return reply
  }

  return { once: (id, body, start) => inTurn(id, () => startNoted(id, body, start)) }
}
