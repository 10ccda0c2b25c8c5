import { answersByText } from '@holdpoint/core/ask-machine'
import type { Ask, Question } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answersByWording, type TextAnswer, textAnswers } from './text-answers.ts'

const question = (labels: string[], multiSelect: boolean): Question => ({
  question: 'Which?',
  options: labels.map((label) => ({ label })),
  multiSelect,
})
const parts = (asked: Question, value: TextAnswer) => {
  const { question: _, ...rest } = textAnswers([asked], [{ question: 0, value }])[0] as { question: number }
  return rest
}

describe('answers that are only text', () => {
  const several = question(['Red', 'Red, green', 'Blue'], true)
  it.each<[Question, TextAnswer, unknown]>([
    [several, 'Blue', { selected: ['Blue'] }],
    [several, 'Blue, Red', { selected: ['Blue', 'Red'] }],
    [several, 'Red, green, Blue', { selected: ['Red, green', 'Blue'] }],
    [several, 'Red, something else', { selected: ['Red'], other: 'something else' }],
    [several, 'Red, Red', { selected: ['Red'], other: 'Red' }],
    [several, 'mauve', { selected: [], other: 'mauve' }],
    [question(['Yes', 'No'], false), 'Yes', { selected: ['Yes'] }],
    [question(['Yes', 'No'], false), 'Yes, No', { selected: [], other: 'Yes, No' }],
    [several, ['Blue', 'Red, green'], { selected: ['Blue', 'Red, green'] }],
    [several, ['mauve', 'Blue', 'a, b'], { selected: ['Blue'], other: 'mauve, a, b' }],
    [question(['Yes', 'No'], false), ['Yes'], { selected: ['Yes'] }],
    [question(['Yes', 'No'], false), ['Yes', 'No'], { selected: ['Yes', 'No'] }],
  ])('%o %s', (asked, text, expected) => expect(parts(asked, text)).toEqual(expected))

  it.each<[TextAnswer]>([[''], ['  '], [[]], [['', ' ']]])('%j is a question that was left out', (value) => {
    const two = [{ ...several, question: 'One?' }, several]
    const left = answersByWording({ questions: two }, { 'One?': value, 'Which?': 'Blue' })
    expect(left).toEqual({ ok: true, answer: { kind: 'answer', answers: [{ question: 1, selected: ['Blue'] }] } })
  })

  it('reach the agent as they were given', () => {
    const label = fc.constantFrom('a', 'a, b', 'b', ', ', 'c,', 'other')
    fc.assert(
      fc.property(
        fc.uniqueArray(label, { minLength: 1 }),
        fc.boolean(),
        fc.array(label).map((list) => list.join(', ')),
        (labels, multiSelect, text) => {
          fc.pre(text.trim() !== '')
          const asked = question(labels, multiSelect)
          const given = textAnswers([asked], [{ question: 0, value: text }])
          expect(answersByText({ questions: [asked] } as Ask, given)).toEqual({ 'Which?': text })
        },
      ),
    )
  })
})
