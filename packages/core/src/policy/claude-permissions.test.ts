import type { RuleScope } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { fromClaudeCode, toClaudeCode } from './claude-permissions.ts'
import { policyRule, SESSION } from './fixtures/judged.ts'
import { unknownTool } from './unknown-tool.ts'

const EVERYWHERE: RuleScope = { kind: 'everywhere' }
const PROJECT: RuleScope = { kind: 'project', folder: '/work' }

const imported = (permissions: unknown, scope: RuleScope = EVERYWHERE) => fromClaudeCode({ permissions }, scope)

describe('rules of Claude Code', () => {
  it.each([
    ['allow', 'Bash(git status)', 'Bash(git status)'],
    ['deny', 'Bash(npm run test:*)', 'Bash(npm run test *)'],
    ['ask', 'Bash(git push *)', 'Bash(git push *)'],
    ['deny', 'Bash', 'Bash'],
    ['deny', 'Bash(*)', 'Bash(*)'],
    ['allow', 'Bash(ls:*)', 'Bash(ls *)'],
    ['deny', 'Read(./.env)', 'Read(./.env)'],
    ['deny', 'Read(~/.ssh/**)', 'Read(~/.ssh/**)'],
    ['allow', 'Edit(src/**)', 'Edit(src/**)'],
    ['allow', 'WebFetch(domain:example.com)', 'WebFetch(domain:example.com)'],
    ['allow', 'mcp__github', 'mcp__github__*'],
    ['deny', 'mcp__github__delete', 'mcp__github__delete'],
    ['deny', 'WebSearch', 'WebSearch'],
  ] as const)('become ours: %s %s', (effect, text, pattern) => {
    const agent = effect === 'allow' ? 'claude' : '*'
    expect(imported({ [effect]: [text] })).toEqual({
      rules: [{ effect, agent, pattern, scope: EVERYWHERE }],
      notMapped: [],
    })
  })

  it.each([
    ['allow', 'Bash'],
    ['allow', 'Bash(*)'],
    ['allow', 'Read'],
    ['allow', 'WebFetch'],
    ['allow', 'WebFetch(domain:*)'],
    ['allow', 'Bash(npm run test:*)'],
    ['allow', 'Bash(ls*)'],
    ['allow', 'Bash(git * main)'],
    ['deny', 'Bash(git * main)'],
    ['allow', "Bash(ls '*')"],
    ['allow', 'Bash(ls *.ts)'],
    ['allow', 'Bash(ls && rm x)'],
    ['allow', 'Bash(FOO=1 ls)'],
    ['allow', 'Bash(ls > x)'],
    ['allow', 'Bash(ls'],
    ['allow', 'Bash)'],
    ['allow', 'Bash(ls))('],
    ['allow', 'Bash()'],
    ['allow', 'NotebookEdit(src/**)'],
    ['allow', 'Write(src/**)'],
    ['allow', 'Edit(/src/**)'],
    ['allow', 'Edit(../**)'],
    ['allow', 'Edit(src/{a,b})'],
    ['deny', 'Skill(deploy)'],
    ['deny', 'Agent(Explore)'],
    ['deny', '*'],
    ['allow', 'mcp__*'],
    ['allow', ''],
  ] as const)('that would mean more here, or nobody knows what, are listed with the reason: %s %j', (effect, text) => {
    expect(imported({ [effect]: [text] })).toEqual({
      rules: [],
      notMapped: [{ rule: `${effect} ${text}`, why: expect.stringMatching(/\w{3}/) }],
    })
  })

  it('from the root of the project are taken from the settings of that project', () => {
    expect(imported({ allow: ['Edit(/src/**)'] }, PROJECT).rules).toMatchObject([{ pattern: 'Edit(/src/**)' }])
  })

  it('come once, and other settings are listed', () => {
    const { rules, notMapped } = imported({
      allow: ['Bash(ls:*)', 'Bash(ls *)', 5],
      deny: 'Bash',
      defaultMode: 'bypassPermissions',
    })
    expect(rules.map(({ pattern }) => pattern)).toEqual(['Bash(ls *)'])
    expect(notMapped.map(({ rule }) => rule)).toEqual(['allow 5', 'deny', 'defaultMode'])
    for (const permissions of [undefined, null, [], 'x'])
      expect(imported(permissions)).toMatchObject({ rules: [], notMapped: [{ rule: 'permissions' }] })
  })
})

