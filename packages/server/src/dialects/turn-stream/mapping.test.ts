import { answersByText } from '@holdpoint/core/ask-machine'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask, Question } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../transport/errors.ts'
import { answerOf, endedEvent, errorBody, interactionEvent, settledEvent, statusOf, toolCallIdOf } from './mapping.ts'
import { createTurn } from './turn.ts'

const sessionId = 'ses_1' as SessionId
const ask = (request: Partial<Ask> = {}): Ask => ({
  ...askRequest({ requestId: 'r', toolUseId: 'toolu_1' }),
  id: 'ask_1' as AskId,
  sessionId,
  agent: 'synthetic',
  epoch: 1,
  digest: '',
  raisedAt: 0,
  ...request,
})
const outcome = (kind: Outcome['kind'], more: Partial<Outcome> = {}): Outcome => ({ kind, at: 0, via: 'api', ...more })

function view(session: Partial<SessionView['session']> = {}, more: Partial<SessionView> = {}): SessionView {
  return {
    session: { id: sessionId, state: 'assistant_turn', ...session } as SessionView['session'],
    asks: new Map(),
    undelivered: new Map(),
    rules: [],
    queue: [],
    ...more,
  }
}

describe('asks', () => {
  it.each<[Partial<Ask>, StreamEvent | undefined]>([
    [
      {},
      {
        type: 'approval_required',
        data: { toolCallId: 'toolu_1', toolName: 'Bash', input: '{"command":"echo hello"}', cwd: '/somewhere' },
      },
    ],
    [
      { kind: 'plan', tool: undefined, plan: { text: '# Plan' } },
      {
        type: 'approval_required',
        data: {
          toolCallId: 'toolu_1',
          toolName: 'ExitPlanMode',
          input: '{"plan":"# Plan"}',
          cwd: '/somewhere',
          display: { verb: 'Go on with the plan', icon: 'plan', shownIn: { plan: 'plan' } },
        },
      },
    ],
    [
      { kind: 'plan', tool: { name: 'mcp__ops__deploy', input: { plan: 'rm' } }, plan: { text: '# Plan' } },
      {
        type: 'approval_required',
        data: {
          toolCallId: 'toolu_1',
          toolName: 'mcp__ops__deploy',
          input: '{"plan":"rm","plan_text":"# Plan"}',
          cwd: '/somewhere',
        },
      },
    ],
    [
      { tool: undefined, title: 'Deploy' },
      {
        type: 'approval_required',
        data: { toolCallId: 'toolu_1', toolName: 'Deploy', input: '{}', cwd: '/somewhere' },
      },
    ],
    [
      {
        kind: 'question',
        tool: { name: 'AskUserQuestion', input: {} },
        questions: [{ question: 'Which?', options: [{ label: 'A', preview: 'x' }], multiSelect: true }],
      },
      {
        type: 'question_prompt',
        data: {
          toolCallId: 'toolu_1',
          questions: [{ header: '', question: 'Which?', options: [{ label: 'A' }], multiSelect: true }],
        },
      },
    ],
    [
      { kind: 'form', form: { mode: 'form', server: 's', message: 'm' } },
      {
        type: 'form_prompt',
        data: {
          toolCallId: 'toolu_1',
          toolName: 'Bash',
          input: '{"command":"echo hello"}',
          form: { mode: 'form', server: 's', message: 'm' },
        },
      },
    ],
  ])('%j', (request, event) => expect(interactionEvent(ask(request))).toEqual(event))

  it.each<Partial<Ask>>([
    {},
    { kind: 'question', tool: undefined, questions: [{ question: 'Which?', options: [], multiSelect: false }] },
    { kind: 'form', form: { mode: 'form', server: 's', message: 'm' } },
  ])('T27 name the program that asks: %j', (request) => {
    const raisedBy = 'dev_1' as Ask['raisedBy']
    expect(interactionEvent(ask({ ...request, raisedBy, raiser: 'CI' }))?.data).toMatchObject({ raiser: 'CI' })
    expect(interactionEvent(ask({ ...request, raisedBy }))?.data).toMatchObject({ raiser: 'dev_1' })
    expect(interactionEvent(ask(request))?.data).not.toHaveProperty('raiser')
  })

  it('about a call that the agent has refused itself say why it did', () => {
    const appeal = { reason: 'It runs an unknown script.' }
    expect(interactionEvent(ask({ kind: 'approval', appeal }))?.data).toMatchObject({ appeal })
  })

  it('go by the id of the agent, never by one that somebody else has chosen', () => {
    expect(toolCallIdOf(ask())).toBe('toolu_1')
    expect(toolCallIdOf(ask({ toolUseId: undefined }))).toBe('ask_1')
    expect(toolCallIdOf(ask({ toolUseId: '' }))).toBe('ask_1')
    expect(toolCallIdOf(ask({ raisedBy: 'dev_1' as Ask['raisedBy'] }))).toBe('ask_1')
  })

  it.each<[Outcome, object]>([
    [outcome('allowed'), {}],
    [outcome('denied', { answer: { kind: 'deny', message: 'no' } }), { reason: 'no' }],
    [outcome('denied', { answer: { kind: 'cancel' } }), {}],
    [
      outcome('denied', { via: 'rule', reason: '`Bash(rm *)` denies `rm x`.' }),
      { reason: 'Denied by a rule, not by a person. `Bash(rm *)` denies `rm x`.' },
    ],
    [outcome('allowed', { via: 'rule' }), { reason: 'Allowed by a rule, not by a person.' }],
    [outcome('answered', { answer: { kind: 'answer', answers: [] } }), {}],
    [outcome('expired'), {}],
    [outcome('withdrawn', { reason: 'interrupted' }), { reason: 'interrupted' }],
  ])('end with %j', (how, more) =>
    expect(settledEvent(ask(), how)).toEqual({
      type: 'interaction_settled',
      data: { toolCallId: 'toolu_1', outcome: how.kind, ...more },
    }),
  )
})

