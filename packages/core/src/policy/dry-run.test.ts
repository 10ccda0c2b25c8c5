import type { AskId } from '@holdpoint/schema/id'
import { describe, expect, it } from 'vitest'
import { type DryRunGiven, dryRun, type PastCalls } from './dry-run.ts'
import { HOME, PROJECT, policyRule, SESSION } from './fixtures/judged.ts'
import { keptText } from './fixtures/past.ts'

const id = (n: number) => `ask_${String(n).padStart(26, '0')}` as AskId

function past(command: string, more: Partial<PastCalls> = {}): PastCalls {
  const call = keptText(command)
  return { call, project: PROJECT, sessionId: SESSION, trusted: true, asks: 1, allowed: 1, denied: [], ...more }
}

const run = (given: Pick<DryRunGiven, 'rule' | 'past'> & Partial<DryRunGiven>) =>
  dryRun({ rules: [], home: HOME, guarded: [], now: 1000, ...given })

describe('a dry run', () => {
  const rule = policyRule('allow', 'Bash(git log *)')

  it('counts the asks that a rule would have allowed, and names those that a person denied', () => {
    const found = run({
      rule,
      past: [
        past('git log --oneline', { asks: 3, allowed: 2, denied: [id(1)] }),
        past('git log', { asks: 2, allowed: 2 }),
        past('git status'),
        past('git log | sh'),
        past('git log > x'),
      ],
    })
    expect(found).toEqual({ asks: 5, allowed: 4, denied: [id(1)] })
  })

  it('counts what the rule allows together with those in force, and nothing that they decide already', () => {
    const rules = [policyRule('allow', 'Bash(ls *)')]
    expect(run({ rule, rules, past: [past('git log && ls'), past('ls')] }).asks).toBe(1)
    expect(run({ rule, rules: [...rules, policyRule('allow', 'Bash(git log)')], past: [past('git log')] }).asks).toBe(0)
    expect(run({ rule, rules: [policyRule('ask', 'Bash(git *)')], past: [past('git log')] }).asks).toBe(0)
  })

  it('compares an edited rule with the others, not with its old self', () => {
    const edited = { ...rule, pattern: 'Bash(git log)', revision: 1 }
    expect(run({ rule: edited, rules: [rule], past: [past('git log'), past('git log -1')] }).asks).toBe(1)
  })

  it('keeps to the scope of the rule', () => {
    const folder = { kind: 'project', folder: '/home/u/other' } as const
    expect(run({ rule: { ...rule, scope: folder }, past: [past('git log')] }).asks).toBe(0)
    const calls = [
      past('git log'),
      past('git log', { project: '/home/u/other', call: keptText('git log', '/home/u/other') }),
    ]
    expect(run({ rule: { ...rule, scope: folder }, past: calls }).asks).toBe(1)
    const session = { kind: 'session', sessionId: SESSION } as const
    const other = `ses_${'1'.repeat(26)}` as typeof SESSION
    expect(run({ rule: { ...rule, scope: session }, past: [past('git log', { sessionId: other })] }).asks).toBe(0)
  })

  it('counts nothing that is guarded, or that nobody trusts', () => {
    const cat = policyRule('allow', 'Bash(touch *)')
    expect(run({ rule: cat, guarded: [`${PROJECT}/secret`], past: [past('touch secret/x')] }).asks).toBe(0)
    expect(run({ rule, past: [past('git log', { trusted: false })] }).asks).toBe(0)
  })

  it('tells of a rule that asks or denies what it would have met', () => {
    const deny = policyRule('deny', 'Bash(git *)')
    expect(run({ rule: deny, past: [past('git log', { asks: 2 }), past('ls')] }).asks).toBe(2)
    expect(run({ rule: deny, rules: [policyRule('deny', 'Bash(git log)')], past: [past('git log')] }).asks).toBe(0)
  })
})
