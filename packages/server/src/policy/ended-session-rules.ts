import type { Ledger } from '@holdpoint/core/ledger'
import { isOfLife } from '@holdpoint/core/remembering'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { PolicyRules } from './policy-rules.ts'

interface EndedSessionRulesDeps {
  readonly ledger: Pick<Ledger, 'views' | 'subscribe'>
  readonly rules: Pick<PolicyRules, 'list' | 'remove' | 'subscribe'>
  /**
   * Whether a session is of this machine. Another one's may be live there before this gateway has heard of it: its own gateway
   * removes its rules.
   */
  readonly isOurs: (id: SessionId) => Promise<boolean>
  readonly warn: LogFunction
}

/**
 * Removes the rules of sessions that are not live: now, whenever one ends, and those that are saved after the end (T61).
 * A session that is resumed begins without them, also if the disk did not take the removal.
 */
export async function removeRulesOfEndedSessions(deps: EndedSessionRulesDeps): Promise<void> {
  const { ledger, rules, isOurs, warn } = deps

  async function remove() {
    const ended = rules.list().filter((rule) => {
      const live = rule.scope.kind === 'session' ? ledger.views().get(rule.scope.sessionId)?.session : undefined
      return rule.scope.kind === 'session' && !(live && isOfLife(rule, live))
    })
    for (const { id, scope } of ended) {
      try {
        if (scope.kind === 'session' && (await isOurs(scope.sessionId))) await rules.remove(id)
      } catch (error) {
        warn('rule_not_removed', { rule: id, error: String(error) })
      }
    }
  }

  ledger.subscribe((stored) => {
    if (stored.some(({ event }) => event.type === 'session-ended')) void remove()
  })
  rules.subscribe(() => void remove())
  await remove()
}
