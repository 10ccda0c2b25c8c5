import { rulesOf } from '@holdpoint/core/history'
import type { Outcome } from '@holdpoint/schema/outcome'
import { RuleActions } from '../providers/rule-actions.tsx'

/** The way to the rules that decided, or to the one that was made with an answer. Nothing where there is none. */
export function OutcomeRules({ outcome, className = '' }: { outcome: Outcome; className?: string }) {
  const rules = rulesOf(outcome)
  if (rules.length === 0) return null
  return (
    <div className={`text-[13px] empty:hidden ${className}`}>
      <RuleActions rules={rules} decided={outcome.via === 'rule'} />
    </div>
  )
}
