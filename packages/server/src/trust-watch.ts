import type { Ledger } from '@holdpoint/core/ledger'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { NewId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Log } from './log.ts'
import type { TrustedFolders } from './trusted-folders.ts'

export interface TrustWatchDeps {
  readonly ledger: Ledger
  readonly trustedFolders: TrustedFolders
  readonly newId: NewId
  readonly log: Log
}

/**
 * Tells sessions whose folder was trusted when what it was trusted for has changed. Looks when a turn begins and when it
 * ends: what the agent itself wrote there is seen before the next one.
 */
export function watchTrust({ ledger, trustedFolders, newId, log }: TrustWatchDeps): void {
  const looking = new Set<SessionId>()
  ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'session-changed' && event.changes.state !== undefined) void look(event.sessionId)
    }
  })

  async function look(id: SessionId) {
    const session = ledger.views().get(id)?.session
    if (!session?.trusted || session.embedded || session.attached || looking.has(id)) return
    looking.add(id)
    try {
      const trust = await trustedFolders.look(session.cwd)
      if (trust.state === 'trusted') return
      await ledger.transact(id, (view, at) => {
        if (!view?.session.trusted) return { events: [], result: undefined }
        const item: Item = { id: newId('itm'), at, type: 'notice', level: 'error', text: noticeOf(trust) }
        const events: DurableEvent[] = [
          { type: 'session-changed', sessionId: id, at, changes: { trusted: false } },
          { type: 'item-added', sessionId: id, at, item },
        ]
        return { events, result: undefined }
      })
    } catch (error) {
      log.warn('the trust of a folder could not be looked at', { sessionId: id, error: String(error) })
    } finally {
      looking.delete(id)
    }
  }
}

function noticeOf({ reason, files }: Awaited<ReturnType<TrustedFolders['look']>>): string {
  const changed = files.filter(({ change }) => change !== undefined).map(({ path, change }) => `${path} (${change})`)
  const what = changed.length > 0 ? ` ${changed.join(', ')}.` : ''
  return `This folder does not count as trusted any more. ${reason ?? 'Somebody has stopped trusting it.'}${what} The agent goes on with what it has loaded; from its next start on, the folder's own settings stay out until a person has looked at them.`
}
