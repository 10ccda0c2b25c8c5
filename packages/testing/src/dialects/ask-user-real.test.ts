// The ask-user protocol ("AskUserQuestion Callbacks") end to end: the real Claude Code on a scripted model, and the client
// in examples/, which was written from the ask-user protocol alone.
import { ask, multiQuestion, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RealGateway, type RealSession, startRealGateway } from '../e2e/real-gateway.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { connectAskUser } from './ask-user-client.ts'
import { openChat } from './chat-socket.ts'

const colour = { ...singleQuestion, question: 'Which colour?', header: 'Colour' }
const [layout, parts] = [singleQuestion.question, multiQuestion.question]

const scripts = {
  one: steps([ask(singleQuestion)]),
  both: steps([ask(singleQuestion, multiQuestion)]),
  two: steps([ask(singleQuestion), ask(colour)]),
  parallel: steps([[ask(singleQuestion), ask(colour), ask(multiQuestion)]]),
  bash: steps([use('Bash', { command: 'touch made.txt' }), ask(singleQuestion)]),
}
/** As the ask-user protocol has it. */
const AS_IN_PROTOCOL = { askTimeoutMs: 55_000, onTimeout: 'interrupt' }

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

/** As Claude Code tells its model. The words alone prove nothing: they are in the question that it has asked. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)

/** A session, and a client that is connected to it. */
async function open(scenario: keyof typeof scripts, start: Record<string, unknown> = AS_IN_PROTOCOL) {
  const session = await real.session(scenario, start)
  return { session, tab: await connect(session) }
}
const connect = ({ id: sessionId }: RealSession) =>
  connectAskUser({ url: real.gateway.url, token: PROCESS_TOKEN, sessionId })

async function outcomes(session: RealSession) {
  const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
  return asks.map(({ outcome }) => outcome)
}

it.concurrent('Backend Flow 4, on response: a label, and labels joined with ", ", go back as updated_input={questions, answers}', async () => {
  const { session, tab } = await open('both')
  const question = await tab.question()
  expect(question).toEqual({
    question_id: expect.stringMatching(/^ask_/),
    questions: [singleQuestion, multiQuestion],
    timeout_seconds: 55,
  })
  // Frontend Guidance: the normal chat input is disabled while waiting_for_user is true.
  expect(tab.client.status).toEqual({
    session_id: session.id,
    is_processing: false,
    waiting_for_user: true,
    pending_question_id: question.question_id,
  })
  tab.client.answer({ [layout]: 'One column', [parts]: ['Store', 'Page'] })
  await tab.idle()
  expect(session.told()).toContain(given(layout, 'One column'))
  expect(session.told()).toContain(given(parts, 'Store, Page'))
  expect(await outcomes(session)).toMatchObject([{ kind: 'answered', via: 'ask-user' }])
  // Nobody who has just answered is told that the question is over.
  expect(tab.messages.filter(({ type }) => type === 'ask_user_timeout' || type === 'error')).toEqual([])
  tab.client.close()
})

it.concurrent('Notes: free-text answers are allowed even if not in options', async () => {
  const { session, tab } = await open('both')
  await tab.question()
  tab.client.answer({ [layout]: 'Three columns, please', [parts]: ['Server', 'and the docs'] })
  await tab.idle()
  expect(session.told()).toContain(given(layout, 'Three columns, please'))
  expect(session.told()).toContain(given(parts, 'Server, and the docs'))
  tab.client.close()
})

it.concurrent('answers to some of the questions: the agent is told those, and of the others nothing', async () => {
  const { session, tab } = await open('both')
  await tab.question()
  tab.client.answer({ [parts]: ['Page'] })
  await tab.idle()
  expect(session.told()).toContain(given(parts, 'Page'))
  expect(session.told()).not.toContain(given(layout, '').slice(0, -2))
  expect(await outcomes(session)).toMatchObject([{ kind: 'answered', answer: { answers: [{ question: 1 }] } }])
  tab.client.close()
})

it.concurrent('Backend Flow 5, cancelled: true: emits ask_user_timeout and interrupts; the next message works', async () => {
  const { session, tab } = await open('two')
  const question = await tab.question()
  tab.client.cancel()
  expect(await tab.over(question)).toMatchObject({ error: 'User cancelled the question' })
  await tab.idle()
  // The turn is over: the second question was never asked.
  expect(tab.messages.filter(({ type }) => type === 'ask_user_question')).toHaveLength(1)
  expect(await outcomes(session)).toMatchObject([
    { kind: 'denied', via: 'ask-user', answer: { kind: 'cancel', interrupt: true } },
  ])
  tab.client.send('once more')
  await tab.question(question)
  tab.client.cancel()
  await tab.idle()
  tab.client.close()
})

it.concurrent('Backend Flow 5, on timeout: emits ask_user_timeout and interrupts; a late response is not taken', async () => {
  const { session, tab } = await open('two', { askTimeoutMs: 1000, onTimeout: 'interrupt' })
  const question = await tab.question()
  expect(question.timeout_seconds).toBe(1)
  expect(await tab.over(question)).toMatchObject({ error: 'User response timed out' })
  expect(tab.client.question).toBeNull()
  await tab.idle()
  expect(tab.messages.filter(({ type }) => type === 'ask_user_question')).toHaveLength(1)
  const late = await openChat(real.gateway.url, session.id, { authorization: `Bearer ${PROCESS_TOKEN}` })
  expect(await late.next()).toMatchObject({ waiting_for_user: false, pending_question_id: null })
  late.respond(question.question_id, { [layout]: 'One column' })
  expect(await late.next()).toMatchObject({ error: 'already_settled', outcome: { kind: 'expired' } })
  expect(await outcomes(session)).toMatchObject([{ kind: 'expired' }])
  late.close()
  tab.client.close()
})