it('a session waits as long as anything is open, and never when it is dead', () => {
  const asks = new Map([['ask_1' as AskId, ask({ kind: 'form' })]])
  expect(statusOf(view())).toEqual({ sessionId, state: 'assistant_turn' })
  expect(statusOf(view({ model: 'm' }, { asks }))).toEqual({ sessionId, state: 'waiting', model: 'm' })
  expect(statusOf(view({ state: 'dead' }, { asks }))).toEqual({ sessionId, state: 'dead' })
  expect(endedEvent(view({ state: 'dead' }).session).data).toEqual({
    message: 'The session has ended.',
    code: 'session_ended',
  })
})

it('refusals are worded as the turn-stream protocol has them', () => {
  const required = { bad_request: 'toolCallId is required' }
  expect(errorBody(refusal('bad_request', { issues: ['toolCallId: missing'] }), required)).toEqual({
    error: 'toolCallId is required',
    code: 'bad_request',
    issues: ['toolCallId: missing'],
  })
  expect(errorBody(refusal('unauthorized'), required)).toEqual({ error: expect.any(String), code: 'unauthorized' })
})

describe('answers', () => {
  const questions: Question[] = [
    { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false },
    { question: 'Which parts?', options: [{ label: 'A' }, { label: 'B, C' }, { label: '["A"]' }], multiSelect: true },
    { question: '2', options: [{ label: 'x' }], multiSelect: false },
  ]
  const given = (answers: Record<string, string>) => {
    const read = answerOf(questions, answers)
    return read.ok && read.answer.kind === 'answer' ? read.answer.answers : read
  }

  it.each<[Record<string, string>, unknown]>([
    [{ 0: 'Red' }, [{ question: 0, selected: ['Red'] }]],
    [{ 0: 'mauve' }, [{ question: 0, selected: [], other: 'mauve' }]],
    [{ 0: '[80]' }, [{ question: 0, selected: [], other: '[80]' }]],
    [{ 0: '["Red"]' }, [{ question: 0, selected: [], other: '["Red"]' }]],
    [{ 0: '[]' }, [{ question: 0, selected: [], other: '[]' }]],
    [{ 1: '[80]' }, [{ question: 1, selected: [], other: '[80]' }]],
    [{ 1: '[80, "A"]' }, [{ question: 1, selected: [], other: '[80, "A"]' }]],
    [{ 0: 'Red', 1: '[]' }, [{ question: 0, selected: ['Red'] }]],
    [{ 0: '[see below' }, [{ question: 0, selected: [], other: '[see below' }]],
    [{ 1: '["A","B, C"]' }, [{ question: 1, selected: ['A', 'B, C'] }]],
    [{ 1: '["A","more","and more"]' }, [{ question: 1, selected: ['A'], other: 'more, and more' }]],
    [{ 1: 'A, B, C' }, [{ question: 1, selected: ['A', 'B, C'] }]],
    [{ 'Which parts?': '["A"]' }, [{ question: 1, selected: ['A'] }]],
    [{ 2: 'x' }, [{ question: 2, selected: ['x'] }]],
    [{ 3: 'x' }, { ok: false }],
    [{ '': 'x' }, { ok: false }],
    [{ '1e0': 'x' }, { ok: false }],
    [{ ' 1': 'x' }, { ok: false }],
  ])('%j', (answers, expected) => expect(given(answers)).toMatchObject(expected as object))

  it.each<[string[], string, number | undefined]>([
    [['1', '0'], '1', undefined],
    [['1', '0'], '0', undefined],
    [['Which?', '0'], '0', undefined],
    [['Which?', '0'], 'Which?', 0],
    [['Which?', '0'], '1', 1],
    [['0', '1'], '1', 1],
    [['Which?', '7'], '7', 1],
    [['Which?', 'Which?'], 'Which?', undefined],
    [['Which?', 'Which?'], '1', 1],
  ])('to questions worded %j are never taken for another one: %j', (wordings, key, meant) => {
    const asked = wordings.map((question) => ({ question, options: [{ label: 'x' }], multiSelect: false }))
    const read = answerOf(asked, { [key]: 'x' })
    if (meant === undefined) expect(read).toMatchObject({ ok: false, issues: [expect.stringContaining('key')] })
    else expect(read).toEqual({ ok: true, answer: { kind: 'answer', answers: [{ question: meant, selected: ['x'] }] } })
  })

  it('reach the agent by the wording of the question, whichever way they were keyed', () => {
    const label = fc.constantFrom('A', 'B, C', 'own words')
    fc.assert(
      fc.property(fc.uniqueArray(label, { minLength: 1 }), fc.boolean(), (chosen, byPlace) => {
        const read = answerOf(questions, { [byPlace ? '1' : 'Which parts?']: JSON.stringify(chosen) })
        if (!read.ok || read.answer.kind !== 'answer') throw new Error('refused')
        const text = answersByText({ questions }, read.answer.answers)['Which parts?'] ?? ''
        expect(new Set(chosen.filter((entry) => text.includes(entry)))).toEqual(new Set(chosen))
      }),
    )
  })
})

