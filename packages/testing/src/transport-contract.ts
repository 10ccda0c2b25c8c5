import type { Transport } from '@holdpoint/client/transport'
import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './test-gateway.ts'
import { until } from './until.ts'

type Credential = Awaited<ReturnType<TestGateway['credential']>>

/** A call of the agent that has to wait for a person: one of the three below. */
export interface ContractCall {
  readonly toolUseId: string
  readonly name: 'Bash' | 'ExitPlanMode' | 'AskUserQuestion'
  readonly input: Record<string, unknown>
}

/** The agent at the other end, whichever way it is run. */
export interface ContractAgent {
  /** What it was given, in order. */
  readonly messages: readonly { readonly text: string }[]
  /** Makes the call; resolves when the ask has its end. */
  ask(call: ContractCall): Promise<Outcome>
  say(text: string): Promise<unknown>
  endTurn(): Promise<unknown>
  interrupts(): number
}

/** A gateway, a transport to it, and agents. */
export interface ContractWorld {
  readonly transport: Transport
  /** A session whose agent waits for a message, or works on `prompt`. */
  session(options?: { prompt?: string; askTimeoutMs?: number }): Promise<{ id: SessionId; agent: ContractAgent }>
  openAsks(sessionId: SessionId): Promise<Ask[]>
  /** As a person elsewhere would. */
  answer(ask: Ask, answer: Record<string, unknown>): Promise<unknown>
  [Symbol.asyncDispose](): Promise<void>
}

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
const ALL = { 0: 'Cards', 1: '["USD","CHF"]' }
const command = (toolUseId = 'toolu_command'): ContractCall => ({
  toolUseId,
  name: 'Bash',
  input: { command: 'echo hello' },
})
const question = (toolUseId = 'toolu_question'): ContractCall => ({
  toolUseId,
  name: 'AskUserQuestion',
  input: { questions: QUESTIONS },
})
const plan: ContractCall = { toolUseId: 'toolu_plan', name: 'ExitPlanMode', input: { plan: '# Do it' } }

/** A session whose agent has made a call, and waits. */
async function asking(world: ContractWorld, call: ContractCall) {
  const { id, agent } = await world.session({ prompt: 'go' })
  const outcome = agent.ask(call)
  // Where it is not answered, the end of the world says no to it.
  outcome.catch(() => {})
  const ask = await until(async () => (await world.openAsks(id))[0], 'the ask')
  return { id, agent, ask, outcome }
}