it.concurrent('Backend Flow 5 with onTimeout "deny": Claude hears that nobody was there, and goes on', async () => {
  const { session, tab } = await open('one', { askTimeoutMs: 1000, onTimeout: 'deny' })
  await tab.over(await tab.question())
  await tab.idle()
  expect(session.told()).toContain('Nobody answered in time')
  tab.client.close()
})

it.concurrent('Frontend Guidance: chat input is queued on the backend while waiting_for_user is true', async () => {
  const { session, tab } = await open('one')
  const first = await tab.question()
  tab.client.send('and another thing')
  await until(async () => (await session.read()).queuedMessages === 1, 'the queued message')
  expect(tab.client.question).toEqual(first)
  tab.client.answer({ [layout]: 'One column' })
  // The message reaches the agent after the turn, and the script starts anew.
  await tab.question(first)
  expect(session.told()).toContain('and another thing')
  tab.client.cancel()
  await tab.idle()
  tab.client.close()
})

it.concurrent('Frontend Guidance: a session that waits for something else says so, without a pending question', async () => {
  const { session, tab } = await open('bash')
  await tab.waitFor(() => tab.client.status?.waiting_for_user)
  expect(tab.client.status).toMatchObject({ is_processing: false, pending_question_id: null })
  expect([tab.client.question, tab.client.inputDisabled]).toEqual([null, true])
  await session.answer(await session.ask(), { kind: 'allow' })
  await tab.question()
  tab.client.answer({ [layout]: 'One column' })
  await tab.idle()
  expect(await session.file('made.txt')).toBe('')
  tab.client.close()
})

it.concurrent('Notes: a non-active connection is rejected with session_taken; it takes the session back', async () => {
  const { session, tab } = await open('one')
  const question = await tab.question()
  const newest = await connect(session)
  expect(await newest.question()).toEqual(question)
  tab.client.answer({ [layout]: 'One column' })
  await tab.waitFor(() => tab.client.taken)
  expect(tab.errors).toMatchObject([{ code: 'session_taken' }])
  expect(tab.client.question).toEqual(question)
  expect(await outcomes(session)).toEqual([])
  tab.client.reconnect()
  await tab.waitFor(() => tab.client.connected && tab.client.question)
  newest.client.cancel()
  await newest.waitFor(() => newest.client.taken)
  tab.client.answer({ [layout]: 'Two columns' })
  await tab.idle()
  await newest.over(question)
  expect(session.told()).toContain(given(layout, 'Two columns'))
  for (const { client } of [tab, newest]) client.close()
})

it.concurrent('a question that is answered on another surface leaves this one at once', async () => {
  const { session, tab } = await open('one')
  const question = await tab.question()
  await session.answer(await session.ask(), { kind: 'answer', answers: [{ question: 0, selected: ['One column'] }] })
  expect(await tab.over(question)).toMatchObject({ error: 'The question was answered elsewhere' })
  expect(tab.client.question).toBeNull()
  await tab.idle()
  tab.client.close()
})

it.concurrent('questions of one reply come one after the other, and each gets its own answer', async () => {
  const { session, tab } = await open('parallel')
  const answers: Record<string, string> = { [layout]: 'One column', 'Which colour?': 'green', [parts]: 'Store' }
  let last: { question_id: string } | undefined
  for (let n = 0; n < 3; n++) {
    const question = await tab.question(last)
    expect(tab.client.status).toMatchObject({ waiting_for_user: true, pending_question_id: question.question_id })
    const asked = question.questions[0]?.question ?? ''
    tab.client.answer({ [asked]: answers[asked] ?? expect.fail() })
    last = question
  }
  await tab.idle()
  for (const [question, answer] of Object.entries(answers)) expect(session.told()).toContain(given(question, answer))
  expect(tab.messages.filter(({ type }) => type === 'error' || type === 'ask_user_timeout')).toEqual([])
  tab.client.close()
})

it.concurrent('Reconnect Behavior: a question that is asked while nobody is connected is buffered, and replayed', async () => {
  const session = await real.session('one', AS_IN_PROTOCOL)
  const { id } = await session.ask()
  const tab = await connect(session)
  expect(await tab.question()).toMatchObject({ question_id: id })
  tab.client.close()
  // Delivered, but not answered: the next client gets it again.
  const next = await connect(session)
  expect(await next.question()).toMatchObject({ question_id: id, timeout_seconds: 55 })
  next.client.answer({ [layout]: 'Two columns' })
  await next.idle()
  expect(session.told()).toContain(given(layout, 'Two columns'))
  next.client.close()
})

// Last, and alone: it takes the gateway of all the others away.
it('Reconnect Behavior: across a killed gateway the same question comes back by itself', async () => {
  const { session, tab } = await open('two')
  const question = await tab.question()
  await real.gateway.kill9()
  await tab.waitFor(() => !tab.client.connected)
  await real.restart()
  await tab.waitFor(() => tab.messages.filter(({ type }) => type === 'ask_user_question').length === 2)
  expect(tab.client.question).toEqual(question)
  tab.client.answer({ [layout]: 'Two columns' })
  const second = await tab.question(question)
  expect(session.told()).toContain(given(layout, 'Two columns'))
  tab.client.answer({ [second.questions[0]?.question ?? '']: 'blue' })
  await tab.idle()
  expect((await outcomes(session)).map((outcome) => outcome?.kind)).toEqual(['answered', 'answered'])
  tab.client.close()
})
