import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stored } from '@holdpoint/schema/event'
import type { RuleId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { openTestStore } from '@holdpoint/testing/test-store'
import { describe, expect, it, vi } from 'vitest'
import { createRuleUses } from './rule-uses.ts'

const id = (number: number): RuleId => `rul_${String(number).padStart(26, '0')}`

function settledBy(rules: readonly RuleId[], at: number, via = 'rule'): Stored[] {
  const outcome = { kind: 'allowed', at, via, rules } as const
  return [{ seq: 1, sessionSeq: 1, hash: '', event: { type: 'ask-settled', at, outcome } }] as unknown as Stored[]
}

async function setUp(count = 2) {
  const { records } = await openTestStore()
  const { clock, advance } = createManualClock()
  const listeners = new Set<() => void>()
  let kept = Array.from({ length: count }, (_, place) => ({ id: id(place + 1) }) as PolicyRule)
  const rules = {
    list: () => kept,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const warn = vi.fn()
  return {
    records,
    advance,
    warn,
    open: () => createRuleUses({ records, clock, rules, warn, isOurs: () => true }),
    remove(gone: RuleId) {
      kept = kept.filter((rule) => rule.id !== gone)
      for (const listener of listeners) listener()
    },
  }
}

describe('how often rules have decided', () => {
  it('is counted for each rule that an outcome names, and for no person’s answer', async () => {
    const uses = await (await setUp()).open()
    uses.onStored(settledBy([id(1), id(2)], 5))
    uses.onStored(settledBy([id(1)], 9))
    uses.onStored(settledBy([id(2)], 11, 'web'))
    expect(uses.all()).toEqual({ [id(1)]: { count: 2, lastAt: 9 }, [id(2)]: { count: 1, lastAt: 5 } })
  })

  it('is there again after a close, and about there after a crash', async () => {
    const { open, advance } = await setUp()
    const first = await open()
    first.onStored(settledBy([id(1)], 5))
    expect((await open()).all()).toEqual({})
    advance(30_000)
    first.onStored(settledBy([id(1)], 7))
    await vi.waitFor(async () => expect((await open()).all()).toEqual({ [id(1)]: { count: 2, lastAt: 7 } }))
    first.onStored(settledBy([id(1)], 8))
    await first.close()
    expect((await open()).all()).toEqual({ [id(1)]: { count: 3, lastAt: 8 } })
  })

  it('is forgotten with the rule, on disk too', async () => {
    const { open, remove, records } = await setUp()
    const uses = await open()
    uses.onStored(settledBy([id(1)], 5))
    await uses.close()
    const again = await open()
    remove(id(1))
    expect(again.all()).toEqual({})
    await again.close()
    expect(await records.list('rule-uses')).toEqual([])
  })

  it('is kept for rules of the policy file too when others are added', async () => {
    await using test = await startJudgingGateway()
    const rules = [{ effect: 'deny', pattern: 'Bash(sudo *)' }]
    await writeFile(join(test.dataDir, 'policy.json'), JSON.stringify({ rules }), { mode: 0o600 })
    const { rules: [rule] = [] } = await test.bash('sudo ls')
    await test.addRule({ effect: 'ask', agent: '*', pattern: 'Bash(ls)', scope: { kind: 'everywhere' } })
    expect((await test.policyState()).uses).toMatchObject({ [rule ?? '']: { count: 1 } })
  })

  it('is no reason to stop when the disk does not take it', async () => {
    const { open, records, warn } = await setUp()
    const uses = await open()
    vi.spyOn(records, 'put').mockRejectedValue(new Error('full'))
    uses.onStored(settledBy([id(1)], 5))
    await uses.close()
    expect(warn).toHaveBeenCalledWith('rule_uses_not_persisted', { error: 'Error: full' })
    expect(uses.all()).toEqual({ [id(1)]: { count: 1, lastAt: 5 } })
  })
})
