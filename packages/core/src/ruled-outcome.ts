import type { Ask } from '@holdpoint/schema/ask'
import type { RuleId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Verdict } from '@holdpoint/schema/policy'

/** The outcome that the policy gives an ask by itself, if it does. */
export function ruledOutcome(verdict: Verdict, at: number, mayAllow: boolean): Outcome | undefined {
  const { effect, reason } = verdict
  if (effect !== 'deny' && !(effect === 'allow' && mayAllow)) return undefined
  return { kind: effect === 'deny' ? 'denied' : 'allowed', at, via: 'rule', reason, rules: decidingRules(verdict) }
}

/** Why a person is asked though the policy was asked first. */
export function askedBecause({ effect, reason, rule, why }: Verdict): NonNullable<Ask['askedBecause']> {
  if (effect === 'allow') return { reason: 'Rules allow it, but the agent itself requires a person for this call.' }
  return { reason, ...(rule && { rule }), ...(why !== undefined && { why: cut(why) }) }
}

/** Of the words of a rule: as many as a card shows whole. */
const LONGEST_WHY = 300

function cut(text: string): string {
  return text.length > LONGEST_WHY ? `${text.slice(0, LONGEST_WHY)}…` : text
}

function decidingRules({ effect, rule, parts }: Verdict): RuleId[] {
  const rules = effect === 'allow' ? parts.flatMap((part) => (part.rule ? [part.rule] : [])) : rule ? [rule] : []
  return [...new Set(rules)].slice(0, MAX_RULES)
}

/** As many as an outcome holds. */
const MAX_RULES = 100
