import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { deciderWords, outcomeWords } from './outcome-words.ts'

const ANN = { device: 'dev_1', name: 'Ann’s phone', role: 'owner' } as const
const display = { verb: 'Run command', icon: 'terminal', shownIn: { command: 'command' } } as const
const ask = (kind: Ask['kind']) => sampleAsk({ kind, display, form: { mode: 'form', server: 's', message: '' } })
const outcome = (given: Partial<Outcome>): Outcome => ({ kind: 'allowed', at: 0, via: 'web', by: ANN, ...given })

const THERE = { kind: 'withdrawn', via: 'terminal', reason: 'answered-elsewhere' } as const

describe('the words for an outcome', () => {
  it.each<[string, Ask['kind'], Partial<Outcome>]>([
    ['Allowed once', 'approval', { answer: { kind: 'allow' } }],
    ['Allowed and remembered', 'approval', { answer: { kind: 'allow', remember: { scope: 'session' } } }],
    [
      'Allowed and remembered: Bash(ls *) in this project',
      'approval',
      { answer: { kind: 'allow', remember: { scope: 'project', rule: 'Bash(ls *)' } } },
    ],
    ['Allowed with changes', 'approval', { answer: { kind: 'allow', updatedInput: {} } }],
    ['Allowed with changes: ls -l', 'approval', { answer: { kind: 'allow', updatedInput: { command: 'ls -l' } } }],
    ['Allowed by a rule', 'approval', { via: 'rule' }],
    ['Allowed by a rule: `Bash(ls)` allows it.', 'approval', { via: 'rule', reason: '`Bash(ls)` allows it.' }],
    [
      'Denied by a rule: `Bash(rm *)` denies `rm x`.',
      'approval',
      { kind: 'denied', via: 'rule', reason: '`Bash(rm *)` denies `rm x`.' },
    ],
    ['Denied: no', 'approval', { kind: 'denied', answer: { kind: 'deny', message: ' no ' } }],
    ['Denied and stopped', 'approval', { kind: 'denied', answer: { kind: 'deny', interrupt: true } }],
    ['Skipped', 'question', { kind: 'denied', answer: { kind: 'cancel' } }],
    [
      'Answered: A, own words · B',
      'question',
      {
        kind: 'answered',
        answer: { kind: 'answer', answers: [{ selected: ['A'], other: 'own words' }, { selected: ['B'] }] },
      },
    ],
    [
      'Approved with changes: edits without asking',
      'plan',
      { answer: { kind: 'allow', plan: 'x', permissionMode: 'acceptEdits' } },
    ],
    ['Sent back: shorter', 'plan', { kind: 'denied', answer: { kind: 'deny', message: 'shorter' } }],
    ['Submitted', 'form', { kind: 'answered', answer: { kind: 'submit' } }],
    ['Declined', 'form', { kind: 'denied', answer: { kind: 'decline' } }],
    ['Cancelled', 'form', { kind: 'denied', answer: { kind: 'cancel' } }],
    ['Expired: nobody answered in time', 'approval', { kind: 'expired' }],
    ['Withdrawn: the agent was interrupted', 'approval', { kind: 'withdrawn', reason: 'interrupted' }],
    ['Allowed at its terminal', 'approval', { ...THERE, answer: { kind: 'allow' } }],
    ['Denied at its terminal: not so', 'approval', { ...THERE, answer: { kind: 'deny', message: 'not so' } }],
    ['Sent back at its terminal', 'plan', { ...THERE, answer: { kind: 'deny' } }],
    [
      'Answered at its terminal: A',
      'question',
      { ...THERE, answer: { kind: 'answer', answers: [{ selected: ['A'] }] } },
    ],
    ['Withdrawn: it was answered at its terminal', 'approval', THERE],
    ['Withdrawn: some new reason', 'approval', { kind: 'withdrawn', reason: 'some new reason' }],
  ])('%s', (words, kind, given) => {
    const { what, detail } = outcomeWords(ask(kind), outcome(given))
    expect(detail === undefined ? what : `${what}: ${detail}`).toBe(words)
  })

  it('says of a call that the agent had refused that it may be repeated, and of the repeated one why it ran', () => {
    const appeal = sampleAsk({ appeal: { reason: 'It runs an unknown script.' } })
    expect(outcomeWords(appeal, outcome({}))).toMatchObject({ detail: 'for one repeat of this call, in the same turn' })
    const repeated = outcome({ via: 'appeal', answer: undefined })
    expect(outcomeWords(ask('approval'), repeated)).toMatchObject({ what: 'Allowed after an appeal' })
  })

  it('says when something was allowed but not remembered', () => {
    const given = { answer: { kind: 'allow', remember: { scope: 'session' } }, notRemembered: 'it wants a person' }
    expect(outcomeWords(ask('approval'), outcome(given))).toMatchObject({
      what: 'Allowed once',
      caveat: 'Not remembered: it wants a person.',
    })
  })

  it('does not say of an agent at a terminal that it took its ask back: it may still ask there', () => {
    const taken = outcome({ kind: 'withdrawn', reason: 'agent-cancelled', via: 'gateway' })
    const why = (agent: string) => outcomeWords(sampleAsk({ agent }), taken).detail
    expect(why('claude')).toBe('the agent cancelled it')
    for (const agent of ['attached', 'terminal']) expect(why(agent)).toMatch(/its terminal may still ask$/)
  })

  it('says who decided and from where, and nobody where nobody did', () => {
    expect(deciderWords(outcome({}))).toBe('Ann’s phone in a browser')
    expect(deciderWords(outcome({ via: 'rule' }))).toBe('a rule of Ann’s phone')
    expect(deciderWords(outcome({ via: 'appeal' }))).toBe('Ann’s phone')
    expect(deciderWords(outcome({ via: 'terminal' }))).toBe('Ann’s phone at a command line')
    expect(deciderWords(outcome({ via: 'acp' }))).toBe('Ann’s phone over acp')
    expect(deciderWords({ kind: 'expired', at: 0, via: 'gateway' })).toBeUndefined()
  })
})
