import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../transport/errors.ts'
import { activeProcesses, answerOf, errorMessage, processState, showsTheSame } from './mapping.ts'
import { PendingRequestResponse } from './messages.ts'

const SESSION = 'ses_00000000000000000000000001'
const unknown = () => undefined

function sampleAsk(given: Partial<Ask> = {}): Ask {
  return {
    ...askRequest(given),
    id: 'ask_00000000000000000000000001',
    sessionId: SESSION,
    agent: 'claude',
    epoch: 1,
    digest: 'd',
    raisedAt: 1_234_567_892_500,
    ...given,
  }
}

const question = sampleAsk({
  id: 'ask_00000000000000000000000003',
  kind: 'question',
  tool: { name: 'AskUserQuestion', input: { questions: [{ question: 'Format?' }, { question: 'Parts?' }] } },
  questions: [
    { question: 'Format?', options: [{ label: 'Short' }, { label: 'Long' }], multiSelect: false },
    { question: 'Parts?', options: [{ label: 'Start' }, { label: 'End' }], multiSelect: true },
  ],
})
const plan = sampleAsk({
  kind: 'plan',
  tool: { name: 'ExitPlanMode', input: { plan: '# One', planFilePath: '/plans/one.md' } },
  plan: { text: '# One', filePath: '/plans/one.md' },
})
const form = sampleAsk({
  id: 'ask_0000000000000000000000000f',
  kind: 'form',
  form: { mode: 'form', server: 'forms', message: 'please' },
})

function sampleView(asks: readonly Ask[] = [], given: Partial<Session> = {}): SessionView {
  const session: Session = {
    id: SESSION,
    agent: 'claude',
    projectId: 'project',
    cwd: '/somewhere',
    title: 'a session',
    state: 'assistant_turn',
    permissionMode: 'default',
    gate: 'default',
    startedAt: 1_234_567_890_000,
    stateChangedAt: 1_234_567_891_250,
    epoch: 1,
    openAsks: asks.length,
    queuedMessages: 0,
    onTimeout: 'deny',
    trusted: false,
    ...given,
  }
  return { session, asks: new Map(asks.map((ask) => [ask.id, ask])), undelivered: new Map(), rules: [], queue: [] }
}

describe('a session as a process', () => {
  it('has the fields of the process-state protocol, times in seconds', () => {
    const ask = sampleAsk({ tool: { name: 'Bash', input: { command: 'ls', description: 'list' } } })
    const request = {
      request_id: ask.id,
      request_type: 'tool_approval',
      tool_name: 'Bash',
      tool_input: { command: 'ls', description: 'list' },
      created_at: 1_234_567_892.5,
    }
    expect(processState(sampleView([ask]), () => 1000)).toEqual({
      type: 'process_state',
      session_id: SESSION,
      project_id: 'project',
      state: 'assistant_turn',
      started_at: 1_234_567_890,
      state_changed_at: 1_234_567_891.25,
      memory: 1000,
      waiting_for_user: true,
      pending_request: request,
      pending_requests: [request],
    })
  })

  it('says of a call that the agent has refused itself why it did', () => {
    const ask = sampleAsk({ appeal: { reason: 'It runs an unknown script.' } })
    expect(processState(sampleView([ask]), () => undefined).pending_request).toMatchObject({
      request_type: 'tool_approval',
      refusal_reason: 'It runs an unknown script.',
    })
  })

  it('leaves out what is not known and what does not wait', () => {
    expect(Object.keys(processState(sampleView(), unknown))).toEqual([
      'type',
      'session_id',
      'project_id',
      'state',
      'started_at',
      'state_changed_at',
      'waiting_for_user',
    ])
  })

  it('shows the oldest of several requests, and all of them', () => {
    const ids: AskId[] = ['ask_00000000000000000000000001', 'ask_00000000000000000000000002']
    const { pending_request, pending_requests } = processState(sampleView(ids.map((id) => sampleAsk({ id }))), unknown)
    expect(pending_request?.request_id).toBe(ids[0])
    expect(pending_requests?.map((request) => request.request_id)).toEqual(ids)
  })

  it('that is dead says why, and asks for nothing even while its asks are still to be withdrawn', () => {
    const error = { code: 'agent-exited', message: 'It went.' }
    const dead = sampleView([sampleAsk()], { state: 'dead', endReason: 'agent-exited', error })
    const state = processState(dead, () => 1000)
    expect(state).toMatchObject({
      state: 'dead',
      error: 'It went.',
      kill_reason: 'agent-exited',
      waiting_for_user: false,
    })
    expect(state).not.toHaveProperty('pending_request')
    expect(state).not.toHaveProperty('pending_requests')
    expect(state).not.toHaveProperty('memory')
    expect(activeProcesses([dead], unknown)).toEqual({ type: 'active_processes', processes: [] })
  })

  it('that is held up by a form says that it waits, and shows what it can', () => {
    expect(processState(sampleView([form]), unknown)).toMatchObject({ state: 'assistant_turn', waiting_for_user: true })
    expect(processState(sampleView([form]), unknown)).not.toHaveProperty('pending_request')
    const ask = sampleAsk()
    expect(processState(sampleView([form, ask]), unknown)).toMatchObject({ pending_request: { request_id: ask.id } })
  })

  it('shows a plan as an approval of ExitPlanMode, with its text', () => {
    expect(processState(sampleView([plan]), unknown).pending_request).toMatchObject({
      request_type: 'tool_approval',
      tool_name: 'ExitPlanMode',
      tool_input: { plan: '# One', planFilePath: '/plans/one.md' },
    })
  })

  it.each([
    [
      'question',
      { kind: 'question', questions: question.questions },
      'AskUserQuestion',
      question.questions,
      'questions',
    ],
    ['plan', { kind: 'plan', plan: { text: '# Two' } }, 'ExitPlanMode', '# Two', 'plan'],
    ['approval', { kind: 'approval', title: 'May I?' }, 'Approval', 'May I?', 'title'],
  ] as const)('shows a %s that names no tool', (_, given, name, value, field) => {
    const { tool, ...ask } = sampleAsk(given as Partial<Ask>)
    const request = processState(sampleView([ask]), unknown).pending_request
    expect(request).toMatchObject({ tool_name: name, tool_input: { [field]: value } })
  })

  it('shows the questions of whatever tool asks them where clients look for them', () => {
    const ask = { ...question, tool: { name: 'mcp__desk__choose', input: { topic: 'form' } } }
    expect(processState(sampleView([ask]), unknown).pending_request).toMatchObject({
      request_type: 'ask_user_question',
      tool_name: 'mcp__desk__choose',
      tool_input: { topic: 'form', questions: question.questions },
    })
  })
})

