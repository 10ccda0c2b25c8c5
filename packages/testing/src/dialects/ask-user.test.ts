// The ask-user protocol ("AskUserQuestion Callbacks"), section by section: what its messages look like and when they come.

import { answersByText } from '@holdpoint/core/ask-machine'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../manual-clock.ts'
import type { SyntheticAgent } from '../synthetic-driver.ts'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '../test-gateway.ts'
import { until } from '../until.ts'
import { connectAskUser } from './ask-user-client.ts'
import { openChat } from './chat-socket.ts'

/** The ask-user protocol's own example. */
const FORMAT = 'How should I format the output?'
const EXAMPLE = {
  question: FORMAT,
  header: 'Format',
  options: [
    { label: 'Summary', description: 'Brief overview' },
    { label: 'Detailed', description: 'Full explanation' },
  ],
  multiSelect: false,
}
const SECTIONS = {
  question: 'Which sections?',
  options: [{ label: 'Introduction' }, { label: 'Conclusion' }],
  multiSelect: true,
}
/** How a session is started whose questions behave as the ask-user protocol has it. */
const AS_IN_PROTOCOL = { prompt: 'go', askTimeoutMs: 55_000, onTimeout: 'interrupt' }

const manual = createManualClock()
let test: TestGateway
beforeEach(async () => {
  test = await startTestGateway({ clock: manual.clock })
})
afterEach(() => test[Symbol.asyncDispose]())

const headers = { authorization: `Bearer ${TEST_TOKEN}` }
const connect = (id: string) => openChat(test.gateway.url, id, headers)
const raise = (agent: SyntheticAgent, questions: AskRequest['questions'] = [EXAMPLE]) =>
  test.openAsk(agent, { kind: 'question', tool: { name: 'AskUserQuestion', input: { questions } }, questions })

/** A session in which the example is asked, and a client that has got it. */
async function asked(start: Record<string, unknown> = AS_IN_PROTOCOL, questions?: AskRequest['questions']) {
  const { session, agent } = await test.session(start)
  await until(() => agent.messages.length === 1, 'the prompt')
  const { ask, outcome } = await raise(agent, questions)
  const socket = await connect(session.id)
  const [status, question] = await socket.take(2)
  return { id: session.id, agent, ask, outcome, socket, status, question }
}
const statusOf = (id: string, fields: object) => ({
  type: 'session_status',
  session_id: id,
  is_processing: false,
  waiting_for_user: false,
  pending_question_id: null,
  ...fields,
})

describe('WebSocket Protocol, Server → Client', () => {
  it('ask_user_question: question_id, questions, timeout_seconds: 55', async () => {
    const { ask, question } = await asked()
    expect(question).toEqual({
      type: 'ask_user_question',
      question_id: ask.id,
      questions: [EXAMPLE],
      timeout_seconds: 55,
    })
  })

  it('timeout_seconds is left out where a session waits for ever', async () => {
    const { ask, question } = await asked({ prompt: 'go' })
    expect(question).toEqual({ type: 'ask_user_question', question_id: ask.id, questions: [EXAMPLE] })
  })

  it('ask_user_timeout: question_id, error: "User response timed out"', async () => {
    const { id, ask, socket } = await asked()
    manual.advance(55_000)
    expect(await socket.take(2)).toEqual([
      { type: 'ask_user_timeout', question_id: ask.id, error: 'User response timed out' },
      statusOf(id, { is_processing: true }),
    ])
  })

  it('session_status: session_id, is_processing, waiting_for_user, pending_question_id; on connect and on change', async () => {
    const { session, agent } = await test.session()
    const socket = await connect(session.id)
    expect(await socket.next()).toEqual(statusOf(session.id, {}))
    socket.say('go')
    expect(await socket.next()).toEqual(statusOf(session.id, { is_processing: true }))
    const { ask } = await raise(agent)
    const waiting = { waiting_for_user: true, pending_question_id: ask.id }
    expect(await socket.next()).toEqual(statusOf(session.id, waiting))
    expect((await socket.next()).type).toBe('ask_user_question')
    socket.respond(ask.id, { [FORMAT]: 'Summary' })
    expect(await socket.next()).toEqual(statusOf(session.id, { is_processing: true }))
    await agent.endTurn()
    expect(await socket.next()).toEqual(statusOf(session.id, {}))
    // What changes nothing in it is not told.
    await agent.say('by the way')
    expect(await socket.rest()).toEqual([])
  })

  it.each(['approval', 'plan', 'form'] as const)(
    'waiting_for_user is true for this kind too, without a pending question: %s',
    async (kind) => {
      const { session, agent } = await test.session({ prompt: 'go' })
      const plan = { text: 'a plan' }
      const form = { mode: 'form', server: 'forms', message: 'fill in' } as const
      const { ask } = await test.openAsk(agent, {
        kind,
        ...(kind === 'plan' && { plan }),
        ...(kind === 'form' && { form }),
      })
      const socket = await connect(session.id)
      expect(await socket.next()).toEqual(statusOf(session.id, { waiting_for_user: true }))
      socket.cancel(ask.id)
      expect(await socket.next()).toMatchObject({ error: 'question_not_found', question_id: ask.id })
    },
  )
})

