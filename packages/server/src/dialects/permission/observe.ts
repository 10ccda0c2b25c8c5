import { isPermission, permissionRequestOf } from '@holdpoint/core/permission-request'
import { maskSecrets } from '@holdpoint/core/text/secrets'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Services } from '../../services/services.ts'
import { howItEnded } from './mapping.ts'

const MAX_PATTERNS = 5
const MAX_PATTERN_LENGTH = 200
/** Enough to tell the shape of a secret that begins within what is shown. */
const LOOKED_AT = 2000

/**
 * Tells the log of every permission request and its end, whoever it was that replied. From the record, like the figures:
 * what was only tried is not there.
 */
export function observePermissions({ ledger, log }: Pick<Services, 'ledger' | 'log'>): void {
  const open = new Set<AskId>()
  for (const view of ledger.views().values()) for (const ask of view.asks.values()) watch(ask)

  function watch(ask: Ask): boolean {
    const wanted = isPermission(ask)
    if (wanted) open.add(ask.id)
    return wanted
  }

  function onSettled({ sessionId, askId, outcome }: Extract<DurableEvent, { type: 'ask-settled' }>) {
    const ids = { sessionId, requestId: askId }
    if (outcome.kind === 'expired') log.warn('permission_timed_out', ids)
    else log.info('permission_replied', { ...ids, ...howItEnded(outcome) })
  }

  ledger.subscribe((stored) => {
    /** Requests that went with their session: the end comes right after them, in the same commit. */
    const cleaned = new Map<SessionId, number>()
    for (const { event } of stored) {
      if (event.type === 'ask-raised' && watch(event.ask)) log.info('permission_requested', factsOf(event.ask))
      if (event.type === 'ask-settled' && open.delete(event.askId)) {
        onSettled(event)
        if (event.outcome.kind === 'withdrawn') cleaned.set(event.sessionId, (cleaned.get(event.sessionId) ?? 0) + 1)
      }
      if (event.type === 'session-ended') {
        const { sessionId } = event
        log.debug('permissions_cleaned_up', {
          sessionId,
          pending: cleaned.get(sessionId) ?? 0,
        })
      }
    }
  })
}

function factsOf(ask: Ask) {
  const { sessionId, id, tool, patterns } = permissionRequestOf(ask)
  return { sessionId, requestId: id, tool, patterns: patterns.slice(0, MAX_PATTERNS).map(shown) }
}

/** Redacted before it is cut: half of a secret has no shape that could be told. */
function shown(pattern: string): string {
  const text = maskSecrets(pattern.slice(0, LOOKED_AT))
  return text.length > MAX_PATTERN_LENGTH ? `${text.slice(0, MAX_PATTERN_LENGTH)}…` : text
}