/** What the turn-stream protocol asks of a `Transport`, whichever way it reaches the gateway and whoever runs the agent. */
export function transportContract(name: string, open: () => Promise<ContractWorld>) {
  describe(`the ${name} transport answers tool calls`, () => {
    it('approves one, once', async () => {
      await using world = await open()
      const { transport } = world
      const { id, outcome } = await asking(world, command())
      expect(await transport.approveTool(id, 'toolu_command')).toEqual({ ok: true })
      expect(await outcome).toMatchObject({ kind: 'allowed', answer: { kind: 'allow' } })
      expect(await transport.approveTool(id, 'toolu_command')).toMatchObject({ ok: false, code: 'already_settled' })
      expect(await transport.denyTool(id, 'toolu_command')).toMatchObject({ ok: false, code: 'already_settled' })
    })

    it('denies one, with words for the agent', async () => {
      await using world = await open()
      const { id, outcome } = await asking(world, command())
      const denied = await world.transport.denyTool(id, 'toolu_command', { message: 'not on main' })
      expect(denied).toEqual({ ok: true })
      expect(await outcome).toMatchObject({ kind: 'denied', answer: { message: 'not on main' } })
    })

    it('approves a plan', async () => {
      await using world = await open()
      const { id, outcome } = await asking(world, plan)
      expect(await world.transport.approveTool(id, 'toolu_plan')).toEqual({ ok: true })
      expect((await outcome).kind).toBe('allowed')
    })

    it('brings answers by the place of their question to the agent', async () => {
      await using world = await open()
      const { id, outcome } = await asking(world, question())
      expect(await world.transport.submitAnswers(id, 'toolu_question', ALL)).toEqual({ ok: true })
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
      await using world = await open()
      const { transport } = world
      const { id, ask } = await asking(world, question())
      const other = await world.session({ prompt: 'go' })
      const call = 'toolu_question'
      const code = async (answer: ReturnType<Transport['approveTool']>) => {
        const result = await answer
        return result.ok ? 'ok' : result.code
      }
      expect(await code(transport.approveTool(id, 'toolu_nothing'))).toBe('not_found')
      expect(await code(transport.submitAnswers(other.id, call, ALL))).toBe('not_found')
      expect(await code(transport.submitAnswers('ses_nowhere', call, ALL))).toBe('not_found')
      expect(await code(transport.approveTool(id, call))).toBe('not_found')
      expect(await code(transport.submitAnswers(id, '', ALL))).toBe('invalid')
      expect(await code(transport.submitAnswers(id, call, {}))).toBe('invalid')
      expect(await code(transport.submitAnswers(id, call, { ...ALL, 7: 'x' }))).toBe('invalid')
      expect(await world.openAsks(id)).toHaveLength(1)
      await world.answer(ask, { kind: 'cancel' })
      expect(await code(transport.submitAnswers(id, call, ALL))).toBe('already_settled')
    })

    it('says why it was refused in words', async () => {
      await using world = await open()
      const { id } = await world.session({ prompt: 'go' })
      const result = await world.transport.submitAnswers(id, 'toolu_nothing', ALL)
      expect(result).toEqual({ ok: false, code: 'not_found', message: 'No pending question' })
    })

    it('counts an answer once that is sent again under its key', async () => {
      await using world = await open()
      const { transport } = world
      const { id } = await asking(world, command())
      const call = {
        method: 'POST',
        path: `/api/sessions/${id}/approve`,
        body: { toolCallId: 'toolu_command' },
        idempotencyKey: 'once',
      } as const
      expect(await transport.call(call)).toMatchObject({ status: 200, body: { ok: true } })
      expect(await transport.call(call)).toMatchObject({ status: 200, body: { ok: true } })
      expect(await transport.call({ ...call, idempotencyKey: 'twice' })).toMatchObject({ status: 409 })
    })

    it('gives up when told to', async () => {
      await using world = await open()
      const { transport } = world
      await expect(transport.approveTool('ses_1', 'toolu_1', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'aborted',
      })
    })
  })

  describe(`the ${name} transport follows turns`, () => {
    it('sends a message, tells of asks while the agent waits, and ends with the turn', async () => {
      await using world = await open()
      const { transport } = world
      const { id, agent } = await world.session()
      const followed = follower()
      const turn = transport.sendMessage(id, 'Do it', followed.options)
      await until(() => agent.messages.length === 1, 'the message')
      expect(agent.messages).toMatchObject([{ text: 'Do it' }])
      await agent.say('Working')
      const approving = agent.ask(command('toolu_a'))
      await followed.until('approval_required')
      expect(followed.events.at(-1)?.type).not.toBe('done')
      expect(await transport.approveTool(id, 'toolu_a')).toEqual({ ok: true })
      await approving
      await followed.until('interaction_settled')
      const answering = agent.ask(question('toolu_b'))
      await followed.until('question_prompt')
      expect(await transport.submitAnswers(id, 'toolu_b', ALL)).toEqual({ ok: true })
      await answering
      await agent.endTurn()
      await turn
      const { events } = followed
      expect(events).toContainEqual({ type: 'text_delta', data: { text: 'Working' } })
      expect(events).toContainEqual({
        type: 'approval_required',
        // And the folder, where the agent has told it.
        data: expect.objectContaining({ toolCallId: 'toolu_a', toolName: 'Bash', input: '{"command":"echo hello"}' }),
      })
      expect(events).toContainEqual({ type: 'question_prompt', data: { toolCallId: 'toolu_b', questions: QUESTIONS } })
      expect(events).toContainEqual({
        type: 'interaction_settled',
        data: { toolCallId: 'toolu_a', outcome: 'allowed' },
      })
      expect(events.at(-1)).toEqual({ type: 'done', data: { sessionId: id } })
    })

    it('joins at any time, with what is open first, and tells what others answered', async () => {
      await using world = await open()
      const { id, agent, ask, outcome } = await asking(world, command())
      const followed = follower()
      const turn = world.transport.joinTurn(id, followed.options)
      await followed.until('approval_required')
      expect(followed.types()[0]).toBe('approval_required')
      await world.answer(ask, { kind: 'deny', message: 'no' })
      await outcome
      await agent.endTurn()
      await turn
      expect(followed.events).toContainEqual({
        type: 'interaction_settled',
        data: { toolCallId: 'toolu_command', outcome: 'denied', reason: 'no' },
      })
    })

    it('leaves the stream and not the turn when told to', async () => {
      await using world = await open()
      const { transport } = world
      const { id, agent } = await world.session()
      const followed = follower()
      const turn = transport.sendMessage(id, 'Do it', followed.options)
      const left = expect(turn).rejects.toMatchObject({ code: 'aborted' })
      await until(() => agent.messages.length === 1, 'the message')
      await agent.say('Working')
      await followed.until('text_delta')
      followed.over.abort()
      await left
      const count = followed.events.length
      await agent.say('Still working')
      const outcome = agent.ask(command())
      await until(async () => (await world.openAsks(id))[0], 'the ask')
      expect(followed.events).toHaveLength(count)
      expect(agent.interrupts()).toBe(0)
      expect(await transport.approveTool(id, 'toolu_command')).toEqual({ ok: true })
      expect((await outcome).kind).toBe('allowed')
    })

    it('faults where there is nothing to follow', async () => {
      await using world = await open()
      const { options } = follower()
      await expect(world.transport.joinTurn('ses_nowhere', options)).rejects.toMatchObject({ code: 'refused' })
    })

    it('tells that the time of an ask was up', async () => {
      await using world = await open()
      const { transport } = world
      const { id, agent } = await world.session({ prompt: 'go', askTimeoutMs: 1000 })
      const followed = follower()
      const turn = transport.joinTurn(id, followed.options)
      const expiring = agent.ask(command('toolu_late'))
      await followed.until('interaction_settled')
      expect((await expiring).kind).toBe('expired')
      expect(await transport.approveTool(id, 'toolu_late')).toMatchObject({ ok: false, code: 'already_settled' })
      await agent.endTurn()
      await turn
      expect(followed.events).toContainEqual({
        type: 'interaction_settled',
        data: expect.objectContaining({ toolCallId: 'toolu_late', outcome: 'expired' }),
      })
    })
  })
}

