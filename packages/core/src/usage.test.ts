import type { DurableEvent } from '@holdpoint/schema/event'
import type { Usage } from '@holdpoint/schema/usage'
import { sampleSession } from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it } from 'vitest'
import { whyOverBudget, withinBudget } from './budget.ts'
import { evolve, type SessionView } from './session-view.ts'
import { reportedUsage, tokensOf } from './usage.ts'

function total(tokens: number, costUsd?: number): Usage {
  const usage = { inputTokens: tokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  return costUsd === undefined ? usage : { ...usage, costUsd }
}

/** A session to which its agent reports, as the log would have it. */
function reporting() {
  const session = sampleSession(1)
  let view: SessionView = evolve(undefined, { type: 'session-started', sessionId: session.id, at: 1, session })
  const take = (events: readonly DurableEvent[]) => {
    for (const event of events) view = evolve(view, event)
    return events.length
  }
  return {
    report: (reported: Usage, begins?: true) =>
      take(reportedUsage(view.session, { reported, ...(begins && { begins }) }, 2)),
    revive: () => {
      const changes = { state: 'starting' as const, epoch: view.session.epoch + 1 }
      take([{ type: 'session-changed', sessionId: session.id, at: 3, changes }])
    },
    used: () => view.session.usage?.total,
  }
}

describe('a running total', () => {
  it('counts by what it has grown, once, however often and late it is told', () => {
    const { report, used } = reporting()
    expect(report(total(100, 0.1))).toBe(1)
    expect(report(total(100, 0.1))).toBe(0)
    report(total(300, 0.3))
    expect(report(total(200, 0.2))).toBe(0)
    report(total(310, 0.31))
    expect(used()).toEqual(total(310, 0.31))
  })

  it('goes on in the next life where the agent counts on', () => {
    const { report, revive, used } = reporting()
    report(total(100, 1))
    revive()
    report(total(100, 1), true)
    report(total(130, 1.25))
    expect(used()).toEqual(total(130, 1.25))
  })

  it('counts what was used before the agent was ended in the middle of a turn, once it says so', () => {
    const { report, revive, used } = reporting()
    report(total(100, 1))
    revive()
    report(total(160, 1.5), true)
    report(total(170, 1.6))
    expect(used()).toEqual(total(170, 1.6))
  })

  it('does not count what a conversation came to before it was a session', () => {
    const { report, used } = reporting()
    report(total(500, 5), true)
    report(total(510, 5.1))
    expect(used()).toEqual(total(10, 0.1))
  })

  it('counts nothing twice where the agent has lost the end of its last life', () => {
    const { report, revive, used } = reporting()
    report(total(100, 1))
    revive()
    report(total(80, 0.8), true)
    report(total(90, 0.9))
    expect(used()).toEqual(total(110, 1.1))
  })

  it('is a new one where the agent begins anew', () => {
    const { report, revive, used } = reporting()
    report(total(100, 1))
    report(total(0, 0), true)
    report(total(40, 0.4))
    expect(used()).toEqual(total(140, 1.4))
    revive()
    // Not told where the new life begins.
    report(total(10, 0.1))
    expect(used()).toEqual(total(150, 1.5))
  })

  it('leaves out what a conversation came to before it was a session', () => {
    const { report, used } = reporting()
    report(total(5000, 50), true)
    expect(used()).toEqual(total(0))
    report(total(5001, 50.5))
    expect(used()).toEqual(total(1, 0.5))
  })

  it('has no cost where the agent reports none', () => {
    const { report, used } = reporting()
    report(total(10))
    expect(used()).toEqual(total(10))
  })

  it('counts all kinds of tokens', () => {
    expect(tokensOf({ inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 })).toBe(4321)
  })
})

describe('a budget', () => {
  const spent = (tokens: number, costUsd?: number) => {
    const used = total(tokens, costUsd)
    return { usage: { total: used, reported: used, epoch: 1 } }
  }

  it('is passed when it is used up, and says by what', () => {
    expect(whyOverBudget({ budget: { usd: 5 }, ...spent(9, 4.99) })).toBeUndefined()
    expect(whyOverBudget({ budget: { usd: 5 }, ...spent(9, 5.1) })).toBe(
      'This session has used $5.10 of its budget of $5.00.',
    )
    expect(whyOverBudget({ budget: { tokens: 1000, usd: 5 }, ...spent(1000, 0.1) })).toBe(
      'This session has used 1,000 tokens of its budget of 1,000.',
    )
    expect(whyOverBudget({ budget: {}, ...spent(1e9, 1e9) })).toBeUndefined()
    expect(whyOverBudget({ budget: { usd: 5 } })).toBeUndefined()
  })

  it('makes every call ask that no rule denies', () => {
    const session = sampleSession(1, { budget: { usd: 1 }, ...spent(1, 2) })
    const verdict = (effect: 'allow' | 'deny' | 'ask' | 'none') => ({ effect, reason: 'a rule', parts: [] })
    for (const effect of ['allow', 'ask', 'none'] as const)
      expect(withinBudget(session, verdict(effect))).toMatchObject({
        effect: 'ask',
        reason: expect.stringContaining('used $2.00'),
      })
    expect(withinBudget(session, undefined)?.effect).toBe('ask')
    expect(withinBudget(session, verdict('deny'))).toEqual(verdict('deny'))
    const within = sampleSession(1, { budget: { usd: 3 }, ...spent(1, 2) })
    expect(withinBudget(within, verdict('allow'))).toEqual(verdict('allow'))
    expect(withinBudget(within, undefined)).toBeUndefined()
  })
})
