// Every event, route, field, status and time limit of the turn-stream protocol ("Gateway Interactive Tool UI Architecture"),
// by the numbers of its sections. Synthetic agents; turn-stream-real.test.ts has the real one.
import type { AskRequest } from '@holdpoint/schema/ask'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../manual-clock.ts'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '../test-gateway.ts'
import { until } from '../until.ts'
import { openTurn } from './turn-reader.ts'
import { createTurnStreamClient } from './turn-stream-client.ts'

const OWNER = { authorization: `Bearer ${TEST_TOKEN}` }
const TEN_MINUTES = 600_000

let test: TestGateway
let clock: ReturnType<typeof createManualClock>
beforeEach(async () => {
  clock = createManualClock()
  test = await startTestGateway({ clock: clock.clock })
})
afterEach(() => test[Symbol.asyncDispose]())

const questions = [
  {
    header: 'Approach',
    question: 'Which approach should I take?',
    options: [{ label: 'Rewrite', description: 'From scratch' }, { label: 'Patch' }],
    multiSelect: false,
  },
  {
    header: 'Targets',
    question: 'Which targets?',
    options: [{ label: 'Web' }, { label: 'Desktop' }, { label: 'Phone' }],
    multiSelect: true,
  },
]
const asking: Partial<AskRequest> = {
  kind: 'question',
  toolUseId: 'toolu_question',
  title: 'Question: Approach',
  tool: { name: 'AskUserQuestion', input: { questions } },
  questions,
}
const bash = { name: 'Bash', input: { command: 'npm test', description: 'Run the tests' } }

/** A turn that runs, and who reads it. */
async function turnOf(start: Record<string, unknown> = {}, content = 'Do it') {
  const { session, agent } = await test.session(start)
  const turn = await openTurn(test.gateway.url, session.id, { headers: OWNER, content })
  await until(() => agent.messages.length === 1, 'the message')
  const post = (action: string, body: unknown) =>
    test.api.call<unknown>('POST', `/api/sessions/${session.id}/${action}`, body)
  return { session, agent, turn, post }
}

/** The same with the client that was written from the turn-stream protocol. */
async function plainTurn(start: Record<string, unknown> = {}) {
  const { session, agent } = await test.session(start)
  const plain = await createTurnStreamClient({ url: test.gateway.url, token: TEST_TOKEN, sessionId: session.id })
  const turn = plain.send('Do it')
  await until(() => agent.messages.length === 1, 'the message')
  return { session, agent, turn, ...plain }
}

