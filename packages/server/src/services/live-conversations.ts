import type { Ledger } from '@holdpoint/core/ledger'
import type { Machines } from '../cluster/machines.ts'

/** What drivers have to know of the sessions that live. */
export function liveConversations({ ledger, machines }: { readonly ledger: Ledger; readonly machines: Machines }) {
  const sessions = () => [...ledger.views().values()].map(({ session }) => session)
  return {
    /** Whether a session with this life of its agent, `<session id>.<epoch>`, is not over, and its process is wanted. */
    isLive: (key: string) =>
      sessions().some(({ id, epoch, parkedAt }) => `${id}.${epoch}` === key && parkedAt === undefined),
    /** Whether another session than this one speaks for the same conversation. */
    isElsewhere: (vendorSessionId: string, sessionId: string) =>
      sessions().some(
        (session) =>
          session.vendorSessionId === vendorSessionId && session.id !== sessionId && machines.isOurs(session),
      ),
  }
}
