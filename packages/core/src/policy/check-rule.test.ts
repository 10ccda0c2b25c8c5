import { PolicyRule } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { checkRule } from './check-rule.ts'
import { policyRule } from './fixtures/judged.ts'
import { STARTER_RULES } from './starter-rules.ts'

describe('a rule with its own tests', () => {
  it.each([
    policyRule('allow', 'Bash(ls *)', { match: ['ls a', 'ls'], notMatch: ['ls /', 'ls; x'] }),
    policyRule('deny', 'Bash(ls *)', { match: ['ls a', 'x; ls'], notMatch: ['x'] }),
    policyRule('allow', 'Edit(src/**)', { match: ['src/a', '/src/b'], notMatch: ['a', '//src/a', '~/src/a'] }),
    policyRule('allow', 'WebFetch(domain:example.com)', {
      match: ['https://example.com/'],
      notMatch: ['https://a.example.com/'],
    }),
    policyRule('ask', 'mcp__a__*', { match: ['mcp__a__x'], notMatch: ['mcp__b__x'] }),
    policyRule('allow', 'Bash(ls)', {
      match: ['ls'],
      until: -5,
      scope: { kind: 'project', folder: '/x' },
      agent: 'codex',
    }),
    policyRule('allow', 'TodoWrite'),
  ])('$effect $pattern holds', (rule) => {
    expect(checkRule(rule)).toBeUndefined()
  })

  it.each([
    [policyRule('allow', 'Bash(ls'), 'bracket at the end is missing'],
    [policyRule('allow', 'Bash(ls)', { match: ['ls a'] }), 'The rule should match "ls a", but does not: No rule'],
    [
      policyRule('ask', 'Bash(rm *)', { match: ['ls'] }),
      'The rule should match "ls", but does not: The pattern does not',
    ],
    [policyRule('allow', 'Bash(ls *)', { notMatch: ['ls a'] }), 'The rule should not match "ls a", but does.'],
    [policyRule('deny', 'Bash(ls)', { notMatch: ['x && ls'] }), 'should not match'],
    [
      policyRule('allow', 'Bash(npm run *)'),
      'runs what package.json says: an allow rule for it must be the exact command',
    ],
    [policyRule('allow', 'Bash(git commit *)'), 'the exact command'],
    [policyRule('allow', 'TodoWrite', { match: ['x'] }), 'cannot have tests'],
  ])('%o is refused', (rule, words) => {
    expect(checkRule(rule)).toContain(words)
  })
})

describe('the starter set', () => {
  it.each(STARTER_RULES)('$effect $pattern holds its own tests', (rule) => {
    const whole = policyRule(rule.effect, rule.pattern, rule)
    expect(PolicyRule.parse(whole)).toEqual(whole)
    expect(rule.match.length * rule.notMatch.length).toBeGreaterThan(0)
    expect(checkRule(whole)).toBeUndefined()
  })

  it('denies nothing, and names each pattern once', () => {
    expect(STARTER_RULES.filter(({ effect }) => effect === 'deny')).toEqual([])
    expect(new Set(STARTER_RULES.map(({ pattern }) => pattern)).size).toBe(STARTER_RULES.length)
  })
})
