import type { SessionId } from '@holdpoint/schema/id'
import type { Context } from './context.ts'

/** What a driver calls the end of an agent that could not ask any more. */
const CLOSED = 'stream-closed'

/**
 * An agent that cannot ask any more can in its next life: its session is taken up again, once in the life of this gateway.
 * Should that happen to it again, it stays ended, and a person decides (F40).
 */
export function resumeClosed({
  ledger,
  ...context
}: Pick<Context, 'ledger' | 'sessions' | 'store' | 'trustedFolders' | 'log'>) {
  const tried = new Set<SessionId>()

  async function again(id: SessionId) {
    const session = await context.store.session(id)
    if (!session || session.embedded || session.attached) return
    const resumed = await context.sessions.resume(id, { trusted: await context.trustedFolders.isTrusted(session.cwd) })
    if (!resumed.ok) context.log.warn('a session was not taken up again', { sessionId: id, refusal: resumed.refusal })
  }

  ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type !== 'session-ended' || event.error?.code !== CLOSED || tried.has(event.sessionId)) continue
      const { sessionId } = event
      tried.add(sessionId)
      again(sessionId).catch((error: unknown) =>
        context.log.warn('a session was not taken up again', { sessionId, error: String(error) }),
      )
    }
  })
}
