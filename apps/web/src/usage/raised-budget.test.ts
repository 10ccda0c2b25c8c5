import { whyOverBudget } from '@holdpoint/core/budget'
import { NO_USAGE } from '@holdpoint/core/usage'
import type { Budget } from '@holdpoint/schema/usage'
import { expect, it } from 'vitest'
import { raisedBudget } from './raised-budget.ts'

it('raises what is used up so far that there is room again', () => {
  const total = { ...NO_USAGE, outputTokens: 250, costUsd: 0.35 }
  const usage = { total, reported: total, epoch: 1 }
  const raise = (budget: Budget) => {
    const raised = raisedBudget({ budget, usage })
    expect(whyOverBudget({ budget: raised.budget, usage })).toBeUndefined()
    return raised
  }
  expect(raise({ usd: 0.1, tokens: 1000 })).toEqual({ budget: { usd: 0.4, tokens: 1000 }, label: 'Raise to $0.40' })
  expect(raise({ usd: 9, tokens: 100 })).toEqual({ budget: { usd: 9, tokens: 300 }, label: 'Raise to 300 tokens' })
})