type Reach = (test: TestGateway, credential: Credential) => Transport

/** What a transport says that stands for a credential of a gateway. */
export function credentialContract(name: string, reach: Reach) {
  describe(`the ${name} transport has the rights of its credential`, () => {
    it('I8 refuses a role that may not answer, and faults for a credential that is gone', async () => {
      await using world = await openTestGateway(reach, 'viewer')
      const { transport } = world
      const { id } = await asking(world, command())
      expect(await transport.approveTool(id, 'toolu_command')).toMatchObject({ ok: false, code: 'refused' })
      await world.revoke()
      await expect(transport.approveTool(id, 'toolu_command')).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await world.openAsks(id)).toHaveLength(1)
    })

    it('faults where no message can be sent', async () => {
      await using world = await openTestGateway(reach, 'viewer')
      const { transport } = world
      const { id } = await world.session()
      const { options } = follower()
      await expect(transport.sendMessage(id, 'go', options)).rejects.toMatchObject({ code: 'refused' })
      await world.revoke()
      await expect(transport.joinTurn(id, options)).rejects.toMatchObject({ code: 'unauthorized' })
    })
  })
}

/** A gateway with agents of ours, reached with a credential. */
export async function openTestGateway(reach: Reach, role: 'owner' | 'viewer' = 'owner') {
  const test = await startTestGateway()
  const credential = await test.credential({ role })
  return {
    transport: reach(test, credential),
    async session(options = {}) {
      const { session, agent } = await test.session(options)
      const { messages, interrupts, say, endTurn } = agent
      const ask = ({ toolUseId, name, input }: ContractCall) => {
        const tool = { name, input }
        if (name === 'AskUserQuestion') return agent.ask({ toolUseId, tool, kind: 'question', questions: QUESTIONS })
        if (name === 'Bash') return agent.ask({ toolUseId, tool })
        return agent.ask({ toolUseId, tool, kind: 'plan', plan: { text: String(input.plan) } })
      }
      return { id: session.id, agent: { messages, interrupts, say, endTurn, ask } }
    },
    openAsks: (sessionId) => test.api.openAsks(sessionId),
    answer: (ask, answer) => test.api.answer(ask, answer),
    revoke: () => test.gateway.devices.revoke(credential.device.id),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  } satisfies ContractWorld & { revoke(): Promise<unknown> }
}

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
