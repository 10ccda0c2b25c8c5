import type { Question } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import {
  answersOf,
  digitsAt,
  firstOpen,
  isAnswered,
  NOTHING_PICKED,
  nextOpen,
  type Pick,
  picked,
  written,
} from './question-state.ts'

const one: Question = { question: 'Which?', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] }
const many: Question = { ...one, multiSelect: true }

describe('answering questions', () => {
  it('keeps one option of a question that takes one', () => {
    const pick = picked(one, picked(one, NOTHING_PICKED, 0), 1)
    expect(answersOf([one], [pick])).toEqual([{ question: 0, selected: ['B'] }])
  })

  it('toggles options of a question that takes several, in their order', () => {
    const both = picked(many, picked(many, NOTHING_PICKED, 1), 0)
    expect(answersOf([many], [both])).toEqual([{ question: 0, selected: ['A', 'B'] }])
    expect(answersOf([many], [picked(many, both, 0)])).toEqual([{ question: 0, selected: ['B'] }])
  })

  it('takes "Other" only with words in it, and instead of an option where one is wanted', () => {
    const empty = picked(one, picked(one, NOTHING_PICKED, 0), 2)
    expect(isAnswered(empty)).toBe(false)
    expect(answersOf([one], [written(one, empty, 'C')])).toEqual([{ question: 0, selected: [], other: 'C' }])
    expect(answersOf([one], [picked(one, written(one, empty, 'C'), 1)])).toEqual([{ question: 0, selected: ['B'] }])
  })

  it('adds "Other" to the options where several are wanted', () => {
    const pick = written(many, picked(many, NOTHING_PICKED, 0), 'C')
    expect(answersOf([many], [pick])).toEqual([{ question: 0, selected: ['A'], other: 'C' }])
  })

  it('is not answered by an option while "Other" is ticked and empty', () => {
    expect(isAnswered(picked(many, picked(many, NOTHING_PICKED, 0), 2))).toBe(false)
  })

  it('ignores a key that names no option', () => {
    expect(picked(one, NOTHING_PICKED, 7)).toBe(NOTHING_PICKED)
  })

  it('finds the first question without an answer', () => {
    const picks: Pick[] = [picked(one, NOTHING_PICKED, 0), NOTHING_PICKED]
    expect(firstOpen([one, one], picks)).toBe(1)
    expect(firstOpen([one], picks)).toBe(-1)
  })

  it('gives the digits to the question that the person is at', () => {
    const questions = [one, many, one]
    const answered = picked(one, NOTHING_PICKED, 0)
    const at = (picks: readonly Pick[], used?: number, focused?: number) =>
      digitsAt(questions, picks, { used, focused })
    const none = [NOTHING_PICKED, NOTHING_PICKED, NOTHING_PICKED]
    expect(at(none)).toBe(0)
    expect(at([answered, NOTHING_PICKED, NOTHING_PICKED], 0)).toBe(1)
    expect(at([answered, answered, NOTHING_PICKED], 1)).toBe(1)
    expect(at([answered, answered, NOTHING_PICKED])).toBe(2)
    expect(at([answered, answered, answered], 2)).toBe(2)
    expect(at([answered, answered, NOTHING_PICKED], 1, 0)).toBe(0)
    // Not back to the first, which was left open, before the others below have been asked.
    expect(at([NOTHING_PICKED, answered, NOTHING_PICKED], 2)).toBe(0)
  })

  it('goes from a question to the next below that is open, then to those above', () => {
    const questions = [one, one, one]
    const answered = picked(one, NOTHING_PICKED, 0)
    expect(nextOpen(questions, [NOTHING_PICKED, answered, NOTHING_PICKED], 1)).toBe(2)
    expect(nextOpen(questions, [NOTHING_PICKED, answered, answered], 2)).toBe(0)
    expect(nextOpen(questions, [answered, answered, answered], 0)).toBe(-1)
  })

  it('sends a label once though two options have it', () => {
    const twins: Question = { ...many, options: [{ label: 'A' }, { label: 'A' }] }
    expect(answersOf([twins], [{ options: [0, 1], other: false, text: '' }])).toEqual([
      { question: 0, selected: ['A'] },
    ])
  })
})
