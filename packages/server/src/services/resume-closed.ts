import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { Log } from '../system/log.ts'
import type { TrustedFolders } from '../trust/trusted-folders.ts'

/** What a driver calls the end of an agent that could not ask any more. */
const CLOSED = 'stream-closed'

/**
 * An agent that cannot ask any more can in its next life: its session is taken up again, once in the life of this gateway.
 * Should that happen to it again, it stays ended, and a person decides (F40).
 */
export function resumeClosed(deps: {
  readonly ledger: Ledger
  readonly sessions: Sessions
  readonly store: Store
  readonly trustedFolders: TrustedFolders
  /** Whether its agent ran on this machine. */
  readonly isOurs: (session: Session) => boolean
  readonly log: Log
}) {
  const { sessions, store, trustedFolders, isOurs, log } = deps
  const tried = new Set<SessionId>()

  async function again(id: SessionId) {
    const session = await store.session(id)
    if (!session || !isOurs(session) || session.embedded || session.attached) return
    const resumed = await sessions.resume(id, {
      trusted: await trustedFolders.isTrusted(session.cwd),
      unattended: true,
    })
    if (!resumed.ok) log.warn('session_not_resumed', { sessionId: id, refusal: resumed.refusal })
  }

  deps.ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type !== 'session-ended' || event.error?.code !== CLOSED || tried.has(event.sessionId)) continue
      const { sessionId } = event
      tried.add(sessionId)
      again(sessionId).catch((error: unknown) => log.warn('session_not_resumed', { sessionId, error: String(error) }))
    }
  })
}
