import type { Ledger } from '@holdpoint/core/ledger'
import type { InSteps } from '@holdpoint/core/retirement'
import { recordDeletion } from '@holdpoint/core/retiring'
import type { SessionResult } from '@holdpoint/core/session-refusal'
import type { Records, Store } from '@holdpoint/core/store'
import { createTurn } from '@holdpoint/core/turns'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { SessionId } from '@holdpoint/schema/id'
import type { Actor } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { Log } from '../system/log.ts'

/** Deletions that were begun on this machine. */
const COLLECTION = 'deletions'

/** Removes what is kept of a session in one place beside the log. Once more does no harm. */
export type Eraser = (id: SessionId) => Promise<void>

export interface SessionDeletion {
  /** Removes what was said in an ended session, for good. What is left says that, and by whom. */
  delete(id: SessionId, by: Actor): Promise<SessionResult<Session>>
  /** Goes on with those that were cut off. */
  finish(options?: InSteps): Promise<void>
}

export function createSessionDeletion(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly records: Records
  readonly erasers: readonly Eraser[]
  readonly log: Log
}): SessionDeletion {
  const { ledger, store, records, log } = deps

  async function erase(id: SessionId, options?: InSteps): Promise<void> {
    await store.retirement.erase(id, options)
    for (const eraser of deps.erasers) await eraser(id)
    await records.remove(COLLECTION, id)
    log.info('session_deleted', { sessionId: id })
  }

  async function remove(id: SessionId, by: Actor): Promise<SessionResult<Session>> {
    // Before the fact: whoever starts after a crash goes on with it.
    await records.put(COLLECTION, id, {})
    const recorded = await recordDeletion(ledger, id, by)
    if (!recorded.ok) {
      await records.remove(COLLECTION, id)
      return recorded
    }
    await erase(id)
    const session = await store.session(id)
    return session ? { ok: true, value: session } : { ok: false, refusal: 'not_found' }
  }

  async function finish(options?: InSteps): Promise<void> {
    for (const { key } of await records.list(COLLECTION)) {
      const id = key as SessionId
      const session = await unlessDamaged(store.session(id))
      // The gateway ended before it was recorded: then it is not deleted.
      if (session?.deleted) await erase(id, options)
      else await records.remove(COLLECTION, id)
    }
  }

  /** One after another: what is begun here is not what was cut off. */
  const inTurn = createTurn()
  return {
    delete: (id, by) => inTurn(() => remove(id, by)),
    finish: (options) => inTurn(() => finish(options)),
  }
}
