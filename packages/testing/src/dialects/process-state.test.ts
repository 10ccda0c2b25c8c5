// Every message, field and rule of the process-state protocol ("Pending Requests: Tool Approval & Clarifying Questions"), by
// the names of its sections. Synthetic agents; process-state-real.test.ts has the real one.
import { answersByText } from '@holdpoint/core/ask-machine'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { ActiveProcesses, ErrorMessage, ProcessState } from '@holdpoint/server/dialects/process-state/messages'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJsonSocket } from '../json-socket.ts'
import { createManualClock } from '../manual-clock.ts'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '../test-gateway.ts'
import { until } from '../until.ts'
import { connectProcessState } from './process-state-client.ts'

type Message = ActiveProcesses | ProcessState | ErrorMessage

let test: TestGateway
let clock: ReturnType<typeof createManualClock>
beforeEach(async () => {
  clock = createManualClock()
  test = await startTestGateway({ clock: clock.clock, idleMs: 60_000 })
})
afterEach(() => test[Symbol.asyncDispose]())

async function connect() {
  const socket = await openJsonSocket<Message>(test.gateway.url, '/ws/', { authorization: `Bearer ${TEST_TOKEN}` })
  await until(() => socket.messages.length > 0, 'the first message')
  const states = () => socket.messages.filter((message) => message.type === 'process_state')
  return {
    ...socket,
    states,
    errors: () => socket.messages.filter((message) => message.type === 'error'),
    active: () => (socket.messages[0] as ActiveProcesses).processes,
    /** The last that was said, once it fits. */
    state: (fits: (state: ProcessState) => boolean) =>
      until(() => {
        const last = states().at(-1)
        return last && fits(last) && last
      }, 'a process_state'),
  }
}

const bash = { name: 'Bash', input: { command: 'rm -rf /tmp/test', description: 'Delete test directory' } }
const questions: AskRequest['questions'] = [
  {
    question: 'How should I format the output?',
    header: 'Format',
    options: [
      { label: 'Summary', description: 'Brief overview' },
      { label: 'Detailed', description: 'Full explanation' },
    ],
    multiSelect: false,
  },
  {
    question: 'Which sections?',
    header: 'Sections',
    options: [{ label: 'Introduction' }, { label: 'Body' }, { label: 'Conclusion' }],
    multiSelect: true,
  },
]
const asking: Partial<AskRequest> = {
  kind: 'question',
  title: 'Question: Format',
  tool: { name: 'AskUserQuestion', input: { questions } },
  questions,
}

/** A session at work, with one request that waits in it, and a client that sees it. */
async function pending(request: Partial<AskRequest> = { tool: bash }) {
  const { session, agent } = await test.session({ prompt: 'go' })
  const client = await connect()
  const { ask, outcome } = await test.openAsk(agent, request)
  const state = await client.state(({ pending_request }) => pending_request !== undefined)
  const respond = (given: Record<string, unknown>) =>
    client.send({ type: 'pending_request_response', session_id: session.id, request_id: ask.id, ...given })
  return { session, agent, client, ask, outcome, state, respond }
}