describe('WebSocket Protocol, Client → Server', () => {
  it('ask_user_response: the example, field by field', async () => {
    const { ask, outcome, socket } = await asked()
    socket.send({
      type: 'ask_user_response',
      data: { question_id: ask.id, answers: { [FORMAT]: 'Summary' }, cancelled: false },
    })
    expect(await outcome).toMatchObject({
      kind: 'answered',
      via: 'ask-user',
      answer: { kind: 'answer', answers: [{ question: 0, selected: ['Summary'] }] },
    })
  })

  it('cancelled: true needs no answers, and those that come do not count', async () => {
    for (const more of [{}, { answers: {} }, { answers: { [FORMAT]: 'Summary' } }, { answers: null }]) {
      const { ask, outcome, socket } = await asked()
      socket.send({ type: 'ask_user_response', data: { question_id: ask.id, cancelled: true, ...more } })
      expect(await outcome).toMatchObject({ kind: 'denied', answer: { kind: 'cancel', interrupt: true } })
    }
  })

  it('cancelled may be left out', async () => {
    const { ask, outcome, socket } = await asked()
    socket.respond(ask.id, { [FORMAT]: 'Detailed' }, {})
    expect(await outcome).toMatchObject({ kind: 'answered' })
  })
})

describe('Notes', () => {
  it('values are strings, multi-select joined with ", ", free text allowed: the agent gets the same strings', async () => {
    const questions = [EXAMPLE, SECTIONS]
    const cases = [
      { [FORMAT]: 'Summary', [SECTIONS.question]: 'Introduction, Conclusion' },
      { [FORMAT]: 'Detailed', [SECTIONS.question]: 'Conclusion' },
      { [FORMAT]: 'As a poem, in two parts', [SECTIONS.question]: 'Introduction, Thanks, and more' },
    ]
    for (const answers of cases) {
      const { ask, outcome, socket } = await asked(AS_IN_PROTOCOL, questions)
      socket.respond(ask.id, answers)
      const given = (await outcome).answer?.answers as Parameters<typeof answersByText>[1]
      expect(answersByText(ask, given)).toEqual(answers)
    }
  })

  it('multi-select given as an array is joined with ", "', async () => {
    const { ask, outcome, socket } = await asked(AS_IN_PROTOCOL, [SECTIONS])
    socket.respond(ask.id, { [SECTIONS.question]: ['Introduction', 'Conclusion'] })
    const given = (await outcome).answer?.answers as Parameters<typeof answersByText>[1]
    expect(answersByText(ask, given)).toEqual({ [SECTIONS.question]: 'Introduction, Conclusion' })
  })

  it('an array for a question that takes one answer is an error, unless it has one entry', async () => {
    const { ask, outcome, socket } = await asked(AS_IN_PROTOCOL, [EXAMPLE])
    socket.respond(ask.id, { [FORMAT]: ['Summary', 'Detailed'] })
    expect(await socket.next()).toMatchObject({
      error: 'invalid_answer',
      question_id: ask.id,
      issues: ['question 0 takes one answer'],
    })
    socket.respond(ask.id, { [FORMAT]: ['Summary'] })
    expect(await outcome).toMatchObject({ answer: { answers: [{ question: 0, selected: ['Summary'] }] } })
  })

  it('questions may be left out, all but one; keys are their exact texts', async () => {
    const { ask, outcome, socket } = await asked(AS_IN_PROTOCOL, [EXAMPLE, SECTIONS])
    for (const answers of [{}, { [FORMAT]: 'Summary', Format: 'Summary' }, { [FORMAT]: '' }]) {
      socket.respond(ask.id, answers)
      expect(await socket.next()).toMatchObject({
        error: 'invalid_answer',
        question_id: ask.id,
        issues: [expect.any(String)],
      })
    }
    socket.respond(ask.id, { [SECTIONS.question]: 'Conclusion' })
    expect((await outcome).answer).toEqual({ kind: 'answer', answers: [{ question: 1, selected: ['Conclusion'] }] })
  })

  it('late responses after timeout change nothing; their sender is told', async () => {
    const { ask, outcome, socket } = await asked()
    manual.advance(55_000)
    expect(await outcome).toMatchObject({ kind: 'expired' })
    await socket.take(2)
    socket.respond(ask.id, { [FORMAT]: 'Summary' })
    socket.cancel(ask.id)
    expect(await socket.take(2)).toMatchObject(
      Array(2).fill({ type: 'error', error: 'already_settled', question_id: ask.id, outcome: { kind: 'expired' } }),
    )
    const record = await test.api.ok<Ask>('GET', `/api/asks/${ask.id}`)
    expect(record.outcome).toEqual({ kind: 'expired', via: 'gateway', at: expect.any(Number) })
  })

  it('responses from non-active connections are rejected with session_taken', async () => {
    const { id, ask, outcome, socket: older } = await asked()
    const active = await connect(id)
    await active.take(2)
    older.respond(ask.id, { [FORMAT]: 'Summary' })
    older.cancel(ask.id)
    expect(await older.take(2)).toMatchObject(
      Array(2).fill({ type: 'error', error: 'session_taken', question_id: ask.id }),
    )
    expect(await active.rest()).toEqual([])
    active.respond(ask.id, { [FORMAT]: 'Detailed' })
    expect(await outcome).toMatchObject({ answer: { answers: [{ selected: ['Detailed'] }] } })
  })
})

