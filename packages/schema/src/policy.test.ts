import { describe, expect, it } from 'vitest'
import { PolicyRule, RuleScope } from './policy.ts'

describe('a rule of the policy', () => {
  it.each(['/', '/a', '/a/b.c', '/a/..b', '/a/...'])('holds in %j', (folder) => {
    expect(RuleScope.safeParse({ kind: 'project', folder }).success).toBe(true)
  })

  it.each(['', 'a', '/a/', '//a', '/a//b', '/a/.', '/a/../b', '/..', '/./a', '/a\0'])(
    'holds in no folder that may have another name: %j',
    (folder) => {
      expect(RuleScope.safeParse({ kind: 'project', folder }).success).toBe(false)
    },
  )

  it('has no fields that are not known', () => {
    const rule = {
      id: `rul_${'0'.repeat(26)}`,
      effect: 'allow',
      agent: '*',
      pattern: 'Bash(ls)',
      scope: { kind: 'everywhere' },
      at: 1,
      revision: 0,
    }
    expect(PolicyRule.safeParse(rule).success).toBe(true)
    expect(PolicyRule.safeParse({ ...rule, until: 1.5 }).success).toBe(false)
    expect(PolicyRule.safeParse({ ...rule, effect: 'yes' }).success).toBe(false)
    expect(PolicyRule.safeParse({ ...rule, untill: 5 }).success).toBe(false)
    expect(PolicyRule.safeParse({ ...rule, pattern: 'x'.repeat(2001) }).success).toBe(false)
  })
})