describe('Concept: Pending Request', () => {
  it('States: `STARTING`, `ASSISTANT_TURN`, `USER_TURN`, `DEAD`, as lower-case text', async () => {
    const client = await connect()
    const { session, agent } = await test.session()
    await client.state(({ state }) => state === 'user_turn')
    await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go' })
    await client.state(({ state }) => state === 'assistant_turn')
    agent.die()
    await client.state(({ state }) => state === 'dead')
    expect(client.states().map(({ state }) => state)).toEqual(['starting', 'user_turn', 'assistant_turn', 'dead'])
  })

  it('a pending request happens during `ASSISTANT_TURN`: the state stays, and additionally carries the request', async () => {
    const client = await connect()
    const { agent } = await test.session({ prompt: 'go' })
    const working = await client.state(({ state }) => state === 'assistant_turn')
    clock.advance(5000)
    await test.openAsk(agent, { tool: bash })
    const { waiting_for_user, pending_request, pending_requests, ...asking } = await client.state(
      (state) => state.pending_request !== undefined,
    )
    expect({ ...asking, waiting_for_user: false }).toEqual(working)
  })

  it('one pending request at a time: `pending_request` is the oldest, and when it is resolved the next one', async () => {
    const { client, session, agent, ask: oldest, respond } = await pending()
    const { ask: next } = await test.openAsk(agent, asking)
    const both = await client.state(({ pending_requests }) => pending_requests?.length === 2)
    expect(both.pending_requests?.map(({ request_id }) => request_id)).toEqual([oldest.id, next.id])
    expect(both.pending_request).toEqual(both.pending_requests?.[0])
    respond({ request_type: 'tool_approval', decision: 'deny' })
    const left = await client.state(({ pending_requests }) => pending_requests?.length === 1)
    expect(left).toMatchObject({ session_id: session.id, pending_request: { request_id: next.id } })
  })

  it('Process death during a pending request: one `process_state` with `state: "dead"` and no `pending_request`', async () => {
    const { client, agent, outcome } = await pending()
    agent.die({ reason: 'agent-exited', error: { code: 'agent-exited', message: 'It fell over.' } })
    const dead = await client.state(({ state }) => state === 'dead')
    for (const field of ['pending_request', 'pending_requests']) expect(dead).not.toHaveProperty(field)
    expect(dead).toMatchObject({ error: 'It fell over.', kill_reason: 'agent-exited' })
    expect(await outcome).toMatchObject({ kind: 'withdrawn' })
    expect(client.states().filter(({ state }) => state === 'dead')).toHaveLength(1)
  })
})

describe('WebSocket messages (backend → frontend)', () => {
  it('`process_state` has the fields of the example, times as float seconds', async () => {
    const { session, ask, state } = await pending()
    const { waiting_for_user, pending_requests, ...documented } = state
    expect(documented).toEqual({
      type: 'process_state',
      session_id: session.id,
      project_id: session.projectId,
      state: 'assistant_turn',
      started_at: session.startedAt / 1000,
      state_changed_at: expect.any(Number),
      pending_request: {
        request_id: ask.id,
        request_type: 'tool_approval',
        tool_name: 'Bash',
        tool_input: bash.input,
        created_at: ask.raisedAt / 1000,
      },
    })
    expect([waiting_for_user, pending_requests]).toEqual([true, [documented.pending_request]])
  })

  it('`ask_user_question`: `tool_name` is "AskUserQuestion" and `tool_input` contains the `questions` array', async () => {
    const { state } = await pending(asking)
    expect(state.pending_request).toMatchObject({
      request_type: 'ask_user_question',
      tool_name: 'AskUserQuestion',
      tool_input: { questions },
    })
  })

  it('Case 2, constraints: 1 to 4 questions per call, 2 to 4 options per question; each gets its own answer', async () => {
    const labels = ['A', 'B', 'C', 'D']
    const many = [2, 3, 4, 4].map((count, index) => ({
      question: `Number ${index}?`,
      header: `Q${index}`,
      options: labels.slice(0, count).map((label) => ({ label, description: `This is ${label}` })),
      multiSelect: index === 3,
    }))
    const tool = { name: 'AskUserQuestion', input: { questions: many } }
    const { respond, outcome, state } = await pending({ ...asking, tool, questions: many })
    expect(state.pending_request?.tool_input).toEqual({ questions: many })
    respond({
      request_type: 'ask_user_question',
      answers: { 'Number 0?': 'B', 'Number 1?': 'C', 'Number 2?': 'D', 'Number 3?': 'A, B, C, D' },
    })
    expect((await outcome).answer).toMatchObject({
      answers: [['B'], ['C'], ['D'], labels].map((selected, question) => ({ question, selected })),
    })
  })

  it('when resolved, another `process_state` has `pending_request` absent, for all connected clients', async () => {
    const { client, respond, session } = await pending()
    const other = await connect()
    expect(other.active()).toMatchObject([{ session_id: session.id, pending_request: { tool_name: 'Bash' } }])
    respond({ request_type: 'tool_approval', decision: 'allow' })
    for (const tab of [client, other])
      expect(await tab.state((state) => !state.pending_request)).not.toHaveProperty('pending_request')
  })

  it('serialize_process_info(): omits `pending_request` when there is none', async () => {
    await test.session()
    const [info] = (await connect()).active()
    expect(info).not.toHaveProperty('pending_request')
    expect(info).not.toHaveProperty('pending_requests')
  })
})

