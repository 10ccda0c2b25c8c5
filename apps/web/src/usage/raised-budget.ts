import { dollars } from '@holdpoint/core/budget'
import { NO_USAGE, tokensOf } from '@holdpoint/core/usage'
import type { Session } from '@holdpoint/schema/session'

/** Room for as much again, above what has been used already. */
export function raisedBudget({ budget = {}, usage }: Pick<Session, 'budget' | 'usage'>) {
  const { usd, tokens = 0 } = budget
  const total = usage?.total ?? NO_USAGE
  const used = total.costUsd ?? 0
  if (usd !== undefined && used >= usd) {
    const more = raised(usd, used)
    return { budget: { ...budget, usd: more }, label: `Raise to ${dollars(more)}` }
  }
  const more = raised(tokens, tokensOf(total))
  return { budget: { ...budget, tokens: more }, label: `Raise to ${more.toLocaleString('en')} tokens` }
}

/** Without the noise behind the ninth digit of a sum of fractions. */
function raised(budget: number, used: number): number {
  return Math.round((Math.floor(used / budget) + 1) * budget * 1e9) / 1e9
}
