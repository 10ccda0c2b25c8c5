import type { Outcome } from '@holdpoint/schema/outcome'

/** Settled in the commit that raised it, by a rule or by a yes to an appeal: nobody was ever asked. */
export function neverOpen({ via }: Pick<Outcome, 'via'>): boolean {
  return via === 'rule' || via === 'appeal'
}