describe('Reconnection behavior', () => {
  it('WebSocket reconnect: `active_processes` sent on connect includes all pending requests', async () => {
    const { client, ask, state } = await pending()
    client.close()
    const { type, ...info } = state
    expect((await connect()).messages).toEqual([{ type: 'active_processes', processes: [info] }])
    expect(info.pending_request?.request_id).toBe(ask.id)
  })

  it('what happened while nobody was connected shows in `active_processes` alone', async () => {
    const { client, agent, ask } = await pending()
    client.close()
    await test.api.answer(ask, { kind: 'deny' })
    const { ask: next } = await test.openAsk(agent, asking)
    expect((await connect()).active()).toMatchObject([{ pending_request: { request_id: next.id } }])
  })
})

describe('Handler: _handle_pending_request_response()', () => {
  it('tool_approval, "decision": "allow" with `updated_input` as it was shown', async () => {
    const { respond, outcome } = await pending()
    respond({ request_type: 'tool_approval', decision: 'allow', updated_input: bash.input })
    expect((await outcome).answer).toEqual({ kind: 'allow' })
  })

  it('tool_approval, "decision": "allow" without `updated_input`: the original runs', async () => {
    const { respond, outcome } = await pending()
    respond({ request_type: 'tool_approval', decision: 'allow' })
    expect((await outcome).answer).toEqual({ kind: 'allow' })
  })

  it('tool_approval, `updated_input`: approve with modifications', async () => {
    const { respond, outcome } = await pending()
    const updatedInput = { ...bash.input, command: 'rm -r /tmp/test' }
    respond({ request_type: 'tool_approval', decision: 'allow', updated_input: updatedInput })
    expect((await outcome).answer).toEqual({ kind: 'allow', updatedInput })
  })

  it.each([
    ['with `message`', { message: 'wrong directory' }, { kind: 'deny', message: 'wrong directory' }],
    ['without', {}, { kind: 'deny' }],
  ])('tool_approval, "decision": "deny" %s', async (_, given, answer) => {
    const { respond, outcome } = await pending()
    respond({ request_type: 'tool_approval', decision: 'deny', ...given })
    expect(await outcome).toMatchObject({ kind: 'denied', answer })
  })

  it('ask_user_question: `answers` by question text; selected label, multi select joined with ", ", free text', async () => {
    const { respond, outcome } = await pending(asking)
    respond({
      request_type: 'ask_user_question',
      answers: {
        'How should I format the output?': 'As a table',
        'Which sections?': 'Introduction, Conclusion',
      },
    })
    expect(await outcome).toMatchObject({
      kind: 'answered',
      answer: {
        answers: [
          { question: 0, selected: [], other: 'As a table' },
          { question: 1, selected: ['Introduction', 'Conclusion'] },
        ],
      },
    })
  })

  it.each([
    ['No matching process/request', { session_id: 'ses_00000000000000000000000001' }, 'request_not_found'],
    ['another `request_id`', { request_id: 'ask_00000000000000000000000001' }, 'request_not_found'],
    ['Unknown request type', { request_type: 'other' }, 'invalid_request'],
    [
      'the other request type',
      { request_type: 'ask_user_question', answers: {}, decision: undefined },
      'invalid_answer',
    ],
    ['a decision that is none', { decision: 'maybe' }, 'invalid_request'],
    ['an unknown message type', { type: 'send_message' }, 'unknown_type'],
  ])('%s: nothing is resolved, and the sender hears of it', async (_, given, code) => {
    const { client, respond } = await pending()
    respond({ request_type: 'tool_approval', decision: 'allow', ...given })
    await until(() => client.errors().length > 0, 'the error')
    expect(client.errors()).toMatchObject([{ type: 'error', code }])
    expect(await test.api.openAsks()).toHaveLength(1)
  })

  it.each([
    ['no answer to any question', {}, 'invalid_answer'],
    ['an answer without words', { 'How should I format the output?': ' ', 'Which sections?': '' }, 'invalid_answer'],
    ['a question that was not asked', { 'How?': 'Summary' }, 'invalid_answer'],
    ['the places of the questions for keys', { 0: 'Summary', 1: 'Body' }, 'invalid_answer'],
    [
      'an array where one answer is due',
      { 'How should I format the output?': ['Summary', 'Detailed'], 'Which sections?': ['Introduction'] },
      'invalid_answer',
    ],
    ['a list of answers', ['Summary', 'Body'], 'invalid_request'],
    ['no `answers`', undefined, 'invalid_request'],
  ])('ask_user_question with %s: refused, and the form stays', async (_, answers, code) => {
    const { client, ask, respond } = await pending(asking)
    respond({ request_type: 'ask_user_question', answers })
    await until(() => client.errors().length > 0, 'the error')
    expect(client.errors()).toMatchObject([{ code, request_id: ask.id }])
    expect(await test.api.openAsks()).toHaveLength(1)
  })

  it('ask_user_question with some of the questions, and with an array: the agent gets what was answered', async () => {
    const { ask, outcome, respond } = await pending(asking)
    respond({ request_type: 'ask_user_question', answers: { 'Which sections?': ['Introduction', 'Conclusion'] } })
    const given = (await outcome).answer?.answers as Parameters<typeof answersByText>[1]
    expect(answersByText(ask, given)).toEqual({ 'Which sections?': 'Introduction, Conclusion' })
  })

  it('a response under the id of another session, which waits itself, resolves neither', async () => {
    const [one, other] = [await pending(), await pending()]
    one.respond({ session_id: other.session.id, request_type: 'tool_approval', decision: 'allow' })
    await until(() => one.client.errors().length > 0, 'the error')
    expect(one.client.errors()).toMatchObject([{ code: 'request_not_found', request_id: one.ask.id }])
    expect(await test.api.openAsks()).toHaveLength(2)
    expect(other.client.errors()).toEqual([])
  })

  it('resolve_pending_request() is False if already resolved: `already_settled` to the sender alone', async () => {
    const { client, ask, respond, outcome } = await pending()
    const other = await connect()
    respond({ request_type: 'tool_approval', decision: 'deny' })
    await outcome
    other.send({
      type: 'pending_request_response',
      session_id: ask.sessionId,
      request_id: ask.id,
      request_type: 'tool_approval',
      decision: 'allow',
    })
    await until(() => other.errors().length > 0, 'the error')
    expect(other.errors()).toMatchObject([{ code: 'already_settled', request_id: ask.id, outcome: { kind: 'denied' } }])
    expect(client.errors()).toEqual([])
    expect((await outcome).kind).toBe('denied')
  })
})