describe('§6.3 canUseTool: the SDK is paused, the client is told', () => {
  it('question_prompt has toolCallId and questions with header, question, options and multiSelect', async () => {
    const { agent, turn } = await turnOf()
    void agent.ask(asking).catch(() => {})
    expect(await turn.event('question_prompt')).toEqual({ toolCallId: 'toolu_question', questions })
  })

  it('approval_required has toolCallId, toolName and the input as JSON text', async () => {
    const { agent, turn } = await turnOf()
    void agent.ask({ toolUseId: 'toolu_1', tool: bash }).catch(() => {})
    const data = await turn.event('approval_required')
    const call = { toolCallId: 'toolu_1', toolName: 'Bash', input: JSON.stringify(bash.input) }
    // The folder is no part of the turn-stream protocol.
    expect(data).toEqual({ ...call, cwd: '/somewhere' })
  })

  it.each([
    ['question', asking, 'submit-answers', { toolCallId: 'toolu_question', answers: { 0: 'Patch', 1: '["Web"]' } }],
    ['call', { toolUseId: 'toolu_1', tool: bash }, 'approve', { toolCallId: 'toolu_1' }],
  ])('a %s is denied after 10 minutes, not before, and the stream says "expired"', async (_, request, action, body) => {
    const { agent, turn, post } = await turnOf({ askTimeoutMs: TEN_MINUTES })
    const { ask, outcome } = await test.openAsk(agent, request)
    expect(ask.expiresAt).toBe(ask.raisedAt + TEN_MINUTES)
    clock.advance(TEN_MINUTES / 2)
    expect(await test.api.openAsks(agent.start.sessionId)).toHaveLength(1)
    clock.advance(TEN_MINUTES / 2)
    expect(await outcome).toMatchObject({ kind: 'expired' })
    const { toolCallId } = body
    expect(await turn.event('interaction_settled')).toEqual({ toolCallId, outcome: 'expired' })
    const late = await post(action, body)
    expect(late).toMatchObject({ status: 409, body: { error: expect.any(String), code: 'already_settled' } })
  })

  it('without a time limit it waits', async () => {
    const { agent, turn } = await turnOf()
    await test.openAsk(agent, asking)
    clock.advance(10 * TEN_MINUTES)
    await agent.say('still at it')
    await turn.event('text_delta')
    expect(turn.types()).not.toContain('interaction_settled')
  })

  it('what the turn-stream protocol allows at once in any mode but `default` is asked too', async () => {
    const { agent, turn } = await turnOf({ permissionMode: 'acceptEdits' })
    await test.openAsk(agent, { toolUseId: 'toolu_1', tool: bash })
    expect(await turn.event('approval_required')).toMatchObject({ toolCallId: 'toolu_1', toolName: 'Bash' })
    expect(turn.types()).not.toContain('interaction_settled')
  })

  it('§8 an abort of the agent takes the interaction back', async () => {
    const { agent, turn, post } = await turnOf()
    const abort = new AbortController()
    void agent.ask({ toolUseId: 'toolu_1' }, abort.signal).catch(() => {})
    await turn.event('approval_required')
    abort.abort()
    expect(await turn.event('interaction_settled')).toEqual({
      toolCallId: 'toolu_1',
      outcome: 'withdrawn',
      reason: 'agent-cancelled',
    })
    expect(await post('approve', { toolCallId: 'toolu_1' })).toMatchObject({ status: 409 })
  })
})

describe('§6.4 the queue is drained between and after messages', () => {
  it('an interaction is told at once, though the agent says nothing more until it has its answer', async () => {
    const { agent, turn, post } = await turnOf()
    await agent.say('Let me see.')
    const { outcome } = await test.openAsk(agent, { toolUseId: 'toolu_1', tool: bash })
    await turn.event('approval_required')
    await post('approve', { toolCallId: 'toolu_1' })
    await outcome
    await agent.say('Done.')
    await agent.endTurn()
    await turn.over()
    expect(turn.types().filter((type) => type !== 'session_status')).toEqual([
      'text_delta',
      'approval_required',
      'interaction_settled',
      'text_delta',
      'done',
    ])
  })

  it('§14.1 several at once come in the order they were raised, and end each by itself', async () => {
    const { agent, turn, post } = await turnOf()
    const ids = ['toolu_1', 'toolu_2', 'toolu_3']
    for (const toolUseId of ids) await test.openAsk(agent, { toolUseId })
    await turn.event('approval_required', ({ toolCallId }) => toolCallId === 'toolu_3')
    expect(turn.data('approval_required').map(({ toolCallId }) => toolCallId)).toEqual(ids)
    for (const toolCallId of ['toolu_2', 'toolu_3', 'toolu_1'])
      expect(await post('approve', { toolCallId })).toMatchObject({ status: 200 })
    await turn.event('interaction_settled', ({ toolCallId }) => toolCallId === 'toolu_1')
    expect(turn.data('interaction_settled').map(({ toolCallId }) => toolCallId)).toEqual([
      'toolu_2',
      'toolu_3',
      'toolu_1',
    ])
  })
})

