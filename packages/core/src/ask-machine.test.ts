import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answersByText, digestText, refuse } from './ask-machine.ts'

function open(request: Partial<AskRequest>): Ask {
  const base = {
    ...askRequest(request),
    sessionId: 'ses_1',
    agent: 'claude',
    epoch: 1,
    raisedAt: 1,
    digest: 'd',
    id: 'ask_1',
  }
  return base as Ask
}
const approval: Ask = {
  ...open({ tool: { name: 'Bash', input: { command: 'ls', timeout: 5 } } }),
  remember: { key: 'k', rule: 'Bash(ls)' },
}
const question = open({
  kind: 'question',
  questions: [
    { question: 'One?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: false },
    { question: 'Many?', options: [{ label: 'x' }, { label: 'y' }], multiSelect: true },
  ],
})
const plan = open({ kind: 'plan', plan: { text: 'p' } })
const form = open({
  kind: 'form',
  form: {
    mode: 'form',
    server: 's',
    message: 'm',
    schema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 2 },
        count: { type: 'integer', minimum: 1 },
        colour: { type: 'string', enum: ['red'] },
        ok: { type: 'boolean' },
      },
    },
  },
})
const code = (ask: Ask, answer: Partial<Answer>) => refuse(ask, { digest: 'd', ...answer } as Answer, 'digest')?.code

