import { describe, expect, it } from 'vitest'
import { inputNotShownInForm } from './input-not-shown-in-form.ts'

const shown = { question: 'Which?', options: [], multiSelect: false }

describe('what a call says besides the answer that is asked for (T26)', () => {
  it.each([
    ['nothing without a call', { questions: [shown] }, undefined],
    ['all of the input of a form', { tool: tool({ folder: 'a' }) }, { folder: 'a' }],
    ['nothing of an empty input', { tool: tool({}) }, undefined],
    [
      'nothing of questions that are shown',
      { tool: tool({ questions: [{ question: 'Which?' }] }), questions: [shown] },
      undefined,
    ],
    ['the rest', { tool: tool({ questions: [shown], force: true }), questions: [shown] }, { force: true }],
    [
      'other questions',
      { tool: tool({ questions: [{ question: 'Other?' }] }), questions: [shown] },
      { questions: [{ question: 'Other?' }] },
    ],
    ['more questions', { tool: tool({ questions: [shown, null] }), questions: [shown] }, { questions: [shown, null] }],
    ['questions of a call that shows a form', { tool: tool({ questions: [] }) }, { questions: [] }],
    [
      'what only looks like questions',
      { tool: tool({ questions: 'Which?' }), questions: [shown] },
      { questions: 'Which?' },
    ],
  ])('is %s', (_, ask, expected) => {
    expect(inputNotShownInForm(ask)).toEqual(expected)
  })
})

function tool(input: Record<string, unknown>) {
  return { name: 'any', input }
}
