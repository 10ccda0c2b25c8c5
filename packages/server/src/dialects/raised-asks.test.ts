import type { PermissionRequest } from '@holdpoint/core/permission-request'
import type { Ask } from '@holdpoint/schema/ask'
import { openChat } from '@holdpoint/testing/dialects/chat-socket'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import type { PendingList } from './permission/messages.ts'
import type { ActiveProcesses, PendingRequest, ProcessState } from './process-state/messages.ts'

const LARGE = `echo ${'x'.repeat(1_900_000)}`
const questions = (question: string) => [{ question, options: [{ label: 'yes' }], multiSelect: false }]
const command = (text: string) => ({ tool: { name: 'Bash', input: { command: text } } })

/** Two sessions, and a program that may raise in both, and has. */
async function withRaiser() {
  const test = await startTestGateway()
  const { session, agent } = await test.session()
  const { session: other } = await test.session()
  const approver = await test.credential({ role: 'approver' })
  const raiser = await test.credential({ role: 'raiser' })
  const raise = (sessionId: string, requestId: string, more: object, who = raiser) => {
    const request = { sessionId, requestId, kind: 'approval', title: 'Bash', context: { cwd: '/' }, ...more }
    return who.api.ok<Ask>('POST', '/api/asks', request)
  }
  return { test, session, other, agent, approver, raiser, raise, [Symbol.asyncDispose]: test[Symbol.asyncDispose] }
}

it('I7 F58 shows what the agent asks in every dialect, first, however much programs have raised before', async () => {
  await using set = await withRaiser()
  const { test, session, other, agent, approver, raise } = set
  const name = set.raiser.device.name
  const url = test.gateway.url
  const follower = await openJsonSocket<ProcessState | ActiveProcesses>(url, '/ws/', approver.headers)
  const chat = await openChat(url, session.id, approver.headers)
  const programs = await raise(session.id, 'question', { kind: 'question', questions: questions('Which token?') })
  // As much as programs may have open: more than one of them may raise at once.
  const second = await test.credential({ role: 'raiser' })
  for (const n of [1, 2, 3, 4]) {
    await raise(session.id, `large ${n}`, command(LARGE))
    await raise(other.id, `large ${n}`, command(LARGE), second)
  }
  const own = await test.openAsk(agent, { requestId: 'own', ...command('npm test') })
  const asked = await test.openAsk(agent, { requestId: 'asked', kind: 'question', questions: questions('Which way?') })

  const isState = (message: ProcessState | ActiveProcesses): message is ProcessState => message.type === 'process_state'
  const states = (messages: readonly (ProcessState | ActiveProcesses)[]) =>
    messages.flatMap((message) => (isState(message) ? [message] : message.processes))
  const fresh = await openJsonSocket<ProcessState | ActiveProcesses>(url, '/ws/', approver.headers)
  for (const { messages } of [follower, fresh]) {
    const shown = () => states(messages).filter(({ session_id }) => session_id === session.id)
    const requests = await until(() => {
      const last: readonly PendingRequest[] = shown().at(-1)?.pending_requests ?? []
      return last.some(({ request_id }) => request_id === asked.ask.id) ? last : undefined
    }, 'the agent’s question')
    expect(requests.slice(0, 2).map(({ request_id, raiser }) => [request_id, raiser])).toEqual([
      [own.ask.id, undefined],
      [asked.ask.id, undefined],
    ])
    expect(shown().at(-1)?.pending_request?.request_id).toBe(own.ask.id)
    // Of the program's at least the oldest, under its name.
    expect(requests[2]).toMatchObject({ request_id: programs.id, raiser: name })
  }

  const pending = await approver.api.ok<PendingList>('GET', '/permission/pending')
  expect(pending.requests[0]).toMatchObject({ id: own.ask.id })
  expect(pending.requests.slice(1).map(({ metadata }: PermissionRequest) => metadata.raiser)).toEqual([name])
  expect(pending.more).toBe(7)

  // The agent's question takes the screen, and the program's comes back to it when that is over.
  const question = () => chat.messages.findLast((message) => message.type === 'ask_user_question')
  await until(() => question()?.question_id === asked.ask.id, 'the agent’s question')
  expect(question()).not.toHaveProperty('raiser')
  expect(chat.messages.findLast(({ type }) => type === 'session_status')).toMatchObject({
    pending_question_id: asked.ask.id,
  })
  const answer = { type: 'ask_user_response', data: { question_id: asked.ask.id, answers: { 'Which way?': 'yes' } } }
  chat.send(answer)
  expect(await asked.outcome).toMatchObject({ kind: 'answered' })
  await until(() => question()?.question_id === programs.id, 'the program’s question again')
  expect(question()).toMatchObject({ raiser: name })
  for (const client of [follower, fresh, chat]) client.close()
})

it('T27 names the program that asks in every dialect, and takes no id of its choice for the agent’s', async () => {
  await using set = await withRaiser()
  const { test, session, approver, raiser, raise } = set
  const { name } = raiser.device
  const approval = await raise(session.id, 'toolu_of_the_agent', command('npm test'))
  await raise(session.id, 'question', { kind: 'question', questions: questions('Which token?') })
  const url = test.gateway.url
  const client = await openJsonSocket<ActiveProcesses>(url, '/ws/', approver.headers)
  const { processes } = await client.message(({ type }) => type === 'active_processes', 'the sessions')
  const requests = processes.find(({ session_id }) => session_id === session.id)?.pending_requests ?? []
  expect(requests.map((request) => request.raiser)).toEqual([name, name])
  const chat = await openChat(url, session.id, approver.headers)
  await until(() => chat.messages.find(({ type }) => type === 'ask_user_question'), 'the question')
  expect(chat.messages.find(({ type }) => type === 'ask_user_question')).toMatchObject({ raiser: name })
  const { requests: permissions } = await approver.api.ok<PendingList>('GET', '/permission/pending')
  expect(permissions).toMatchObject([{ messageId: approval.id, metadata: { raiser: name } }])
  for (const one of [client, chat]) one.close()
})
