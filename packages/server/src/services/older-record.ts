import type { Ledger } from '@holdpoint/core/ledger'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { NewId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { PolicyRules } from '../policy/policy-rules.ts'
import type { Log } from '../system/log.ts'

const NOTICE =
  'The record was replaced by an older one, for example a backup. Decisions made after that backup are not in it. All remembered rules of this session have ended, because a rule that you removed could count again. Revoked devices and folders that were no longer trusted may also be back: check Devices.'

/**
 * The record is older than the one that was used here last, and agents may have lived on meanwhile. A rule that was removed
 * in between would allow again in their name, so every remembered rule ends, before anything is decided by one. Throws
 * when that cannot be recorded: then the gateway does not start.
 */
export async function endRulesOfOlderRecord(deps: {
  ledger: Ledger
  policyRules: Pick<PolicyRules, 'list' | 'remove'>
  newId: NewId
  log: Log
}): Promise<void> {
  const { ledger, policyRules, newId, log } = deps
  const ofSessions = policyRules.list().filter(({ scope }) => scope.kind === 'session')
  for (const { id } of ofSessions) await policyRules.remove(id)
  const ids = [...ledger.views().keys()]
  const ended = await Promise.all(
    ids.map((sessionId) =>
      ledger.transact(sessionId, (view, at) => {
        const item: Item = { id: newId('itm'), at, type: 'notice', level: 'error', text: NOTICE }
        const rules = view?.rules ?? []
        const removed = rules.map((rule): DurableEvent => ({ type: 'rule-removed', sessionId, at, ruleId: rule.id }))
        return { events: [...removed, { type: 'item-added', sessionId, at, item }], result: rules.length }
      }),
    ),
  )
  log.error('record_is_older', {
    sessions: ids.length,
    rules: ended.reduce((sum, count) => sum + count, ofSessions.length),
    seq: ledger.seq(),
  })
}
