import { expect, it } from 'vitest'
import { choiceIn, choiceOf } from './terminal-choice.ts'

const question = {
  kind: 'question' as const,
  questions: [
    { question: 'One?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false },
    { question: 'Many?', options: [{ label: 'X' }, { label: 'Y' }], multiSelect: true },
  ],
}
const approval = { kind: 'approval' as const }

it.each([
  [{ kind: 'ran', isError: false, grantScope: 'once' }, { kind: 'allow' }],
  [
    { kind: 'ran', isError: true, grantScope: 'session' },
    { kind: 'allow', scope: 'session' },
  ],
  [
    { kind: 'denied', message: 'not so' },
    { kind: 'deny', message: 'not so' },
  ],
  [
    { kind: 'refused', why: 'permission-rule' },
    { kind: 'deny', message: 'permission-rule' },
  ],
  [{ kind: 'interrupted' }, { kind: 'deny', interrupt: true }],
  [{ kind: 'dropped' }, undefined],
] as const)('words %j as an answer', (end, choice) => {
  expect(choiceOf(approval, { end })).toEqual(choice)
})

it('reads the answers to questions, by label or in own words', () => {
  expect(choiceIn(question, { answers: { 'One?': 'B', 'Many?': 'X, Y' } })).toEqual({
    kind: 'answer',
    answers: [
      { question: 0, selected: ['B'] },
      { question: 1, selected: ['X', 'Y'] },
    ],
  })
  expect(choiceIn(question, { answers: { 'One?': 'C, D', 'Many?': 'X, mine' } })).toEqual({
    kind: 'answer',
    answers: [
      { question: 0, selected: [], other: 'C, D' },
      { question: 1, selected: ['X'], other: 'mine' },
    ],
  })
  expect(choiceOf(question, { end: { kind: 'ran', isError: false } })).toEqual({ kind: 'answer' })
  expect(choiceOf(question, { end: { kind: 'denied' } })).toEqual({ kind: 'cancel' })
})
