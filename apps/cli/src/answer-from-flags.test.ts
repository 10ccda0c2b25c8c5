import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { answerFromFlags } from './answer-from-flags.ts'
import { EXIT } from './console/cli-error.ts'
import { sampleAsk } from './fixtures/sample-ask.ts'

const folder = mkdtempSync(join(tmpdir(), 'hp-answer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const approval = sampleAsk({ kind: 'approval' })
const plan = sampleAsk({ kind: 'plan', plan: { text: 'Do it.' } })
const colour = { question: 'Colour?', multiSelect: true, options: [{ label: 'Red' }, { label: 'Blue' }] }
const sure = { question: 'Sure?', multiSelect: false, options: [{ label: 'Yes' }, { label: '1=No' }] }
const one = sampleAsk({ kind: 'question', questions: [sure] })
const two = sampleAsk({ kind: 'question', questions: [sure, colour] })
const form = sampleAsk({
  kind: 'form',
  form: {
    mode: 'form',
    server: 'crm',
    message: 'Who?',
    schema: {
      properties: {
        name: { type: 'string' },
        age: { type: 'integer' },
        member: { type: 'boolean' },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
      },
      required: ['name'],
    },
  },
})
const usage = expect.objectContaining({ exitCode: EXIT.usage })

describe('an answer from the command line', () => {
  it('carries the digest of what was shown, whatever the answer (I2)', () => {
    const answers = [
      answerFromFlags(approval, 'allow', {}),
      answerFromFlags(approval, 'deny', {}),
      answerFromFlags(one, 'answer', { choose: ['Yes'] }),
      answerFromFlags(one, 'cancel', {}),
      answerFromFlags(form, 'submit', { field: ['name=Ada'] }),
      answerFromFlags(form, 'decline', {}),
    ]
    expect(answers.map((answer) => answer.digest)).toEqual(answers.map(() => 'the-digest'))
  })

  it('allows with an edited input, from the line or from a file', () => {
    const file = join(folder, 'input.json')
    writeFileSync(file, '{"command":"ls"}')
    for (const input of ['{"command":"ls"}', `@${file}`]) {
      expect(answerFromFlags(approval, 'allow', { input })).toMatchObject({ updatedInput: { command: 'ls' } })
    }
    for (const input of ['{', '[]', 'null', `@${join(folder, 'missing')}`]) {
      expect(() => answerFromFlags(approval, 'allow', { input })).toThrow(usage)
    }
  })

  it('remembers for the session, and denies with a message', () => {
    expect(answerFromFlags(approval, 'allow', { remember: true })).toMatchObject({ remember: { scope: 'session' } })
    expect(answerFromFlags(approval, 'deny', { message: 'no', interrupt: true })).toMatchObject({
      kind: 'deny',
      message: 'no',
      interrupt: true,
    })
  })

  it('refuses flags that would have no effect, and answers of another kind', () => {
    expect(() => answerFromFlags(approval, 'deny', { remember: true })).toThrow(usage)
    expect(() => answerFromFlags(approval, 'allow', { message: 'careful' })).toThrow(usage)
    expect(() => answerFromFlags(plan, 'allow', { input: '{}' })).toThrow(usage)
    expect(() => answerFromFlags(one, 'allow', {})).toThrow(/takes answer or cancel/)
  })

  it('takes a changed plan and a mode', () => {
    const file = join(folder, 'plan.md')
    writeFileSync(file, 'Do less.')
    expect(answerFromFlags(plan, 'allow', { plan: `@${file}`, mode: 'acceptEdits' })).toMatchObject({
      plan: 'Do less.',
      permissionMode: 'acceptEdits',
    })
  })

  it('finds the question by its number from 1, which a single question does not need', () => {
    expect(answerFromFlags(one, 'answer', { choose: ['yes'] })).toMatchObject({
      answers: [{ question: 0, selected: ['Yes'] }],
    })
    expect(answerFromFlags(one, 'answer', { choose: ['1=No'] })).toMatchObject({ answers: [{ selected: ['1=No'] }] })
    expect(answerFromFlags(one, 'answer', { choose: ['1=Yes'] })).toMatchObject({ answers: [{ selected: ['Yes'] }] })
    expect(answerFromFlags(two, 'answer', { choose: ['1=Yes', '2=Red', '2=Blue'], other: ['2=Teal'] })).toMatchObject({
      answers: [
        { question: 0, selected: ['Yes'] },
        { question: 1, selected: ['Red', 'Blue'], other: 'Teal' },
      ],
    })
  })

  it('takes the number of an option, unless a label begins with one', () => {
    expect(answerFromFlags(two, 'answer', { choose: ['1=Yes', '2=2'] })).toMatchObject({
      answers: [{ selected: ['Yes'] }, { selected: ['Blue'] }],
    })
    const red = sampleAsk({ kind: 'question', questions: [colour] })
    expect(answerFromFlags(red, 'answer', { choose: ['2', '1=1'] })).toMatchObject({
      answers: [{ selected: ['Blue', 'Red'] }],
    })
    for (const choose of ['0', '3', '-1', '1.0', '١'])
      expect(() => answerFromFlags(red, 'answer', { choose: [choose] })).toThrow(/1\. Red\n {2}2\. Blue/)
    const digits = { ...colour, options: [{ label: '3' }, { label: '1 day' }, { label: 'Never' }] }
    const numbers = sampleAsk({ kind: 'question', questions: [digits] })
    expect(answerFromFlags(numbers, 'answer', { choose: ['3'] })).toMatchObject({ answers: [{ selected: ['3'] }] })
    expect(() => answerFromFlags(numbers, 'answer', { choose: ['1'] })).toThrow(/no option/)
    // `sure` has the label 1=No: no number means an option there.
    expect(() => answerFromFlags(one, 'answer', { choose: ['2'] })).toThrow(/no option/)
  })

  it('never guesses a label or a question', () => {
    expect(() => answerFromFlags(two, 'answer', { choose: ['Yes', '2=Red'] })).toThrow(usage)
    expect(() => answerFromFlags(two, 'answer', { choose: ['0=Yes', '2=Red'] })).toThrow(usage)
    expect(() => answerFromFlags(two, 'answer', { choose: ['1=Yes'] })).toThrow(/question 2/)
    expect(() => answerFromFlags(one, 'answer', { choose: ['Ye'] })).toThrow(/no option/)
    expect(() => answerFromFlags(one, 'answer', {})).toThrow(usage)
  })

  it('takes a label with hidden characters as it was shown', () => {
    const hidden = sampleAsk({ kind: 'question', questions: [{ ...sure, options: [{ label: 'Y\u200bes' }] }] })
    expect(answerFromFlags(hidden, 'answer', { choose: ['Y⟨U+200B⟩es'] })).toMatchObject({
      answers: [{ selected: ['Y\u200bes'] }],
    })
  })

  it('gives form fields the type that the form wants', () => {
    const field = ['name=a=b', 'age=36', 'member=true', 'tags=a', 'tags=b']
    expect(answerFromFlags(form, 'submit', { field })).toMatchObject({
      content: { name: 'a=b', age: 36, member: true, tags: ['a', 'b'] },
    })
    for (const wrong of ['age=old', 'age=', 'member=yes', 'nobody=1', 'name']) {
      expect(() => answerFromFlags(form, 'submit', { field: [wrong] })).toThrow(usage)
    }
    expect(() => answerFromFlags(form, 'submit', { field: ['name=a', 'name=b'] })).toThrow(/twice/)
  })
})