describe('question_id', () => {
  it('of another session’s question, or of none, is an error to its sender; both questions stay', async () => {
    const [one, other] = [await asked(), await asked()]
    for (const id of [other.ask.id, 'ask_00000000000000000000000001', 'q_123']) {
      one.socket.respond(id, { [FORMAT]: 'Summary' })
      one.socket.cancel(id)
      expect(await one.socket.take(2)).toMatchObject(
        Array(2).fill({ type: 'error', error: 'question_not_found', question_id: id }),
      )
    }
    expect(await other.socket.rest()).toEqual([])
    expect(await test.api.openAsks()).toHaveLength(2)
  })
})

describe('Backend Flow', () => {
  it('3: the response is awaited for 55 s: after 50 it still counts', async () => {
    const { outcome, ask, socket } = await asked()
    manual.advance(50_000)
    expect(await socket.rest()).toEqual([])
    socket.respond(ask.id, { [FORMAT]: 'Summary' })
    expect(await outcome).toMatchObject({ kind: 'answered' })
  })

  it('5: timeout and cancel both emit ask_user_timeout, and stay two different outcomes', async () => {
    const cancelled = await asked()
    cancelled.socket.cancel(cancelled.ask.id)
    expect(await cancelled.socket.next()).toEqual({
      type: 'ask_user_timeout',
      question_id: cancelled.ask.id,
      error: 'User cancelled the question',
    })
    expect(await cancelled.outcome).toMatchObject({ kind: 'denied', by: { role: 'owner' } })
    const expired = await asked()
    manual.advance(55_000)
    expect(await expired.socket.next()).toMatchObject({ type: 'ask_user_timeout', error: 'User response timed out' })
    expect(await expired.outcome).toMatchObject({ kind: 'expired', via: 'gateway' })
  })
})