describe('§6.6 StreamEvent', () => {
  it('every StreamEventType, as {type, data}, with its fields', async () => {
    const { session, agent, turn, post } = await turnOf({ model: 'the-model' })
    agent.start.live({ type: 'text-delta', text: 'Hi' })
    agent.start.live({ type: 'tool-input-delta', toolUseId: 'toolu_1', name: 'Bash', json: '{}' })
    await agent.start.emit([
      { type: 'item', item: { type: 'message', role: 'assistant', text: 'Hi' } },
      { type: 'item', item: { type: 'tool-call', toolUseId: 'toolu_1', name: 'Bash', input: {} } },
    ])
    const approval = await test.openAsk(agent, { toolUseId: 'toolu_1' })
    const question = await test.openAsk(agent, asking)
    await post('approve', { toolCallId: 'toolu_1' })
    await post('submit-answers', { toolCallId: 'toolu_question', answers: { 0: 'Patch', 1: '["Web","Phone"]' } })
    await Promise.all([approval.outcome, question.outcome])
    await agent.start.emit([
      { type: 'item', item: { type: 'tool-result', toolUseId: 'toolu_1', text: 'ok', isError: false } },
      { type: 'item', item: { type: 'notice', level: 'error', text: 'The agent stopped.' } },
    ])
    await agent.endTurn()
    const events = await turn.over()
    const tool = { toolCallId: 'toolu_1', toolName: 'Bash' }
    const data = { sessionId: session.id }
    const expected: StreamEvent[] = [
      { type: 'session_status', data: { ...data, state: 'assistant_turn', model: 'the-model' } },
      { type: 'text_delta', data: { text: 'Hi' } },
      { type: 'tool_call_start', data: { ...tool, status: 'running' } },
      { type: 'tool_call_delta', data: { ...tool, input: '{}', status: 'running' } },
      { type: 'tool_call_end', data: { ...tool, input: '{}', status: 'running' } },
      {
        type: 'approval_required',
        data: { ...tool, input: JSON.stringify({ command: 'echo hello' }), cwd: '/somewhere' },
      },
      { type: 'session_status', data: { ...data, state: 'waiting', model: 'the-model' } },
      { type: 'question_prompt', data: { toolCallId: 'toolu_question', questions } },
      { type: 'interaction_settled', data: { toolCallId: 'toolu_1', outcome: 'allowed' } },
      { type: 'interaction_settled', data: { toolCallId: 'toolu_question', outcome: 'answered' } },
      { type: 'session_status', data: { ...data, state: 'assistant_turn', model: 'the-model' } },
      { type: 'tool_result', data: { ...tool, result: 'ok', status: 'complete' } },
      { type: 'error', data: { message: 'The agent stopped.', code: 'notice' } },
      { type: 'session_status', data: { ...data, state: 'user_turn', model: 'the-model' } },
      { type: 'done', data },
    ]
    // Before the first of these the session may have been seen starting.
    expect(events.slice(-expected.length)).toEqual(expected)
  })
})

