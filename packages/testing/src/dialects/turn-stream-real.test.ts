// The turn-stream protocol ("Gateway Interactive Tool UI Architecture") end to end: the real Claude Code on a scripted
// model, and the client in examples/, which was written from the turn-stream protocol alone.
import {
  ask,
  hangMidStream,
  multiQuestion,
  planUntilApproved,
  singleQuestion,
  steps,
  subagents,
} from '@holdpoint/demo-model/scenarios'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealGateway, startRealGateway } from '../e2e/real-gateway.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { openTurn } from './turn-reader.ts'
import { createTurnStreamClient } from './turn-stream-client.ts'

const scripts: Record<string, Script> = {
  hello: () => ({ ...say('Hello there, I am here.'), chunkDelayMs: 50 }),
  bash: steps([use('Bash', { command: 'touch made.txt', description: 'make a file' })], 'All done.'),
  'two-bash': steps([use('Bash', { command: 'touch one.txt' }), use('Bash', { command: 'touch two.txt' })]),
  questions: steps([ask(singleQuestion, multiQuestion)]),
  plan: planUntilApproved('# The plan\n'),
  parallel: steps([[1, 2, 3].map((n) => use('WebFetch', { url: `https://example.invalid/${n}`, prompt: 'read' }))]),
  helper: subagents([
    { prompt: 'scenario:helper inside', steps: [use('Bash', { command: 'touch inside.txt' })], end: 'inner words' },
  ]),
  hang: hangMidStream('I was about to say'),
}

const OWNER = { authorization: `Bearer ${PROCESS_TOKEN}` }

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

/** As Claude Code tells its model. The words alone prove nothing: they are in the question that it has asked. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)

let count = 0

/** A session that waits for its first message, the plain client for it, and what the model was told in the end. */
async function open(scenario: string, start: Record<string, unknown> = {}) {
  const session = await real.session(scenario, { prompt: undefined, ...start })
  const content = `scenario:${scenario} turn ${++count}!`
  const errors: Error[] = []
  const plain = await createTurnStreamClient({
    url: real.gateway.url,
    token: PROCESS_TOKEN,
    sessionId: session.id,
    onError: (error) => errors.push(error),
  })
  const told = () =>
    JSON.stringify(real.model.requests.findLast(({ messages }) => JSON.stringify(messages).includes(content)))
  const reader = () => openTurn(real.gateway.url, session.id, { headers: OWNER })
  return { session, content, errors, told, reader, ...plain, start: () => plain.send(content) }
}

