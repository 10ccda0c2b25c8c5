import type { RuleOffers } from '@holdpoint/react/cards/ask-card'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import type { DryRunResult } from '@holdpoint/schema/endpoints/policy'
import { CWD } from './sample-asks.ts'

/** What the gallery's gateway offers to remember. It takes every rule that has its brackets. */
export function offersOf(given: Partial<OfferedRules>): RuleOffers {
  const none: OfferedRules = { rules: [], suggested: [], scopes: ['session', 'project', 'everywhere'], project: CWD }
  return {
    policy: { dryRun: async () => ({ ok: true, value: DRY_RUN }) },
    offeredRules: async () => ({ ok: true, value: { ...none, ...given } }),
    checkRuleFor: async (_, { rule = '' }) => ({
      ok: true,
      value: /^\w+\(.+\)$/.test(rule) ? {} : { problem: 'The closing bracket at the end is missing.' },
    }),
  }
}

const DRY_RUN: DryRunResult = { days: 30, asks: 41, allowed: 41, denied: 0, deniedAsks: [] }
