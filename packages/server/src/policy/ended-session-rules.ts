import type { Ledger } from '@holdpoint/core/ledger'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { PolicyRules } from './policy-rules.ts'

interface EndedSessionRulesDeps {
  readonly ledger: Pick<Ledger, 'views' | 'subscribe'>
  readonly rules: Pick<PolicyRules, 'list' | 'remove' | 'subscribe'>
  readonly warn: LogFunction
}

/**
 * Removes the rules of sessions that are not live: now, whenever one ends, and those that are saved after the end (T61).
 * A session that is resumed begins without them, also if the disk did not take the removal.
 */
export async function removeRulesOfEndedSessions({ ledger, rules, warn }: EndedSessionRulesDeps): Promise<void> {
  async function remove() {
    const ended = rules.list().filter(({ scope, epoch }) => {
      const live = scope.kind === 'session' ? ledger.views().get(scope.sessionId)?.session : undefined
      return scope.kind === 'session' && (!live || (epoch !== undefined && epoch !== live.epoch))
    })
    for (const { id } of ended) {
      await rules.remove(id).catch((error: unknown) => warn('rule_not_removed', { rule: id, error: String(error) }))
    }
  }

  ledger.subscribe((stored) => {
    if (stored.some(({ event }) => event.type === 'session-ended')) void remove()
  })
  rules.subscribe(() => void remove())
  await remove()
}