describe('an answer', () => {
  it('[I2] without the digest of what was shown does not count', () => {
    expect(code(approval, { kind: 'allow', digest: undefined })).toBe('digest_mismatch')
    expect(code(approval, { kind: 'allow', digest: 'other' })).toBe('digest_mismatch')
    expect(refuse(approval, { kind: 'allow' }, 'id')).toBeUndefined()
  })

  it('that cancels a question may end the turn; a form has no way to say so', () => {
    expect(code(question, { kind: 'cancel', interrupt: true })).toBeUndefined()
    expect(code(form, { kind: 'cancel', interrupt: true })).toBe('invalid_answer')
    expect(code(form, { kind: 'cancel', interrupt: false })).toBeUndefined()
  })

  it.each<[string, Ask, Answer['kind'][]]>([
    ['approval', approval, ['allow', 'deny']],
    ['plan', plan, ['allow', 'deny']],
  ])('to an %s is one of its kinds', (_, ask, kinds) => {
    for (const kind of ['allow', 'deny', 'cancel', 'decline'] as const) {
      expect(code(ask, { kind } as Answer), kind).toBe(kinds.includes(kind) ? undefined : 'invalid_answer')
    }
  })

  it.each<[string, Answer['kind'] extends string ? unknown[] : never, boolean]>([
    [
      'one each',
      [
        { question: 0, selected: ['a'] },
        { question: 1, selected: ['x', 'y'] },
      ],
      true,
    ],
    [
      'other words',
      [
        { question: 0, selected: [], other: 'c' },
        { question: 1, selected: ['x'], other: 'z' },
      ],
      true,
    ],
    ['one left out', [{ question: 1, selected: ['x'] }], true],
    ['none answered', [], false],
    [
      'an unknown option',
      [
        { question: 0, selected: ['q'] },
        { question: 1, selected: ['x'] },
      ],
      false,
    ],
    [
      'two of one',
      [
        { question: 0, selected: ['a', 'b'] },
        { question: 1, selected: ['x'] },
      ],
      false,
    ],
    [
      'the same twice',
      [
        { question: 0, selected: ['a'] },
        { question: 0, selected: ['b'] },
        { question: 1, selected: ['x'] },
      ],
      false,
    ],
    [
      'no answer',
      [
        { question: 0, selected: [] },
        { question: 1, selected: ['x'] },
      ],
      false,
    ],
    ['a question that is not there', [{ question: 2, selected: ['a'] }], false],
  ])('to questions with %s', (_, answers, fits) => {
    expect(code(question, { kind: 'answer', answers } as Answer)).toBe(fits ? undefined : 'invalid_answer')
  })

  it('with an edited input keeps its shape', () => {
    expect(code(approval, { kind: 'allow', updatedInput: { command: 'pwd', timeout: 9 } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', updatedInput: { command: 5, timeout: 9 } })).toBe('invalid_answer')
    expect(code(approval, { kind: 'allow', updatedInput: { timeout: 9 } })).toBe('invalid_answer')
  })

  it('remembers only what the ask offers, for the session', () => {
    expect(code(approval, { kind: 'allow', remember: { scope: 'session' } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', remember: { scope: 'session', rule: 'Bash(ls)' } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', remember: { scope: 'session', rule: 'Bash(*)' } })).toBe('invalid_answer')
    expect(code(approval, { kind: 'allow', remember: { scope: 'everywhere' } })).toBe('invalid_answer')
    const edited = { command: 'rm', timeout: 5 }
    expect(code(approval, { kind: 'allow', remember: { scope: 'session' }, updatedInput: edited })).toBe(
      'invalid_answer',
    )
  })

  it.each<[Record<string, unknown>, boolean]>([
    [{ name: 'Ada', count: 2, colour: 'red', ok: true }, true],
    [{ name: 'Ada' }, true],
    [{}, false],
    [{ name: 'A' }, false],
    [{ name: 'Ada', count: 1.5 }, false],
    [{ name: 'Ada', count: 0 }, false],
    [{ name: 'Ada', colour: 'blue' }, false],
    [{ name: 'Ada', ok: 'yes' }, false],
    [{ name: 'Ada', extra: 1 }, false],
  ])('to a form fits its schema: %j', (content, fits) => {
    expect(code(form, { kind: 'submit', content })).toBe(fits ? undefined : 'invalid_answer')
  })

  it('reaches the agent by the wording of the question', () => {
    const given = [
      { question: 0, selected: [], other: 'c' },
      { question: 1, selected: ['x', 'y'], other: 'z' },
    ]
    expect(answersByText(question, given)).toEqual({ 'One?': 'c', 'Many?': 'x, y, z' })
  })

  it('reaches the agent whatever the wording is', () => {
    const questions = ['__proto__', 'constructor', 'toString'].map((text) => ({
      question: text,
      options: [{ label: 'no' }],
      multiSelect: false,
    }))
    const answers = answersByText(
      { questions },
      questions.map((_, place) => ({ question: place, selected: ['no'] })),
    )
    expect(JSON.stringify(answers)).toBe('{"__proto__":"no","constructor":"no","toString":"no"}')
  })
})

describe('the digest', () => {
  it('[T23] covers everything that decides what an allow would do', () => {
    const changes: [string, (ask: Ask) => Ask][] = [
      ['agent', (ask) => ({ ...ask, agent: 'other' })],
      ['session', (ask) => ({ ...ask, sessionId: 'ses_2' as Ask['sessionId'] })],
      ['epoch', (ask) => ({ ...ask, epoch: 2 })],
      ['request', (ask) => ({ ...ask, requestId: 'other' })],
      ['kind', (ask) => ({ ...ask, kind: 'plan' })],
      ['tool', (ask) => ({ ...ask, tool: { name: 'Write', input: ask.tool?.input ?? {} } })],
      ['input', (ask) => ({ ...ask, tool: { name: 'Bash', input: { command: 'ls ', timeout: 5 } } })],
      ['cwd', (ask) => ({ ...ask, context: { cwd: '/elsewhere' } })],
      ['plan', (ask) => ({ ...ask, plan: { text: 'x' } })],
      ['questions', (ask) => ({ ...ask, questions: question.questions })],
      ['form', (ask) => ({ ...ask, form: form.form })],
    ]
    for (const [name, change] of changes) expect(digestText(change(approval)), name).not.toBe(digestText(approval))
  })

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse())
        const of = (given: Record<string, unknown>) => digestText({ ...approval, tool: { name: 'T', input: given } })
        expect(of(input)).toBe(of(reversed))
      }),
    )
  })
})