describe('Timeout exemption', () => {
  it('a process with a pending request is not killed by the timeout monitor; without one it is', async () => {
    const { session, agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const client = await connect()
    clock.advance(600_000)
    client.send({
      type: 'pending_request_response',
      session_id: session.id,
      request_id: ask.id,
      request_type: 'tool_approval',
      decision: 'allow',
    })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    clock.advance(600_000)
    expect(await client.state(({ state }) => state === 'dead')).toMatchObject({ kill_reason: 'idle' })
  })
})

// The process-state protocol's forms are those of the web app: both variants in apps/web/src/e2e/asks.test.ts, their place
// and the mark in the list in one-ask-everywhere.test.ts.
describe('Frontend', () => {
  it('Multi-tab behavior: a client keeps its spinner until the broadcast, which clears all tabs', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const tabs = await Promise.all([0, 1].map(() => connectProcessState({ url: test.gateway.url, token: TEST_TOKEN })))
    const [one, other] = tabs as [(typeof tabs)[0], (typeof tabs)[0]]
    const { outcome } = await test.openAsk(agent)
    const request = await one.request(session.id)
    const done = one.client.approve(session.id, request)
    expect(one.client.responding).toContain(request.request_id)
    await done
    expect(await outcome).toMatchObject({ kind: 'allowed', via: 'process-state' })
    await other.cleared(session.id)
    expect(one.client.responding.size).toBe(0)
    for (const { client } of tabs) client.close()
  })
})