describe('what clients see is', () => {
  const ask = sampleAsk()
  const base = sampleView([ask])
  it.each<[string, SessionView]>([
    ['a title', sampleView([ask], { title: 'other' })],
    ['a mode', sampleView([ask], { permissionMode: 'plan' })],
    ['queued messages', sampleView([ask], { queuedMessages: 3 })],
    ['a second thing that cannot be shown', sampleView([ask, form])],
  ])('the same after a change of %s', (_, after) => expect(showsTheSame(base, after)).toBe(true))

  it.each<[string, SessionView]>([
    ['state', sampleView([ask], { state: 'user_turn' })],
    ['turn', sampleView([ask], { stateChangedAt: 1_234_567_899_000 })],
    ['error', sampleView([ask], { error: { code: 'c', message: 'm' } })],
    ['end', sampleView([ask], { endReason: 'idle' })],
    ['asks', sampleView([ask, question])],
    ['an ask in place of another', sampleView([sampleAsk({ id: 'ask_00000000000000000000000009' })])],
    ['waiting', sampleView([])],
  ])('different after a change of %s', (_, after) => expect(showsTheSame(base, after)).toBe(false))

  it('different when a form is all there is to wait for', () => {
    expect(showsTheSame(sampleView(), sampleView([form]))).toBe(false)
  })
})