describe('our rules for Claude Code', () => {
  const exported = (...given: Parameters<typeof policyRule>) => toClaudeCode([policyRule(...given)], { now: 10 })

  it.each([
    ['allow', 'Bash(git status)', 'Bash(git status)'],
    ['ask', 'Bash(git push *)', 'Bash(git push *)'],
    ['deny', 'Write(src/**)', 'Edit(src/**)'],
    ['allow', 'Read(//etc/hosts)', 'Read(//etc/hosts)'],
    ['deny', 'Read(*.pem)', 'Read(*.pem)'],
    ['allow', 'WebFetch(domain:example.com)', 'WebFetch(domain:example.com)'],
    ['allow', 'mcp__s__*', 'mcp__s__*'],
    ['deny', 'WebSearch', 'WebSearch'],
  ] as const)('are written there: %s %s', (effect, pattern, text) => {
    expect(exported(effect, pattern)).toEqual({
      permissions: { allow: [], ask: [], deny: [], [effect]: [text] },
      notMapped: [],
    })
  })

  it.each([
    ['allow', 'Bash(git diff *)', {}],
    ['allow', 'Edit(src/**)', {}],
    ['allow', 'Edit(x.ts)', {}],
    ['allow', "Bash(echo '*')", {}],
    ['deny', 'Edit(/src/**)', {}],
    ['allow', 'WebFetch(domain:*.example.com)', {}],
    ['deny', 'WebFetch(domain:example.com:8080)', {}],
    ['allow', 'Bash(git status)', { until: 20 }],
    ['allow', 'Bash(git status)', { until: 5 }],
    ['allow', 'Bash(./build.sh)', { pins: [{ path: '/a', sha256: 'a' }] }],
    ['deny', 'Bash(ls)', { agent: 'codex' }],
    ['deny', 'Bash(ls)', { scope: { kind: 'session', sessionId: SESSION } }],
    ['deny', 'Bash(ls)', { scope: PROJECT }],
  ] as const)('are listed where they would allow more there, or cannot be said: %s %s %j', (effect, pattern, more) => {
    expect(exported(effect, pattern, more as Parameters<typeof policyRule>[2])).toEqual({
      permissions: { allow: [], ask: [], deny: [] },
      notMapped: [{ rule: `${effect} ${pattern}`, why: expect.stringMatching(/\.$/) }],
    })
  })

  it('for a project are those of its folder', () => {
    const rules = [
      policyRule('deny', 'Bash(a)', { scope: PROJECT }),
      policyRule('deny', 'Bash(b)', { scope: { kind: 'project', folder: '/other' } }),
      policyRule('deny', 'Bash(c)'),
    ]
    const { permissions, notMapped } = toClaudeCode(rules, { now: 10, folder: '/work' })
    expect(permissions.deny).toEqual(['Bash(a)'])
    expect(notMapped.map(({ rule }) => rule)).toEqual(['deny Bash(b)', 'deny Bash(c)'])
  })
})

describe('a rule for a tool that no agent is known to have', () => {
  const tools = new Set(['Bash', 'WebSearch'])
  const warning = (pattern: string) => unknownTool(policyRule('deny', pattern), tools)

  it('is worth a warning, whatever its effect', () => {
    expect(warning('WebSarch')).toContain('Check the spelling')
    for (const pattern of ['WebSearch', 'Bash(ls)', 'mcp__s__t', 'Edit']) expect(warning(pattern)).toBeUndefined()
  })
})