async function outcomes(sessionId: string) {
  const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${sessionId}`)
  return asks.map(({ outcome }) => outcome)
}

describe.concurrent('§6.4 sendMessage yields the turn', () => {
  it('text_delta in pieces that make the message, once; session_status first, done last', async () => {
    const { start, client } = await open('hello')
    const events = await start()
    const pieces = events.filter(({ type }) => type === 'text_delta')
    expect(pieces.length).toBeGreaterThan(1)
    expect(client.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello there, I am here.' })
    expect(events[0]?.type).toBe('session_status')
    expect(events.at(-1)?.type).toBe('done')
    expect(client.status).toMatchObject({ state: 'user_turn', model: expect.any(String) })
  })

  it('tool_call_start, _delta, _end and tool_result of a call, approval_required {toolCallId, toolName, input} while the agent is blocked, and exactly that runs', async () => {
    const { start, client, pending, session } = await open('bash')
    const turn = start()
    const call = await pending()
    const { toolCallId } = call
    expect(call).toMatchObject({ toolName: 'Bash', interactiveType: 'approval', status: 'pending' })
    const input = { command: 'touch made.txt', description: 'make a file' }
    expect(JSON.parse(call.input)).toEqual(input)
    expect([client.streaming, await session.file('made.txt')]).toEqual([true, undefined])
    expect(await client.approveTool(toolCallId)).toEqual({ ok: true })
    const events = await turn
    const types = events
      .filter(({ data }) => 'toolCallId' in data && data.toolCallId === toolCallId)
      .map(({ type }) => type)
    const inOrder = types.filter((type, index) => types.indexOf(type) === index)
    expect(inOrder.filter((type) => type.startsWith('tool_'))).toEqual([
      'tool_call_start',
      'tool_call_delta',
      'tool_call_end',
      'tool_result',
    ])
    expect(inOrder).toContain('approval_required')
    expect(inOrder.indexOf('interaction_settled')).toBeLessThan(inOrder.indexOf('tool_result'))
    const written = events.flatMap(({ type, data }) => (type === 'tool_call_delta' ? [data.input] : [])).join('')
    expect(JSON.parse(written)).toEqual(input)
    const end = events.find(({ type }) => type === 'tool_call_end')?.data as { input: string }
    expect(JSON.parse(end.input)).toEqual(input)
    expect(client.getToolCall(toolCallId)).toMatchObject({ toolName: 'Bash', status: 'complete', outcome: 'allowed' })
    expect(await session.file('made.txt')).toBe('')
    expect(await outcomes(session.id)).toMatchObject([
      { kind: 'allowed', via: 'turn-stream', answer: { kind: 'allow' } },
    ])
  })

  it('what a subagent says is not the turn’s text; what it asks is asked', async () => {
    const { start, client, pending, session } = await open('helper')
    const turn = start()
    const { toolCallId } = await pending(({ toolName }) => toolName === 'Bash')
    await client.approveTool(toolCallId)
    await turn
    expect(client.messages.at(-1)?.content).not.toContain('inner words')
    expect(client.getToolCall(toolCallId)).toMatchObject({ status: 'complete' })
    expect(await session.file('inside.txt')).toBe('')
  })

  it('an interrupt ends the turn with done, in the middle of a sentence', async () => {
    const { start, client, session } = await open('hang')
    const turn = start()
    await client.waitFor(() => client.messages.at(-1)?.content.includes('about'))
    await real.api.ok('POST', `/api/sessions/${session.id}/interrupt`)
    expect((await turn).at(-1)?.type).toBe('done')
  })

  it('a session that is ended ends the turn with error and done', async () => {
    const { start, pending, session, errors } = await open('bash')
    const turn = start()
    const { toolCallId } = await pending()
    await real.api.ok('DELETE', `/api/sessions/${session.id}`)
    const events = await turn
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'done'])
    expect(events).toContainEqual({
      type: 'interaction_settled',
      data: { toolCallId, outcome: 'withdrawn', reason: 'session-ended' },
    })
    expect(errors).toMatchObject([{ code: 'session_ended' }])
  })
})

describe.concurrent('§6.3 handleToolApproval, §7 tool approval flow', () => {
  it('denied with a message: nothing runs, the agent reads the words and goes on', async () => {
    const { start, client, pending, session, told } = await open('two-bash')
    const turn = start()
    const first = await pending()
    await client.denyTool(first.toolCallId, { message: 'not on a Sunday' })
    const second = await pending(({ toolCallId }) => toolCallId !== first.toolCallId)
    expect(told()).toContain('not on a Sunday')
    await client.denyTool(second.toolCallId)
    await turn
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual([undefined, undefined])
    expect(client.getToolCall(first.toolCallId)).toMatchObject({
      status: 'error',
      outcome: 'denied',
      reason: 'not on a Sunday',
    })
  })

  it('a plan is an approval of ExitPlanMode: sent back with a comment, then approved', async () => {
    const { start, client, pending } = await open('plan')
    const turn = start()
    const first = await pending(({ toolName }) => toolName === 'ExitPlanMode')
    expect(JSON.parse(first.input)).toMatchObject({ plan: expect.stringContaining('# The plan') })
    await client.denyTool(first.toolCallId, { message: 'make it shorter' })
    const second = await pending(({ toolName }) => toolName === 'ExitPlanMode')
    expect(second.input).toContain('make it shorter')
    await client.approveTool(second.toolCallId)
    await turn
    expect(client.messages.at(-1)?.content).toContain('The plan is approved.')
  })

  it('several at once, answered in any order, each for itself', async () => {
    const { start, client, told } = await open('parallel')
    const turn = start()
    await client.waitFor(() => client.pendingInteractions.length === 3)
    const [one, two, three] = client.pendingInteractions
    expect(new Set([one?.toolCallId, two?.toolCallId, three?.toolCallId]).size).toBe(3)
    for (const [call, message] of [
      [three, 'no three'],
      [one, 'no one'],
      [two, 'no two'],
    ] as const)
      await client.denyTool(call?.toolCallId ?? '', { message })
    await turn
    expect(client.pendingInteractions).toEqual([])
    for (const message of ['no one', 'no two', 'no three']) expect(told()).toContain(message)
  })
})

describe.concurrent('§6.3 handleAskUserQuestion, §7 AskUserQuestion flow', () => {
  it('question_prompt {toolCallId, questions}; answers by index, multi-select as JSON, reach the agent by wording', async () => {
    const { start, client, pending, session, told } = await open('questions')
    const turn = start()
    const call = await pending()
    expect(call).toMatchObject({ toolName: 'AskUserQuestion', interactiveType: 'question' })
    expect(call.questions).toEqual(
      [singleQuestion, multiQuestion].map(({ options, ...question }) => ({
        ...question,
        options: options.map(({ label, description }) => ({ label, description })),
      })),
    )
    expect(await client.submitAnswers(call.toolCallId, ['One column', ['Store', 'Page']])).toEqual({ ok: true })
    const events = await turn
    expect(events).toContainEqual({
      type: 'interaction_settled',
      data: { toolCallId: call.toolCallId, outcome: 'answered' },
    })
    // The whole point of an answer: by index it would never arrive.
    expect(told()).toContain(given(singleQuestion.question, 'One column'))
    expect(told()).toContain(given(multiQuestion.question, 'Store, Page'))
    expect(await outcomes(session.id)).toMatchObject([{ kind: 'answered', via: 'turn-stream' }])
  })

  it('"Other" is free text, alone and beside options', async () => {
    const { start, client, pending, told } = await open('questions')
    const turn = start()
    const { toolCallId } = await pending()
    await client.submitAnswers(toolCallId, ['Three columns', ['Server', 'The docs, too']])
    await turn
    expect(told()).toContain(given(singleQuestion.question, 'Three columns'))
    expect(told()).toContain(given(multiQuestion.question, 'Server, The docs, too'))
  })

  it('skipped with deny, the agent is told so and goes on', async () => {
    const { start, client, pending, told } = await open('questions')
    const turn = start()
    const { toolCallId } = await pending()
    await client.denyTool(toolCallId)
    await turn
    expect(told()).toContain('The user chose not to answer this.')
    expect(client.getToolCall(toolCallId)).toMatchObject({ outcome: 'denied' })
  })
})

describe.concurrent('§7 timeout behaviour', () => {
  it('nobody answers: the call is denied, the card hears of it, a late answer gets 409', async () => {
    const { start, client, pending, session, told } = await open('bash', { askTimeoutMs: 1000 })
    const turn = start()
    const { toolCallId } = await pending()
    await turn
    expect(client.getToolCall(toolCallId)).toMatchObject({ outcome: 'expired', status: 'error' })
    expect(told()).toContain('Nobody answered in time')
    expect(await session.file('made.txt')).toBeUndefined()
    await expect(client.approveTool(toolCallId)).rejects.toMatchObject({ status: 409, code: 'already_settled' })
  })
})

describe.concurrent('answers from other surfaces', () => {
  it('interaction_settled clears the card; the answer that comes second gets 409', async () => {
    const { start, client, pending, call, session } = await open('bash')
    const turn = start()
    const { toolCallId } = await pending()
    const open1 = await session.ask()
    expect(open1.toolUseId).toBe(toolCallId)
    await session.answer(open1, { kind: 'deny', message: 'from the web app' })
    await call(toolCallId, ({ outcome }) => outcome === 'denied')
    await expect(client.approveTool(toolCallId)).rejects.toMatchObject({ status: 409 })
    await turn
    expect(await session.file('made.txt')).toBeUndefined()
  })
})

describe.concurrent('leaving and coming back', () => {
  it('the turn goes on without the stream; joining shows what is open first', async () => {
    const { client, pending, content, session, reader, join } = await open('bash')
    const leaving = new AbortController()
    const left = (async () => {
      for await (const _ of client.sendMessage(content, { signal: leaving.signal }));
    })()
    left.catch(() => {})
    const { toolCallId } = await pending()
    leaving.abort()
    await expect(left).rejects.toThrow()
    const plain = await reader()
    await plain.event('session_status')
    expect(plain.types().slice(0, 2)).toEqual(['approval_required', 'session_status'])
    expect(plain.data('approval_required')).toMatchObject([{ toolCallId, toolName: 'Bash' }])
    const turn = join()
    await pending()
    await client.approveTool(toolCallId)
    expect((await turn).at(-1)?.type).toBe('done')
    await plain.over()
    expect(plain.data('tool_result')).toMatchObject([{ toolCallId, toolName: 'Bash', status: 'complete' }])
    expect(await session.file('made.txt')).toBe('')
    expect((await join()).map(({ type }) => type)).toEqual(['session_status', 'done'])
  })
})

describe('a gateway that is killed in the middle of an ask', () => {
  it('lets clients come back to it, joins a repeated message to its turn, and takes the answers', async () => {
    const approval = await open('bash')
    const question = await open('questions')
    const keyed = await open('bash')
    const send = () =>
      openTurn(real.gateway.url, keyed.session.id, { headers: OWNER, content: keyed.content, idempotencyKey: 'a key' })
    const first = await send()
    const turns = [approval.start(), question.start()]
    const [call, asked, named] = [
      await approval.pending(),
      await question.pending(),
      await first.event('approval_required'),
    ]
    await real.gateway.kill9()
    expect(await first.ended).toBe('broken')
    await until(() => approval.errors.length > 0 && question.errors.length > 0, 'both clients to notice')
    const back = [approval, question].map(({ client }) =>
      client.waitFor((_, event) => event?.type === 'session_status'),
    )
    await real.restart()
    const again = await send()
    await Promise.all(back)
    const waiting = ({ client }: typeof approval) => client.pendingInteractions.map(({ toolCallId }) => toolCallId)
    expect([approval, question].map(waiting)).toEqual([[call.toolCallId], [asked.toolCallId]])
    expect(await again.event('approval_required')).toEqual(named)

    // The gateway may need a moment to find the agents again.
    await until(() => approval.client.approveTool(call.toolCallId).catch(() => undefined), 'the approval')
    const answers = ['Two columns', ['Page']]
    await until(() => question.client.submitAnswers(asked.toolCallId, answers).catch(() => undefined), 'the answer')
    await until(() => keyed.client.approveTool(named.toolCallId).catch(() => undefined), 'the other approval')
    for (const turn of turns) expect((await turn).at(-1)?.type).toBe('done')
    await again.over()
    expect([await approval.session.file('made.txt'), await keyed.session.file('made.txt')]).toEqual(['', ''])
    expect([approval.client.messages.at(-1)?.content, again.text()]).toEqual(['All done.', 'All done.'])
    expect(question.told()).toContain(given(singleQuestion.question, 'Two columns'))
    expect(question.told()).toContain(given(multiQuestion.question, 'Page'))
    const sent = (await keyed.session.items()).filter((item) => item.type === 'message' && item.role === 'user')
    expect(sent).toHaveLength(1)
  })
})
