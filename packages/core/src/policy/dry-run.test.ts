import type { AskId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { callParts } from './call-parts.ts'
import { countedRules } from './counted-rules.ts'
import { type DryRunGiven, type PastCalls, startDryRun } from './dry-run.ts'
import { HOSTILE } from './fixtures/hostile-techniques.ts'
import { HOME, PROJECT, policyCall, policyRule, SESSION } from './fixtures/judged.ts'
import { ORDINARY } from './fixtures/ordinary-commands.ts'
import { keptText } from './fixtures/past.ts'
import { REALISTIC_RULES } from './fixtures/realistic-rules.ts'
import { concernsAny, judge, pathsOfParts } from './judge.ts'
import { asWritten } from './kept-call.ts'

const id = (n: number) => `ask_${String(n).padStart(26, '0')}` as AskId

function past(command: string, more: Partial<PastCalls> = {}): PastCalls {
  const call = keptText(command)
  return { call, project: PROJECT, sessionId: SESSION, trusted: true, asks: 1, allowed: 1, denied: [], ...more }
}

const run = ({ past, ...given }: Pick<DryRunGiven, 'rule'> & Partial<DryRunGiven> & { past: readonly PastCalls[] }) =>
  startDryRun({ rules: [], home: HOME, guarded: [], now: 1000, ...given })(past)

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

describe('whether a rule is about a call', () => {
  const realisticRules = REALISTIC_RULES.map((pattern) => policyRule('allow', pattern))
  const tried = [
    ...realisticRules.slice(0, 20),
    policyRule('allow', 'Bash(git status)'),
    policyRule('allow', 'Bash(grep *)'),
    policyRule('ask', 'Bash'),
    policyRule('ask', 'Read(.env)'),
    policyRule('deny', 'Bash(rm *)'),
    policyRule('deny', 'Edit(src/**)'),
    policyRule('deny', 'Bash('),
  ]
  const commands = [
    ...ORDINARY.map(({ command }) => command).filter((_, at) => at % 7 === 0),
    ...HOSTILE.flatMap((technique) => technique.commands.slice(0, 1)).filter((command) => command.length < 2000),
  ]

  it('is never denied where the rule changes the verdict', () => {
    const missed: string[] = []
    let changed = 0
    for (const command of commands) {
      const call = policyCall({ type: 'command', command })
      const parts = callParts(call)
      const facts = { now: 1000, hashes: new Map(), guarded: [], realPaths: asWritten(pathsOfParts(parts)) }
      const effect = (rules: readonly PolicyRule[]) => judge(rules, call, facts, parts).effect
      for (const rule of tried) {
        if (effect([...realisticRules, rule]) === effect(realisticRules.filter((each) => each !== rule))) continue
        changed++
        const isAbout = concernsAny(countedRules([rule], call, 1000), call, parts, facts)
        if (!isAbout) missed.push(`${rule.pattern}: ${command}`)
      }
    }
    expect(missed).toEqual([])
    expect(changed).toBeGreaterThan(100)
  })
})