describe('§6.5, §6.7 submitAnswers and approveTool', () => {
  it('answers map question indices to labels or "Other" text, multi-select is a JSON array', async () => {
    const { agent, turn, client, pending } = await plainTurn()
    const asked = agent.ask(asking)
    const { toolCallId } = await pending()
    expect(await client.submitAnswers(toolCallId, ['Neither of them', ['Web', 'Watch']])).toEqual({ ok: true })
    expect(await asked).toMatchObject({
      kind: 'answered',
      answer: {
        answers: [
          { question: 0, selected: [], other: 'Neither of them' },
          { question: 1, selected: ['Web'], other: 'Watch' },
        ],
      },
    })
    await agent.endTurn()
    await turn
  })

  it('what the turn-stream protocol wants by index is taken by the text of the question, too', async () => {
    const { agent, post } = await turnOf()
    const { outcome } = await test.openAsk(agent, asking)
    const answers = { 'Which targets?': '["Phone"]', 'Which approach should I take?': 'Rewrite' }
    expect(await post('submit-answers', { toolCallId: 'toolu_question', answers })).toMatchObject({ status: 200 })
    expect((await outcome).answer).toMatchObject({
      answers: expect.arrayContaining([
        { question: 0, selected: ['Rewrite'] },
        { question: 1, selected: ['Phone'] },
      ]),
    })
  })

  it('deny carries a message to the agent, or none', async () => {
    const { agent, post } = await turnOf()
    for (const [toolCallId, given] of Object.entries({ toolu_1: { message: 'not on main' }, toolu_2: {} })) {
      const { outcome } = await test.openAsk(agent, { toolUseId: toolCallId })
      expect(await post('deny', { toolCallId, ...given })).toMatchObject({ status: 200, body: { ok: true } })
      expect((await outcome).answer).toEqual({ kind: 'deny', ...given })
    }
  })

  it.each(['approve', 'deny'])('%s: 400 "toolCallId is required", and 409 once it is settled', async (action) => {
    const { agent, post } = await turnOf()
    const { ask, outcome } = await test.openAsk(agent, { toolUseId: 'toolu_1' })
    for (const body of [{}, { toolCallId: '' }, { toolCallId: 1 }, { toolCallId: 'toolu_1', reason: 'x' }]) {
      const refused = await post(action, body)
      const error = 'toolCallId is required'
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 400, body: { error, code: 'bad_request' } })
    }
    expect(await test.api.openAsks()).toHaveLength(1)
    await test.api.answer(ask, { kind: 'deny' })
    await outcome
    expect(await post(action, { toolCallId: 'toolu_1' })).toMatchObject({
      status: 409,
      body: { error: expect.any(String), code: 'already_settled' },
    })
  })

  it('only the pending interaction of that session, that id and that type is settled', async () => {
    const one = await turnOf()
    const two = await turnOf()
    await test.openAsk(one.agent, asking)
    await test.openAsk(two.agent, { toolUseId: 'toolu_1' })
    const answers = { 0: 'Patch', 1: '["Web"]' }
    for (const [who, action, body, error] of [
      [two, 'submit-answers', { toolCallId: 'toolu_question', answers }, 'No pending question'],
      [one, 'submit-answers', { toolCallId: 'toolu_1', answers }, 'No pending question'],
      [two, 'submit-answers', { toolCallId: 'toolu_1', answers }, 'No pending question'],
      [one, 'approve', { toolCallId: 'toolu_question' }, 'No pending approval'],
      [one, 'approve', { toolCallId: 'toolu_1' }, 'No pending approval'],
      [one, 'deny', { toolCallId: 'toolu_1' }, 'No pending approval'],
    ] as const)
      expect(await who.post(action, body)).toMatchObject({ status: 404, body: { error, code: 'not_found' } })
    expect(await test.api.openAsks()).toHaveLength(2)
  })
})