describe('Frontend Guidance', () => {
  it('header and description are optional', async () => {
    const { question } = await asked(AS_IN_PROTOCOL, [SECTIONS])
    expect(question).toMatchObject({ questions: [SECTIONS] })
    expect(JSON.stringify(question)).not.toContain('header')
  })

  it('a message that is sent while waiting_for_user is true is queued', async () => {
    const { agent, ask, outcome, socket } = await asked()
    socket.say('and now?')
    socket.respond(ask.id, { [FORMAT]: 'Summary' })
    await outcome
    expect(agent.messages.map(({ text }) => text)).toEqual(['go'])
    await agent.endTurn()
    await until(() => agent.messages.length === 2, 'the message')
    expect(agent.messages[1]).toMatchObject({ text: 'and now?' })
  })
})

describe('Reconnect Behavior', () => {
  it('a question asked while nobody is connected, or delivered and not answered, is replayed; a settled one is not', async () => {
    const { id, ask, socket, question } = await asked()
    socket.close()
    for (let n = 0; n < 2; n++) {
      const again = await connect(id)
      expect(await again.take(2)).toEqual([
        statusOf(id, { waiting_for_user: true, pending_question_id: ask.id }),
        question,
      ])
      again.close()
    }
    const last = await connect(id)
    last.respond(ask.id, { [FORMAT]: 'Summary' })
    await last.take(3)
    const after = await connect(id)
    expect(await after.next()).toEqual(statusOf(id, { is_processing: true }))
    expect(await after.rest()).toEqual([])
  })

  it('one that timed out while nobody was connected is not replayed', async () => {
    const { id, outcome, socket } = await asked()
    socket.close()
    manual.advance(55_000)
    expect(await outcome).toMatchObject({ kind: 'expired' })
    const again = await connect(id)
    expect(await again.next()).toEqual(statusOf(id, { is_processing: true }))
    expect(await again.rest()).toEqual([])
  })

  it('the client of the ask-user protocol shows questions that are open at once one by one, also when it comes back', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const texts = ['One?', 'Two?', 'Three?', 'Four?']
    const raised = []
    for (const text of texts) raised.push(await raise(agent, [{ ...EXAMPLE, question: text }]))
    let tab = await connectAskUser({ url: test.gateway.url, token: TEST_TOKEN, sessionId: session.id })
    // One that is not on the screen yet is answered elsewhere: it never gets there.
    const [, , third] = raised
    await test.api.answer(third?.ask ?? expect.fail(), { kind: 'cancel' })
    let last: { question_id: string } | undefined
    for (const text of ['One?', 'Two?', 'Four?']) {
      const question = await tab.question(last)
      expect(question.questions).toMatchObject([{ question: text }])
      expect(tab.client.status).toMatchObject({ pending_question_id: question.question_id })
      if (text === 'Two?') {
        tab.client.close()
        tab = await connectAskUser({ url: test.gateway.url, token: TEST_TOKEN, sessionId: session.id })
        expect(await tab.question()).toEqual(question)
      }
      tab.client.answer({ [text]: `for ${text}` })
      last = question
    }
    await tab.waitFor(() => tab.client.status?.is_processing)
    const outcomes = await Promise.all(raised.map(({ outcome }) => outcome))
    expect(outcomes.map(({ answer }) => (answer?.answers as { other: string }[] | undefined)?.[0]?.other)).toEqual([
      'for One?',
      'for Two?',
      undefined,
      'for Four?',
    ])
    expect(tab.errors).toEqual([])
    tab.client.close()
  })
})
