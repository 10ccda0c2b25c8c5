import type { AnswerState } from '@holdpoint/react/cards/ask-card'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Case } from './cases.ts'
import { bash, NOW, plan, question } from './sample-asks.ts'
import { COMMAND, PLAN, QUESTIONS } from './sample-texts.ts'

const ANN = { device: 'dev_01kdzzzzzzgallery0000000001', name: 'Ann’s phone', role: 'owner' } as const

function outcome(given: Partial<Outcome>): Outcome {
  return { kind: 'allowed', at: NOW - 120_000, by: ANN, via: 'web', answer: { kind: 'allow' }, ...given }
}

function elsewhere(given: Partial<Outcome>): AnswerState {
  return { kind: 'settled-elsewhere', outcome: outcome(given) }
}

/** What a rule of the policy decided: no person did. */
function ruled(kind: 'allowed' | 'denied', reason: string): AnswerState {
  const rules: Outcome['rules'] = ['rul_01kdzzzzzzgallery0000000001']
  return { kind: 'settled-elsewhere', outcome: { kind, at: NOW - 120_000, via: 'rule', reason, rules } }
}

const DENIED = { kind: 'deny', message: 'Use the staging database, and run the migration in a transaction.' }

export const SETTLED_CASES: readonly Case[] = [
  {
    id: 'approval-bash--settled-here',
    ask: bash('npm test -- queue'),
    state: { kind: 'settled-here', outcome: outcome({ at: NOW - 3000 }) },
  },
  { id: 'approval-bash--settled-elsewhere', ask: bash(COMMAND), state: elsewhere({}) },
  {
    id: 'approval-bash--lost-race',
    ask: bash(COMMAND),
    state: {
      kind: 'settled-elsewhere',
      outcome: outcome({ at: NOW - 2000, kind: 'denied', answer: { kind: 'deny' } }),
      pressed: { kind: 'allow' },
      lostRace: true,
    },
  },
  {
    id: 'approval-bash--changed',
    ask: bash('sh build.sh'),
    state: {
      kind: 'withdrawn',
      outcome: { kind: 'withdrawn', at: NOW - 2000, via: 'gateway', reason: 'changed' },
      pressed: { kind: 'allow' },
      lostRace: true,
    },
  },
  { id: 'approval-bash--denied', ask: bash(COMMAND), state: elsewhere({ kind: 'denied', answer: DENIED }) },
  {
    id: 'approval-bash--denied-and-stopped',
    ask: bash(COMMAND),
    state: elsewhere({ kind: 'denied', answer: { kind: 'deny', interrupt: true } }),
  },
  {
    id: 'approval-bash--remembered',
    ask: bash('npm test'),
    state: elsewhere({ answer: { kind: 'allow', remember: { scope: 'session' } } }),
  },
  {
    id: 'approval-bash--not-remembered',
    ask: bash('npm test'),
    state: elsewhere({
      answer: { kind: 'allow', remember: { scope: 'session' } },
      notRemembered: 'this ask needs a person each time',
    }),
  },
  {
    id: 'approval-bash--changed',
    ask: bash('npm test'),
    state: elsewhere({ answer: { kind: 'allow', updatedInput: { command: 'npm test -- queue' } } }),
  },
  { id: 'approval-bash--by-rule', ask: bash('npm test'), state: elsewhere({ via: 'rule' }) },
  {
    id: 'approval-bash-appeal--settled-elsewhere',
    ask: bash('sh build.sh', { appeal: { reason: 'It runs an unknown script.' }, remember: undefined }),
    state: elsewhere({}),
  },
  { id: 'approval-bash--by-appeal', ask: bash('sh build.sh'), state: elsewhere({ via: 'appeal' }) },
  {
    id: 'approval-bash--allowed-by-policy',
    ask: bash('git log --oneline'),
    state: ruled('allowed', '`Bash(git log *)` allows it.'),
  },
  {
    id: 'approval-bash--denied-by-policy',
    ask: bash('rm -rf build'),
    state: ruled('denied', '`Bash(rm -rf *)` denies `rm -rf build`.'),
  },
  {
    id: 'approval-bash--expired',
    ask: bash(COMMAND),
    state: { kind: 'expired', outcome: { kind: 'expired', at: NOW - 60_000, via: 'gateway' } },
  },
  {
    id: 'approval-bash--withdrawn',
    ask: bash(COMMAND),
    state: {
      kind: 'withdrawn',
      outcome: { kind: 'withdrawn', at: NOW - 60_000, via: 'gateway', reason: 'interrupted' },
    },
  },
  {
    id: 'question-two--answered',
    ask: question(QUESTIONS),
    state: elsewhere({
      kind: 'answered',
      answer: {
        kind: 'answer',
        answers: [
          { question: 0, selected: ['Comparison table'] },
          { question: 1, selected: ['EUR', 'USD'], other: 'CHF' },
        ],
      },
    }),
  },
  {
    id: 'question-two--skipped',
    ask: question(QUESTIONS),
    state: elsewhere({ kind: 'denied', answer: { kind: 'cancel' } }),
  },
  {
    id: 'plan--approved',
    ask: plan(PLAN),
    state: elsewhere({ answer: { kind: 'allow', permissionMode: 'acceptEdits' } }),
  },
  {
    id: 'plan--sent-back',
    ask: plan(PLAN),
    state: elsewhere({ kind: 'denied', answer: { kind: 'deny', message: 'Split the migration in two.' } }),
  },
]
