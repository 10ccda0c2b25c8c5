import type { PolicyRule } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { fileChange } from './file-change.ts'
import { policyRule } from './fixtures/judged.ts'

const words = (rules: readonly PolicyRule[]) => rules.map(({ effect, pattern }) => `${effect} ${pattern}`)
const allow = policyRule('allow', 'Bash(ls)')
const ask = policyRule('ask', 'Bash(rm *)')
const deny = policyRule('deny', 'Bash(sudo *)')

function change(before: readonly PolicyRule[], file: readonly PolicyRule[]) {
  const { now, added, removed } = fileChange(before, file)
  return { now: words(now), added: words(added), removed: words(removed) }
}

describe('a changed policy file', () => {
  it('holds at once as far as it asks, denies, or no longer allows', () => {
    expect(change([allow], [ask, deny])).toEqual({ now: words([ask, deny]), added: [], removed: [] })
  })

  it('waits as far as it allows, or no longer asks or denies', () => {
    expect(change([], [allow, ask])).toEqual({ now: words([ask]), added: words([allow]), removed: [] })
    expect(change([ask, deny, allow], [])).toEqual({ now: words([ask, deny]), added: [], removed: words([ask, deny]) })
  })

  it('has nothing to wait for where it says the same', () => {
    const rules = [allow, ask, deny]
    expect(change(rules, rules)).toEqual({ now: words(rules), added: [], removed: [] })
  })

  it('takes deny for ask as stricter, and ask for deny as looser', () => {
    const stricter = policyRule('deny', ask.pattern)
    expect(change([ask], [stricter])).toEqual({ now: words([stricter]), added: [], removed: [] })
    expect(change([stricter], [ask])).toEqual({ now: words([ask, stricter]), added: [], removed: words([stricter]) })
  })

  it.each<[string, Partial<PolicyRule>, Partial<PolicyRule>, boolean]>([
    ['an allow ends earlier', {}, { until: 5 }, false],
    ['an allow ends later', { until: 5 }, { until: 6 }, true],
    ['an allow no longer ends', { until: 5 }, {}, true],
    ['an allow gets a pin', {}, { pins: [{ path: '/a', sha256: 'a' }] }, false],
    ['an allow loses a pin', { pins: [{ path: '/a', sha256: 'a' }] }, {}, true],
    ['a pin gets another hash', { pins: [{ path: '/a', sha256: 'a' }] }, { pins: [{ path: '/a', sha256: 'b' }] }, true],
    ['an allow is for another agent', { agent: 'claude' }, { agent: '*' }, true],
    ['an allow holds elsewhere', { scope: { kind: 'project', folder: '/a' } }, {}, true],
    ['a reason changes', { why: 'a' }, { why: 'b' }, false],
  ])('where %s', (_, before, after, waits) => {
    const added = fileChange([{ ...allow, ...before }], [{ ...allow, ...after }]).added
    expect(added.length > 0).toBe(waits)
  })

  it.each<[string, Partial<PolicyRule>, Partial<PolicyRule>, boolean]>([
    ['a deny ends earlier', {}, { until: 5 }, true],
    ['a deny no longer ends', { until: 5 }, {}, false],
    ['a deny holds in one folder alone', {}, { scope: { kind: 'project', folder: '/a' } }, true],
  ])('where %s', (_, before, after, waits) => {
    const { now, removed } = fileChange([{ ...deny, ...before }], [{ ...deny, ...after }])
    expect(removed.length > 0).toBe(waits)
    expect(now).toHaveLength(waits ? 2 : 1)
  })
})