describe('a response', () => {
  const approval = (given: Record<string, unknown>) => response({ request_type: 'tool_approval', ...given })
  const answers = (given: Record<string, string>) => response({ request_type: 'ask_user_question', answers: given })
  const { input = {} } = sampleAsk().tool ?? {}

  it('to a tool approval is an allow of the original, whether or not the original comes back with it', () => {
    const plain = { ok: true, answer: { kind: 'allow' } }
    expect(answerOf(approval({ decision: 'allow' }), sampleAsk())).toEqual(plain)
    expect(answerOf(approval({ decision: 'allow', updated_input: null, message: null }), sampleAsk())).toEqual(plain)
    expect(answerOf(approval({ decision: 'allow', updated_input: input }), sampleAsk())).toEqual(plain)
    expect(answerOf(approval({ decision: 'allow', message: 'fine' }), sampleAsk())).toEqual(plain)
  })

  it('that brings back what was shown, however it is ordered, is never taken as an edit', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        // The reader of frames takes no such key.
        fc.pre(!JSON.stringify(given).includes('__proto__'))
        const ask = sampleAsk({ tool: { name: 'Any', input: given } })
        const { tool_input } = processState(sampleView([ask]), unknown).pending_request ?? expect.fail()
        const back = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(tool_input))).reverse())
        expect(answerOf(approval({ decision: 'allow', updated_input: back }), ask)).toEqual({
          ok: true,
          answer: { kind: 'allow' },
        })
      }),
    )
  })

  it('with another input is the edit', () => {
    const updatedInput = { ...input, command: 'echo edited' }
    expect(answerOf(approval({ decision: 'allow', updated_input: updatedInput }), sampleAsk())).toEqual({
      ok: true,
      answer: { kind: 'allow', updatedInput },
    })
  })

  it('is a denial with the reason, or without one', () => {
    expect(answerOf(approval({ decision: 'deny', message: 'no' }), sampleAsk())).toEqual({
      ok: true,
      answer: { kind: 'deny', message: 'no' },
    })
    expect(answerOf(approval({ decision: 'deny', updated_input: input }), sampleAsk())).toEqual({
      ok: true,
      answer: { kind: 'deny' },
    })
  })

  it.each([
    ['none', undefined, { kind: 'allow' }],
    ['the original', plan.tool?.input, { kind: 'allow' }],
    ['another text', { ...plan.tool?.input, plan: '# Two' }, { kind: 'allow', plan: '# Two' }],
  ])('to a plan takes as updated_input %s', (_, updatedInput, answer) => {
    expect(answerOf(approval({ decision: 'allow', updated_input: updatedInput }), plan)).toEqual({ ok: true, answer })
  })

  it.each([
    ['another file', { ...plan.tool?.input, planFilePath: '/etc/passwd' }],
    ['no text', { planFilePath: '/plans/one.md' }],
    ['a text that is none', { ...plan.tool?.input, plan: 7 }],
    ['more than fits', { ...plan.tool?.input, plan: 'x'.repeat(1_000_001) }],
    ['a field more', { ...plan.tool?.input, plan: '# Two', mode: 'x' }],
  ])('to a plan does not take %s', (_, updatedInput) => {
    expect(answerOf(approval({ decision: 'allow', updated_input: updatedInput }), plan)).toMatchObject({ ok: false })
  })

  it('[I2] covers no field of a tool with the text of a plan, which can be changed alone', () => {
    const input = { target: 'staging', plan: 'rm -rf /srv' }
    const ask = { ...plan, tool: { name: 'mcp__ops__deploy', input } }
    const shown = { ...input, plan_text: '# One' }
    expect(processState(sampleView([ask]), unknown).pending_request).toMatchObject({ tool_input: shown })
    const answered = (updated: Record<string, unknown>) =>
      answerOf(approval({ decision: 'allow', updated_input: updated }), ask)
    expect(answered(shown)).toEqual({ ok: true, answer: { kind: 'allow' } })
    expect(answered({ ...shown, plan_text: '# Two' })).toEqual({ ok: true, answer: { kind: 'allow', plan: '# Two' } })
    expect(answered({ ...shown, plan: '# Two' })).toMatchObject({ ok: false })
  })

  it('to questions is read by their wording: a label, several, words of one’s own', () => {
    expect(answerOf(answers({ 'Parts?': 'End, Start, the middle', 'Format?': 'Short' }), question)).toEqual({
      ok: true,
      answer: {
        kind: 'answer',
        answers: [
          { question: 1, selected: ['End', 'Start'], other: 'the middle' },
          { question: 0, selected: ['Short'] },
        ],
      },
    })
  })

  it('that does not fit the request says so', () => {
    expect(answerOf(answers({ '0': 'Short' }), question)).toMatchObject({ ok: false })
    expect(answerOf(answers({ constructor: 'Short' }), question)).toMatchObject({ ok: false })
    expect(answerOf(answers({ 'Format?': 'Short' }), sampleAsk())).toMatchObject({ ok: false })
    expect(answerOf(approval({ decision: 'allow' }), question)).toMatchObject({ ok: false })
    expect(answerOf(approval({ decision: 'deny' }), form)).toMatchObject({ ok: false })
  })

  function response(given: Record<string, unknown>): PendingRequestResponse {
    const address = { type: 'pending_request_response', session_id: SESSION, request_id: 'ask' }
    return PendingRequestResponse.parse({ ...address, ...given })
  }
})

describe('an error', () => {
  it('says which request, why, and who was first', () => {
    const outcome = {
      kind: 'allowed',
      at: 1_234_567_890_500,
      via: 'web',
      by: { device: 'dev', name: 'phone', role: 'owner' },
      answer: { kind: 'allow' },
      retryKey: 'secret',
    }
    expect(errorMessage(refusal('already_settled', { outcome }), 'ask_1')).toEqual({
      type: 'error',
      code: 'already_settled',
      message: expect.any(String),
      request_id: 'ask_1',
      outcome: { kind: 'allowed', at: 1_234_567_890.5, via: 'web', by: 'phone' },
    })
    expect(errorMessage(refusal('not_found'), 'ask_1')).toMatchObject({ code: 'request_not_found' })
    expect(errorMessage(refusal('invalid_answer', { issues: ['a'] }))).toEqual({
      type: 'error',
      code: 'invalid_answer',
      message: expect.any(String),
      issues: ['a'],
    })
  })
})
