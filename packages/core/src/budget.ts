import type { Verdict } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import type { Budget } from '@holdpoint/schema/usage'
import { NO_USAGE, tokensOf } from './usage.ts'

export function hasBudget({ budget }: Pick<Session, 'budget'>): boolean {
  return budget?.usd !== undefined || budget?.tokens !== undefined
}

/** Why nothing more happens in this session without a person, if so: one plain sentence. */
export function whyOverBudget({ budget, usage }: Pick<Session, 'budget' | 'usage'>): string | undefined {
  const { usd, tokens }: Budget = budget ?? {}
  const used = usage?.total ?? NO_USAGE
  if (usd !== undefined && (used.costUsd ?? 0) >= usd)
    return `This session has used ${dollars(used.costUsd ?? 0)} of its budget of ${dollars(usd)}.`
  if (tokens !== undefined && tokensOf(used) >= tokens)
    return `This session has used ${count(tokensOf(used))} tokens of its budget of ${count(tokens)}.`
  return undefined
}

/** Beyond the budget nothing is allowed unless a person does: by no rule, remembered answer or yes to an appeal. */
export function withinBudget(session: Session, verdict: Verdict | undefined): Verdict | undefined {
  const reason = whyOverBudget(session)
  if (reason === undefined || verdict?.effect === 'deny') return verdict
  return { effect: 'ask', reason, parts: verdict?.parts ?? [] }
}

/** `$4.20`; small amounts with more digits. */
export function dollars(amount: number): string {
  const maximumFractionDigits = amount < 1 ? 4 : 2
  return `$${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits })}`
}

function count(amount: number): string {
  return amount.toLocaleString('en')
}
