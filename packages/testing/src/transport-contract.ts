import type { StreamEvent } from '@holdpoint/client/stream-event'
import type { Transport } from '@holdpoint/client/transport'
import { describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './test-gateway.ts'
import { until } from './until.ts'

type Credential = Awaited<ReturnType<TestGateway['credential']>>

const QUESTIONS = [
  {
    question: 'Which layout?',
    header: 'Layout',
    multiSelect: false,
    options: [{ label: 'Cards', description: 'Side by side' }, { label: 'Table' }],
  },
  {
    question: 'Which currencies?',
    header: 'Currencies',
    multiSelect: true,
    options: [{ label: 'EUR' }, { label: 'USD' }],
  },
]
const QUESTION = {
  kind: 'question',
  tool: { name: 'AskUserQuestion', input: { questions: QUESTIONS } },
  questions: QUESTIONS,
} as const
const ALL = { 0: 'Cards', 1: '["USD","CHF"]' }

/** What document 003 asks of a `Transport`, whichever way it reaches the gateway. */
export function transportContract(name: string, reach: (test: TestGateway, credential: Credential) => Transport) {
  async function start(
    role: 'owner' | 'approver' | 'viewer' = 'owner',
    options: Parameters<typeof startTestGateway>[0] = {},
  ) {
    const test = await startTestGateway(options)
    const credential = await test.credential({ role })
    return {
      test,
      credential,
      transport: reach(test, credential),
      [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
    }
  }

  describe(`the ${name} transport answers tool calls`, () => {
    it('approves one, once', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask, outcome } = await test.openAsk(agent)
      const id = ask.toolUseId ?? ''
      expect(await transport.approveTool(session.id, id)).toEqual({ ok: true })
      expect(await outcome).toMatchObject({ kind: 'allowed', answer: { kind: 'allow' } })
      expect(await transport.approveTool(session.id, id)).toMatchObject({ ok: false, code: 'already_settled' })
      expect(await transport.denyTool(session.id, id)).toMatchObject({ ok: false, code: 'already_settled' })
    })

    it('denies one, with words for the agent', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask, outcome } = await test.openAsk(agent)
      expect(await transport.denyTool(session.id, ask.toolUseId ?? '', { message: 'not on main' })).toEqual({
        ok: true,
      })
      expect(await outcome).toMatchObject({ kind: 'denied', answer: { message: 'not on main' } })
    })

    it('approves a plan', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const input = { plan: '# Do it' }
      const { ask, outcome } = await test.openAsk(agent, {
        kind: 'plan',
        tool: { name: 'ExitPlanMode', input },
        plan: { text: '# Do it' },
        remember: undefined,
      })
      expect(await transport.approveTool(session.id, ask.toolUseId ?? '')).toEqual({ ok: true })
      expect((await outcome).kind).toBe('allowed')
    })

    it('brings answers by the place of their question to the agent', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask, outcome } = await test.openAsk(agent, QUESTION)
      expect(await transport.submitAnswers(session.id, ask.toolUseId ?? '', ALL)).toEqual({ ok: true })
      expect(await outcome).toMatchObject({
        kind: 'answered',
        answer: {
          answers: [
            { question: 0, selected: ['Cards'] },
            { question: 1, selected: ['USD'], other: 'CHF' },
          ],
        },
      })
    })

    it('says as values that nothing waits, that another was first, and that an answer does not fit', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { session: other } = await test.session({ prompt: 'go' })
      const { ask } = await test.openAsk(agent, QUESTION)
      const id = ask.toolUseId ?? ''
      const code = async (answer: ReturnType<Transport['approveTool']>) => {
        const result = await answer
        return result.ok ? 'ok' : result.code
      }
      expect(await code(transport.approveTool(session.id, 'toolu_nothing'))).toBe('not_found')
      expect(await code(transport.submitAnswers(other.id, id, ALL))).toBe('not_found')
      expect(await code(transport.submitAnswers('ses_nowhere', id, ALL))).toBe('not_found')
      expect(await code(transport.approveTool(session.id, id))).toBe('not_found')
      expect(await code(transport.submitAnswers(session.id, '', ALL))).toBe('invalid')
      expect(await code(transport.submitAnswers(session.id, id, {}))).toBe('invalid')
      expect(await code(transport.submitAnswers(session.id, id, { 0: 'Cards' }))).toBe('invalid')
      expect(await code(transport.submitAnswers(session.id, id, { ...ALL, 7: 'x' }))).toBe('invalid')
      expect(await test.api.openAsks(session.id)).toHaveLength(1)
      await test.api.answer(ask, { kind: 'cancel' })
      expect(await code(transport.submitAnswers(session.id, id, ALL))).toBe('already_settled')
    })

    it('says why it was refused in words', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session } = await test.session({ prompt: 'go' })
      const result = await transport.submitAnswers(session.id, 'toolu_nothing', ALL)
      expect(result).toEqual({ ok: false, code: 'not_found', message: 'No pending question' })
    })

    it('I8 refuses a role that may not answer, and faults for a credential that is gone', async () => {
      await using world = await start('viewer')
      const { test, transport, credential } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask } = await test.openAsk(agent)
      const id = ask.toolUseId ?? ''
      expect(await transport.approveTool(session.id, id)).toMatchObject({ ok: false, code: 'refused' })
      await test.gateway.context.devices.revoke(credential.device.id)
      await expect(transport.approveTool(session.id, id)).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await test.api.openAsks(session.id)).toHaveLength(1)
    })

    it('counts an answer once that is sent again under its key', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask } = await test.openAsk(agent)
      const call = {
        method: 'POST',
        path: `/api/sessions/${session.id}/approve`,
        body: { toolCallId: ask.toolUseId },
        idempotencyKey: 'once',
      } as const
      expect(await transport.call(call)).toMatchObject({ status: 200, body: { ok: true } })
      expect(await transport.call(call)).toMatchObject({ status: 200, body: { ok: true } })
      expect(await transport.call({ ...call, idempotencyKey: 'twice' })).toMatchObject({ status: 409 })
    })

    it('gives up when told to', async () => {
      await using world = await start()
      const { transport } = world
      await expect(transport.approveTool('ses_1', 'toolu_1', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'aborted',
      })
    })
  })

  describe(`the ${name} transport follows turns`, () => {
    function follower() {
      const events: StreamEvent[] = []
      const over = new AbortController()
      return {
        events,
        over,
        options: { onEvent: (event: StreamEvent) => void events.push(event), signal: over.signal },
        types: () => events.map(({ type }) => type),
        until: (type: StreamEvent['type']) => until(() => events.some((event) => event.type === type), type),
      }
    }

    it('sends a message, tells of asks while the agent waits, and ends with the turn', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session()
      const followed = follower()
      const turn = transport.sendMessage(session.id, 'Do it', followed.options)
      await until(() => agent.messages.length === 1, 'the message')
      await agent.say('Working')
      const asking = agent.ask({ toolUseId: 'toolu_a' })
      await followed.until('approval_required')
      expect(followed.events.at(-1)?.type).not.toBe('done')
      expect(await transport.approveTool(session.id, 'toolu_a')).toEqual({ ok: true })
      await asking
      await followed.until('interaction_settled')
      const answering = agent.ask({ ...QUESTION, toolUseId: 'toolu_b' })
      await followed.until('question_prompt')
      expect(await transport.submitAnswers(session.id, 'toolu_b', ALL)).toEqual({ ok: true })
      await answering
      await agent.endTurn()
      await turn
      const { events } = followed
      expect(events).toContainEqual({ type: 'text_delta', data: { text: 'Working' } })
      expect(events).toContainEqual({
        type: 'approval_required',
        data: { toolCallId: 'toolu_a', toolName: 'Bash', input: '{"command":"echo hello"}' },
      })
      expect(events).toContainEqual({ type: 'question_prompt', data: { toolCallId: 'toolu_b', questions: QUESTIONS } })
      expect(events).toContainEqual({
        type: 'interaction_settled',
        data: { toolCallId: 'toolu_a', outcome: 'allowed' },
      })
      expect(events.at(-1)).toEqual({ type: 'done', data: { sessionId: session.id } })
    })

    it('joins at any time, with what is open first, and tells what others answered', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go' })
      const { ask, outcome } = await test.openAsk(agent)
      const followed = follower()
      const turn = transport.joinTurn(session.id, followed.options)
      await followed.until('approval_required')
      expect(followed.types()[0]).toBe('approval_required')
      await test.api.answer(ask, { kind: 'deny', message: 'no' })
      await outcome
      await agent.endTurn()
      await turn
      expect(followed.events).toContainEqual({
        type: 'interaction_settled',
        data: { toolCallId: ask.toolUseId, outcome: 'denied', reason: 'no' },
      })
    })

    it('leaves the stream and not the turn when told to', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session()
      const followed = follower()
      const turn = transport.sendMessage(session.id, 'Do it', followed.options)
      const left = expect(turn).rejects.toMatchObject({ code: 'aborted' })
      await until(() => agent.messages.length === 1, 'the message')
      await agent.say('Working')
      await followed.until('text_delta')
      followed.over.abort()
      await left
      const count = followed.events.length
      await agent.say('Still working')
      const { ask } = await test.openAsk(agent)
      expect(followed.events).toHaveLength(count)
      expect(agent.interrupts()).toBe(0)
      expect(await transport.approveTool(session.id, ask.toolUseId ?? '')).toEqual({ ok: true })
    })

    it('faults where there is nothing to follow or no message can be sent', async () => {
      await using world = await start('viewer')
      const { test, transport, credential } = world
      const { session } = await test.session()
      const { options } = follower()
      await expect(transport.joinTurn('ses_nowhere', options)).rejects.toMatchObject({ code: 'refused' })
      await expect(transport.sendMessage(session.id, 'go', options)).rejects.toMatchObject({ code: 'refused' })
      await test.gateway.context.devices.revoke(credential.device.id)
      await expect(transport.joinTurn(session.id, options)).rejects.toMatchObject({ code: 'unauthorized' })
    })

    it('tells that the time of an ask was up', async () => {
      await using world = await start()
      const { test, transport } = world
      const { session, agent } = await test.session({ prompt: 'go', askTimeoutMs: 1000 })
      const followed = follower()
      const turn = transport.joinTurn(session.id, followed.options)
      const asking = agent.ask({ toolUseId: 'toolu_late' })
      await followed.until('interaction_settled')
      expect((await asking).kind).toBe('expired')
      expect(await transport.approveTool(session.id, 'toolu_late')).toMatchObject({
        ok: false,
        code: 'already_settled',
      })
      await agent.endTurn()
      await turn
      expect(followed.events).toContainEqual({
        type: 'interaction_settled',
        data: expect.objectContaining({ toolCallId: 'toolu_late', outcome: 'expired' }),
      })
    })
  })
}
