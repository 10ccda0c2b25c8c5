import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskContext, AskRequest, Tool } from '@holdpoint/schema/ask'
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

  it('T27 that allows what names no tool does not count: nothing of it was shown and bound', () => {
    const old = open({ tool: undefined, title: 'Delete the production database' })
    expect(code(old, { kind: 'allow' })).toBe('invalid_answer')
    expect(code(old, { kind: 'deny' })).toBeUndefined()
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

  it('T38 that allows a plan takes it out of plan mode', () => {
    expect(code(plan, { kind: 'allow', permissionMode: 'default' })).toBeUndefined()
    const issues = [expect.stringContaining('cannot stay in plan mode')]
    expect(refuse(plan, { kind: 'allow', permissionMode: 'plan' }, 'id')).toEqual({ code: 'invalid_answer', issues })
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

  it('remembers this call for the session, or names a rule, which is checked by whoever makes rules', () => {
    expect(code(approval, { kind: 'allow', remember: { scope: 'session' } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', remember: { scope: 'session', rule: 'Bash(ls)' } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', remember: { scope: 'project', rule: 'Bash(*)', until: 5 } })).toBeUndefined()
    expect(code(approval, { kind: 'allow', remember: { scope: 'session', until: 5 } })).toBe('invalid_answer')
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

/** All fields of `Whole` that are not in `Bound`: a new field is a type error until it is in one of the two lists. */
type Others<Whole, Bound> = { readonly [Field in Exclude<keyof Whole, keyof Bound>]-?: Whole[Field] }

/** One change for each field of an ask that the digest covers; of `tool` and `context` it covers a part. */
const BOUND = {
  agent: 'other',
  sessionId: 'ses_2' as Ask['sessionId'],
  epoch: 2,
  requestId: 'other',
  kind: 'plan',
  questions: question.questions,
  plan: { text: 'x' },
  form: form.form,
  files: [{ path: '/a.sh', use: 'runs', sha256: null }],
  filesUnknown: 'Which files it runs is not known.',
  appeal: { reason: 'The agent refused it.' },
} satisfies Partial<Ask>
const BOUND_OF_TOOL = { name: 'Write', input: { command: 'ls ', timeout: 5 } } satisfies Partial<Tool>
const BOUND_OF_CONTEXT = { cwd: '/elsewhere' } satisfies Partial<AskContext>

/** And of the others, with the reason why none of them decides what an allow would do. */
const UNBOUND: Others<Ask, typeof BOUND & { tool: Tool; context: AskContext }> = {
  // Made of the fields that are bound.
  id: 'ask_2' as Ask['id'],
  digest: 'other',
  title: 'other',
  display: { verb: 'Run command', icon: 'terminal' },
  remember: { key: 'other', rule: 'other' },
  // Who asks, for people to read.
  toolUseId: 'other',
  subagent: 'other',
  subagentName: 'other',
  raisedBy: 'dev_1' as NonNullable<Ask['raisedBy']>,
  raiser: 'other',
  // Words of the agent or its vendor; an allow has no effect on them.
  agentSays: 'other',
  decisionReason: 'other',
  matchedAskRule: { rule: 'other' },
  suggestions: ['other'],
  // What may be remembered, and which button comes first.
  flags: { defaultToNo: true, noRemember: true },
  // When it was asked, why, and what became of it.
  askedBecause: { reason: 'other' },
  raisedAt: 2,
  expiresAt: 3,
  replaces: 'ask_0' as NonNullable<Ask['replaces']>,
  outcome: { kind: 'expired', at: 4, via: 'gateway' },
  omitted: { digest: 'other', characters: 1 },
}
/** Names for people. */
const UNBOUND_OF_TOOL: Others<Tool, typeof BOUND_OF_TOOL> = {
  displayName: 'other',
  mcpServer: { name: 'other', source: 'other' },
}
/** Read off the input, or off files whose hashes are bound. */
const UNBOUND_OF_CONTEXT: Others<AskContext, typeof BOUND_OF_CONTEXT> = {
  command: 'other',
  filePath: '/other',
  diff: 'other',
  diffOmitted: 'other',
  url: 'https://other.example',
  query: 'other',
  blockedPath: '/other',
}

/** One change for each entry. */
function each<Changes extends object>(changes: Changes): Partial<Changes>[] {
  return Object.entries(changes).map(([field, value]) => ({ [field]: value }) as Partial<Changes>)
}

describe('the digest', () => {
  it('[T23] covers everything that decides what an allow would do', () => {
    const { tool = { name: '', input: {} }, context } = approval
    const changes: Partial<Ask>[] = [
      ...each(BOUND),
      ...each(BOUND_OF_TOOL).map((change) => ({ tool: { ...tool, ...change } })),
      ...each(BOUND_OF_CONTEXT).map((change) => ({ context: { ...context, ...change } })),
    ]
    for (const change of changes) {
      expect(digestText({ ...approval, ...change }), JSON.stringify(change)).not.toBe(digestText(approval))
    }
  })

  it('does not change with what decides nothing', () => {
    const { tool = { name: '', input: {} }, context } = approval
    const changes: Partial<Ask>[] = [
      ...each(UNBOUND),
      ...each(UNBOUND_OF_TOOL).map((change) => ({ tool: { ...tool, ...change } })),
      ...each(UNBOUND_OF_CONTEXT).map((change) => ({ context: { ...context, ...change } })),
    ]
    for (const change of changes) {
      expect(digestText({ ...approval, ...change }), JSON.stringify(change)).toBe(digestText(approval))
    }
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