describe('§6.8 POST /api/sessions/:id/submit-answers', () => {
  it.each([[{}], [{ toolCallId: 'toolu_question' }], [{ answers: { 0: 'Patch' } }], [{ toolCallId: '', answers: {} }]])(
    '400 {error: "toolCallId and answers are required"} for %j',
    async (body) => {
      const { agent, post } = await turnOf()
      await test.openAsk(agent, asking)
      const error = 'toolCallId and answers are required'
      expect(await post('submit-answers', body)).toMatchObject({ status: 400, body: { error, code: 'bad_request' } })
      expect(await test.api.openAsks()).toHaveLength(1)
    },
  )

  it('404 {error: "No pending question"} when there is none, 200 {ok: true} when there is', async () => {
    const { agent, post } = await turnOf()
    const body = { toolCallId: 'toolu_question', answers: { 0: 'Patch', 1: '["Web"]' } }
    const error = 'No pending question'
    expect(await post('submit-answers', body)).toMatchObject({ status: 404, body: { error } })
    await test.openAsk(agent, asking)
    expect(await post('submit-answers', body)).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('§10 the keys must be questions and the values texts: 400, and nothing has changed', async () => {
    const { agent, post } = await turnOf()
    await test.openAsk(agent, asking)
    for (const answers of [
      { 0: 'Patch', 1: '["Web"]', 2: 'more' },
      { 0: 'Patch', 1: '["Web"]', constructor: 'x' },
      { 0: 'Patch', 1: ['Web'] },
      { 0: true, 1: '["Web"]' },
      {},
    ]) {
      const reply = await post('submit-answers', { toolCallId: 'toolu_question', answers })
      expect(reply, JSON.stringify(answers)).toMatchObject({ status: 400, body: { error: expect.any(String) } })
    }
    expect(await test.api.openAsks()).toHaveLength(1)
  })

  it('§10 without a credential, or with one for another session, there is nothing', async () => {
    const { session, agent } = await turnOf()
    await test.openAsk(agent, asking)
    const path = `/api/sessions/${session.id}/submit-answers`
    const body = { toolCallId: 'toolu_question', answers: { 0: 'Patch', 1: '["Web"]' } }
    const other = await test.credential({ role: 'owner', sessionIds: [] })
    expect(await other.api.call('POST', path, body)).toMatchObject({
      status: 404,
      body: { error: 'No pending question' },
    })
    const none = { authorization: 'Bearer nothing' }
    expect(await test.api.call('POST', path, body, none)).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await test.api.openAsks()).toHaveLength(1)
  })
})

describe('§6.12 what a hook makes of the events', () => {
  it('tool calls that are pending, marked as question or approval, and what became of them', async () => {
    const { agent, turn, client, pending, call } = await plainTurn()
    await agent.start.emit([
      { type: 'item', item: { type: 'tool-call', toolUseId: 'toolu_1', name: 'Bash', input: bash.input } },
    ])
    const approval = agent.ask({ toolUseId: 'toolu_1', tool: bash })
    const question = agent.ask(asking)
    await pending(({ interactiveType }) => interactiveType === 'question')
    await pending(({ interactiveType }) => interactiveType === 'approval')
    expect(client.toolCalls).toMatchObject([
      { toolCallId: 'toolu_1', toolName: 'Bash', status: 'pending', interactiveType: 'approval' },
      { toolCallId: 'toolu_question', toolName: 'AskUserQuestion', status: 'pending', questions },
    ])
    expect(JSON.parse(client.getToolCall('toolu_1')?.input ?? '')).toEqual(bash.input)
    await client.denyTool('toolu_1', { message: 'not now' })
    await client.submitAnswers('toolu_question', ['Patch', ['Web']])
    await Promise.all([approval, question])
    await call('toolu_1', ({ outcome }) => outcome === 'denied')
    await agent.endTurn()
    await turn
    expect([client.streaming, client.pendingInteractions]).toEqual([false, []])
  })
})

describe('a connection that is lost', () => {
  it('the client joins by itself and finds what is open', async () => {
    const { session, agent, turn, client, pending, call } = await plainTurn()
    const asked = [agent.ask({ toolUseId: 'toolu_1' })]
    await pending()
    // As a proxy would: the connection goes, the gateway stays.
    test.gateway.connections.closeAll('dev_00000000000000000000000000')
    // Asked while nobody listens, or before the client knows that it does not.
    asked.push(agent.ask({ toolUseId: 'toolu_2' }))
    await pending(({ toolCallId }) => toolCallId === 'toolu_2')
    expect(client.pendingInteractions.map(({ toolCallId }) => toolCallId)).toEqual(['toolu_1', 'toolu_2'])
    for (const id of ['toolu_1', 'toolu_2']) {
      await client.approveTool(id)
      await call(id, ({ outcome }) => outcome === 'allowed')
    }
    await Promise.all(asked)
    await agent.endTurn()
    expect((await turn).at(-1)).toEqual({ type: 'done', data: { sessionId: session.id } })
  })
})