describe('the text of a turn', () => {
  const said = (text: string): DurableEvent => ({
    type: 'item-added',
    sessionId,
    at: 0,
    item: { type: 'message', role: 'assistant', text, id: 'itm_1' as ItemId, at: 0 } satisfies Item,
  })
  const textOf = (events: StreamEvent[]) =>
    events.map(({ type, data }) => (type === 'text_delta' ? data.text : '')).join('')

  it('comes once, however much of it came in pieces before and however late its end is told', () => {
    const message = fc.record({
      text: fc.string({ minLength: 1 }),
      streamed: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const turn = createTurn({ stands: 'running' })
        const events = messages.flatMap(({ text, streamed }) => [
          ...[...text.slice(0, Math.ceil(text.length * streamed))].flatMap((piece) =>
            turn.live({ type: 'text-delta', sessionId, text: piece }),
          ),
          ...turn.change({ event: said(text), before: view(), after: view() }),
        ])
        expect(textOf(events)).toBe(messages.map(({ text }) => text).join(''))
      }),
    )
  })

  it('is not lost behind something that was cut off', () => {
    const turn = createTurn({ stands: 'running' })
    turn.live({ type: 'text-delta', sessionId, text: 'I was abo' })
    const changed: DurableEvent = { type: 'session-changed', sessionId, at: 0, changes: { state: 'user_turn' } }
    const queue = [{ id: 'itm_2' as ItemId, at: 0, type: 'message' as const, role: 'user' as const, text: 'next' }]
    turn.change({ event: changed, before: view(), after: view({ state: 'user_turn' }, { queue }) })
    expect(textOf(turn.change({ event: said('Sorry.'), before: view(), after: view() }))).toBe('Sorry.')
  })

  it('is told when the end of one message comes after the beginning of the next', () => {
    const turn = createTurn({ stands: 'running' })
    const live = (text: string) => turn.live({ type: 'text-delta', sessionId, text })
    const end = (text: string) => turn.change({ event: said(text), before: view(), after: view() })
    expect(textOf([...live('One.'), ...live('Tw'), ...end('One.'), ...live('o.'), ...end('Two.')])).toBe('One.Two.')
  })
})
