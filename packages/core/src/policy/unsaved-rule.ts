import type { PolicyRule } from '@holdpoint/schema/policy'

/** The id of a rule that is only tried: no saved one has it. */
export const UNSAVED = `rul_${'0'.repeat(26)}` as const

/** A rule that nobody has saved, as the rules are that it is tried beside. */
export function unsavedRule(rule: Omit<PolicyRule, 'id' | 'at' | 'revision'>): PolicyRule {
  return { ...rule, id: UNSAVED, at: 0, revision: 0 }
}
