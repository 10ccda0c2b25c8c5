import { expect, it } from 'vitest'
import { chosenIn, promptAnswers, questionOf } from './prompt-answers.ts'

const QUESTIONS = [
  questionOf({ header: '', question: 'One?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false }),
  questionOf({ header: 'Many', question: 'Many?', options: [{ label: 'C' }, { label: 'D' }], multiSelect: true }),
]
const pick = (options: number[], text?: string) => ({ options, other: text !== undefined, text: text ?? '' })

it('has no header where the agent gave none', () => {
  expect(QUESTIONS.map((question) => question.header)).toEqual([undefined, 'Many'])
})

it.each([
  [[pick([1]), pick([0, 1])], { 0: 'B', 1: '["C","D"]' }],
  [[pick([], 'mine, "own"'), pick([], 'also, mine')], { 0: 'mine, "own"', 1: '["also, mine"]' }],
  [[pick([0]), pick([1], '["x"]')], { 0: 'A', 1: '["D","[\\"x\\"]"]' }],
])('writes answers by place, and reads them back: %o', (picks, answers) => {
  expect(promptAnswers(QUESTIONS, picks)).toEqual(answers)
  const read = QUESTIONS.map(({ multiSelect }, place) => chosenIn(answers, place, multiSelect))
  expect(read).toEqual(
    picks.map(({ options, other, text }, place) => [
      ...options.map((option) => QUESTIONS[place]?.options[option]?.label),
      ...(other ? [text] : []),
    ]),
  )
})
