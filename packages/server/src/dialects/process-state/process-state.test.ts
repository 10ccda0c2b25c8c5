import { connect } from 'node:net'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { requestBytes, UPGRADE } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ActiveProcesses, ErrorMessage, ProcessState } from './messages.ts'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const MIB = 1024 * 1024
type Message = ActiveProcesses | ProcessState | ErrorMessage

let test: TestGateway
let clock: ReturnType<typeof createManualClock>
let trouble: Awaited<ReturnType<typeof createTroubledStore>>
beforeEach(async () => {
  clock = createManualClock()
  trouble = await createTroubledStore()
  test = await startTestGateway({ clock: clock.clock, store: trouble.store })
})
afterEach(() => test[Symbol.asyncDispose]())

/** A client that has been told how things stand. */
async function open(headers: Record<string, string> = BEARER, path = '/ws/') {
  const socket = await openJsonSocket<Message>(test.gateway.url, path, headers)
  await until(() => socket.messages.length > 0, 'the first message')
  const states = () => socket.messages.filter((message) => message.type === 'process_state')
  const errors = () => socket.messages.filter((message) => message.type === 'error')
  return {
    ...socket,
    states,
    errors,
    active: () => (socket.messages[0] as ActiveProcesses).processes,
    /** The last that was said about a session, once it fits. */
    state: (id: string, fits: (state: ProcessState) => boolean) =>
      until(() => {
        const last = states().findLast((state) => state.session_id === id)
        return last && fits(last) && last
      }, 'a process_state'),
    /** Sends something, and gives back the error that it leads to. */
    async refused(message: unknown): Promise<ErrorMessage> {
      const before = errors().length
      socket.send(message)
      return until(() => errors()[before], 'an error')
    },
  }
}

function response(ask: { id: string; sessionId: string }, given: Record<string, unknown> = {}) {
  return {
    type: 'pending_request_response',
    session_id: ask.sessionId,
    request_id: ask.id,
    request_type: 'tool_approval',
    decision: 'allow',
    ...given,
  }
}

describe('who gets in', () => {
  it('a bearer of a credential, with or without the slash at the end', async () => {
    for (const path of ['/ws/', '/ws']) {
      const client = await open(BEARER, path)
      expect(client.messages).toEqual([{ type: 'active_processes', processes: [] }])
    }
  })

  it('a page of our own origin by its secret or a ticket, and no other page', async () => {
    const { headers } = await test.credential({ role: 'approver' }, 'browser')
    await open({ ...headers, origin: test.gateway.url })
    await expect(open({ ...headers, origin: 'https://evil.example' })).rejects.toThrow('403')
    await expect(open(headers)).rejects.toThrow('403')
    const { body } = await test.api.call<{ ticket: string }>('POST', '/api/tickets', { path: '/ws/' }, headers)
    const byTicket = () => openJsonSocket(test.gateway.url, `/ws/?ticket=${body.ticket}`, { origin: test.gateway.url })
    await byTicket()
    await expect(byTicket()).rejects.toThrow('401')
  })

  it('nobody without a credential, and no raiser', async () => {
    await expect(open({})).rejects.toThrow('401')
    const { headers } = await test.credential({ role: 'raiser' })
    await expect(open(headers)).rejects.toThrow('403')
  })

  it('nobody where the dialect is switched off', async () => {
    await using other = await startTestGateway({ dialects: ['ask-user', 'permission', 'turn-stream'] })
    for (const path of ['/ws/', '/ws'])
      await expect(openJsonSocket(other.gateway.url, path, BEARER)).rejects.toThrow('404')
  })

  it('and is cut off when its credential is taken away', async () => {
    const { device, headers } = await test.credential({ role: 'owner' })
    const client = await open(headers)
    await test.gateway.devices.revoke(device.id)
    await client.closed
  })
})

describe('what is told', () => {
  it('first of all the live sessions with what they wait for, and none of the dead', async () => {
    const { session, agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const dead = await test.session()
    dead.agent.die()
    await until(
      async () => (await test.api.ok<{ state: string }>('GET', `/api/sessions/${dead.session.id}`)).state === 'dead',
      'the end',
    )
    const client = await open()
    expect(client.active()).toMatchObject([
      { session_id: session.id, project_id: session.projectId, pending_request: { request_id: ask.id } },
    ])
  })

  it('a session that starts, asks, is answered elsewhere, and dies, once each', async () => {
    const client = await open()
    const { session, agent } = await test.session()
    await client.state(session.id, ({ state }) => state === 'user_turn')
    const { ask, outcome } = await test.openAsk(agent)
    const asking = await client.state(session.id, (state) => state.pending_request !== undefined)
    expect(asking).toMatchObject({ waiting_for_user: true, pending_request: { request_id: ask.id, tool_name: 'Bash' } })
    await test.api.answer(ask, { kind: 'deny' })
    await outcome
    const answered = await client.state(session.id, (state) => state.pending_request === undefined)
    expect(answered).toMatchObject({ waiting_for_user: false })
    agent.die({ reason: 'agent-exited', error: { code: 'agent-exited', message: 'It fell over.' } })
    const dead = await client.state(session.id, ({ state }) => state === 'dead')
    expect(dead).toMatchObject({ error: 'It fell over.', kill_reason: 'agent-exited' })
    const told = client.states().map(({ state, pending_request }) => `${state}${pending_request ? ' asks' : ''}`)
    expect(told).toEqual(['starting', 'user_turn', 'user_turn asks', 'user_turn', 'dead'])
  })

  it('nothing when nothing has changed that it shows', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    await until(() => agent.messages.length === 1, 'the first turn')
    const client = await open()
    expect(client.active()).toMatchObject([{ state: 'assistant_turn' }])
    await agent.say('hello')
    await test.api.ok('POST', `/api/sessions/${session.id}/mode`, { permissionMode: 'acceptEdits' })
    await test.api.ok('POST', `/api/sessions/${session.id}/model`, { model: 'other' })
    const { ask } = await test.openAsk(agent)
    await client.state(session.id, () => true)
    await test.api.ok('POST', `/api/asks/${ask.id}/seen`)
    await agent.say('still here')
    await test.api.answer(ask, { kind: 'deny' })
    await client.state(session.id, (state) => !state.waiting_for_user)
    await agent.endTurn()
    await client.state(session.id, ({ state }) => state === 'user_turn')
    expect(client.states().map((told) => [told.state, told.waiting_for_user])).toEqual([
      ['assistant_turn', true],
      ['assistant_turn', false],
      ['user_turn', false],
    ])
  })

  it('the oldest of several, the next when that is settled, and all of them once when all are withdrawn', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const asks = [(await test.openAsk(agent)).ask]
    for (let n = 0; n < 4; n++) asks.push((await test.openAsk(agent)).ask)
    const client = await open()
    expect(client.active()[0]?.pending_requests?.map((request) => request.request_id)).toEqual(asks.map(({ id }) => id))
    client.send(response(asks[0] ?? expect.fail()))
    const next = await client.state(session.id, (state) => state.pending_requests?.length === 4)
    expect(next.pending_request?.request_id).toBe(asks[1]?.id)
    const before = client.states().length
    await test.api.ok('DELETE', `/api/sessions/${session.id}`)
    await client.state(session.id, ({ state }) => state === 'dead')
    expect(client.states().slice(before)).toMatchObject([{ state: 'dead', kill_reason: 'ended-by-person' }])
  })

  it('that a session waits whose form it cannot show', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const form = {
      mode: 'form',
      server: 'forms',
      message: 'please',
      schema: { type: 'object', properties: {} },
    } as const
    const { ask } = await test.openAsk(agent, { kind: 'form', form, title: 'forms: fill in a form' })
    const waiting = await client.state(session.id, (state) => state.waiting_for_user)
    expect(waiting).toMatchObject({ state: 'assistant_turn' })
    expect(waiting).not.toHaveProperty('pending_request')
    expect(await client.refused(response(ask))).toMatchObject({ code: 'invalid_answer', request_id: ask.id })
    await test.api.answer(ask, { kind: 'decline' })
    await client.state(session.id, (state) => !state.waiting_for_user)
  })

  it('nothing of an ask that a rule settles', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const { ask } = await test.openAsk(agent)
    await test.api.answer(ask, { kind: 'allow', remember: { scope: 'session' } })
    await client.state(session.id, (state) => state.pending_request === undefined)
    const before = client.messages.length
    expect(await agent.ask()).toMatchObject({ kind: 'allowed', via: 'rule' })
    const { ask: other } = await test.openAsk(agent, { tool: { name: 'Other', input: {} } })
    await client.state(session.id, (state) => state.pending_request?.request_id === other.id)
    expect(client.messages.length).toBe(before + 1)
  })

  it('that nothing is asked any more when time has run out', async () => {
    const { session, agent } = await test.session({ prompt: 'go', askTimeoutMs: 60_000 })
    const client = await open()
    const { ask, outcome } = await test.openAsk(agent)
    await client.state(session.id, (state) => state.pending_request !== undefined)
    clock.advance(60_000)
    expect(await outcome).toMatchObject({ kind: 'expired' })
    await client.state(session.id, (state) => state.pending_request === undefined)
    expect(await client.refused(response(ask))).toMatchObject({ code: 'already_settled', outcome: { kind: 'expired' } })
  })

  it('how things stand, to a client that connects again, also when the session was resumed meanwhile', async () => {
    const { session, agent } = await test.session()
    agent.die()
    const client = await open()
    await until(
      async () => (await test.api.ok<{ state: string }>('GET', `/api/sessions/${session.id}`)).state === 'dead',
      'the end',
    )
    expect((await open()).active()).toEqual([])
    test.synthetic.agents.delete(session.id)
    await test.api.ok('POST', '/api/sessions', { agent: 'synthetic', resume: session.id })
    const revived = await client.state(session.id, ({ state }) => state === 'user_turn')
    expect(revived).not.toHaveProperty('kill_reason')
    expect((await open()).active()).toMatchObject([{ session_id: session.id, state: 'user_turn' }])
  })
})

describe('a response', () => {
  it('counts, is recorded with its way in, and is confirmed to everybody by the next state alone', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const [one, other] = [await open(), await open()]
    const { ask, outcome } = await test.openAsk(agent)
    const request = (await one.state(session.id, (state) => state.pending_request !== undefined)).pending_request
    one.send(response(ask, { updated_input: request?.tool_input }))
    expect(await outcome).toMatchObject({ kind: 'allowed', via: 'process-state', answer: { kind: 'allow' } })
    for (const client of [one, other]) {
      await client.state(session.id, (state) => state.pending_request === undefined)
      expect(client.errors()).toEqual([])
    }
  })

  it('runs the person’s edit, and refuses one of another shape', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const { ask, outcome } = await test.openAsk(agent)
    expect(await client.refused(response(ask, { updated_input: { command: 7 } }))).toMatchObject({
      code: 'invalid_answer',
      request_id: ask.id,
      issues: ['updatedInput.command must be string'],
    })
    client.send(response(ask, { updated_input: { command: 'echo edited' } }))
    expect(await outcome).toMatchObject({ answer: { kind: 'allow', updatedInput: { command: 'echo edited' } } })
  })

  it('that comes second is told who was first, and nobody else is', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const [one, other] = [await open(), await open()]
    const { ask, outcome } = await test.openAsk(agent)
    one.send(response(ask, { decision: 'deny', message: 'no' }))
    expect(await outcome).toMatchObject({ kind: 'denied', answer: { message: 'no' } })
    const late = await other.refused(response(ask))
    expect(late).toEqual({
      type: 'error',
      code: 'already_settled',
      message: expect.any(String),
      request_id: ask.id,
      outcome: { kind: 'denied', at: expect.any(Number), via: 'process-state', by: 'HOLDPOINT_TOKEN' },
    })
    // Of the wrong kind as well as late: that it is late is what matters.
    const wrong = { request_type: 'ask_user_question', answers: {}, decision: undefined }
    expect(await other.refused(response(ask, wrong))).toMatchObject({ code: 'already_settled' })
    await one.state(session.id, (state) => state.pending_request === undefined)
    expect(one.errors()).toEqual([])
  })

  it.each([
    ['of another type', { type: 'kill_process' }, 'unknown_type'],
    ['of no type', { type: undefined }, 'unknown_type'],
    [
      'for another kind of request',
      { request_type: 'ask_user_question', decision: undefined, answers: {} },
      'invalid_answer',
    ],
    ['of a kind that there is not', { request_type: 'form' }, 'invalid_request'],
    ['without a decision', { decision: undefined }, 'invalid_request'],
    ['with a decision that is none', { decision: 'always' }, 'invalid_request'],
    ['with a misspelt field', { updatedInput: { command: 'x' } }, 'invalid_request'],
    ['with an input that is none', { updated_input: 'ls' }, 'invalid_request'],
    ['with too long a reason', { decision: 'deny', message: 'x'.repeat(65_537) }, 'invalid_request'],
    ['to a request that there is not', { request_id: 'ask_00000000000000000000000001' }, 'request_not_found'],
    ['to a request that is no id', { request_id: '../asks' }, 'request_not_found'],
    ['to another session’s request', { session_id: 'ses_00000000000000000000000001' }, 'request_not_found'],
    ['without a session', { session_id: undefined }, 'invalid_request'],
  ])('%s changes nothing, and its sender hears why', async (_, given, code) => {
    const { agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const { ask } = await test.openAsk(agent)
    const before = await test.events()
    const message = response(ask, given)
    const error = await client.refused(message)
    expect(error).toMatchObject({ type: 'error', code, message: expect.any(String) })
    if (code !== 'unknown_type') expect(error.request_id).toBe(message.request_id)
    expect(await test.events()).toBe(before)
    expect(await test.api.openAsks()).toHaveLength(1)
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })

  it.each([
    ['no JSON', '{"type":'],
    ['two values for one key', '{"type":"pending_request_response","decision":"deny","decision":"allow"}'],
    ['no text', Buffer.from([1, 2, 3])],
  ])('that is %s is refused', async (_, sent) => {
    const client = await open()
    expect(await client.refused(sent)).toMatchObject({ code: 'malformed_json', message: expect.any(String) })
  })

  it.each(['[]', 'null', '7', '"pending_request_response"'])('that is %s is refused', async (sent) => {
    const client = await open()
    expect(await client.refused(sent)).toMatchObject({ code: 'unknown_type' })
  })

  it('I10 may bring a large input back, but nothing without end', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const input = { file_path: '/f', content: '\u0001'.repeat(300_000) }
    const { ask, outcome } = await test.openAsk(agent, { tool: { name: 'Write', input } })
    client.send(response(ask, { updated_input: input }))
    expect(await outcome).toMatchObject({ answer: { kind: 'allow' } })
    client.send(`"${'x'.repeat(8 * MIB)}"`)
    expect(await client.closed).toMatchObject({ code: 1009 })
  })

  it('I10 that makes no sense again and again ends the connection', async () => {
    const client = await open()
    for (let n = 0; n < 21; n++) client.send('{}')
    expect(await client.closed).toMatchObject({ code: 1008 })
  })

  it('counts after any number of messages of an unknown type, such as heartbeats', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const { ask, outcome } = await test.openAsk(agent)
    for (let n = 0; n < 100; n++) client.send({ type: 'heartbeat', n })
    client.send(response(ask, {}))
    expect(await outcome).toMatchObject({ kind: 'allowed' })
  })

  it('I4 that cannot be recorded does not count, and can be given again', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const client = await open()
    const { ask, outcome } = await test.openAsk(agent)
    trouble.set('full')
    expect(await client.refused(response(ask))).toMatchObject({ code: 'store_unavailable', request_id: ask.id })
    trouble.set('none')
    client.send(response(ask))
    expect(await outcome).toMatchObject({ kind: 'allowed' })
  })
})

it('I2 a plan that has changed since it was shown is not approved', async () => {
  await using other = await startTestGateway({ recheck: async () => 'The plan has changed.' })
  const { agent } = await other.session({ prompt: 'go' })
  const { ask } = await other.openAsk(agent, { kind: 'plan', plan: { text: '# One' } })
  const socket = await openJsonSocket<Message>(other.gateway.url, '/ws/', BEARER)
  socket.send(response(ask))
  const error = await socket.message(({ type }) => type === 'error', 'the error')
  expect(error).toMatchObject({ code: 'changed', message: 'The plan has changed.', request_id: ask.id })
  expect(await other.api.openAsks()).toHaveLength(1)
})

describe('I8 a credential', () => {
  it('that has run out since it connected answers nothing', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const { headers } = await test.credential({ role: 'owner' }, 'browser')
    const client = await open({ ...headers, origin: test.gateway.url })
    const { ask } = await test.openAsk(agent)
    clock.skip(366 * 24 * 3_600_000)
    expect(await client.refused(response(ask))).toMatchObject({ code: 'unauthorized', request_id: ask.id })
    expect(await test.api.openAsks()).toHaveLength(1)
  })

  it('for one session sees and answers that one alone', async () => {
    const [mine, foreign] = [await test.session({ prompt: 'go' }), await test.session({ prompt: 'go' })]
    const { headers } = await test.credential({ role: 'approver', sessionIds: [mine.session.id] })
    const client = await open(headers)
    const hidden = await test.openAsk(foreign.agent)
    const shown = await test.openAsk(mine.agent)
    await client.state(mine.session.id, (state) => state.pending_request !== undefined)
    expect(JSON.stringify(client.messages)).not.toContain(foreign.session.id)
    const notFound = { code: 'request_not_found', request_id: hidden.ask.id }
    expect(await client.refused(response(hidden.ask))).toMatchObject(notFound)
    expect(await client.refused(response(hidden.ask, { session_id: mine.session.id }))).toMatchObject(notFound)
    client.send(response(shown.ask))
    expect(await shown.outcome).toMatchObject({ kind: 'allowed' })
    expect(await test.api.openAsks()).toMatchObject([{ id: hidden.ask.id }])
  })

  it('that may only look cannot answer', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const { headers } = await test.credential({ role: 'viewer' })
    const client = await open(headers)
    const { ask } = await test.openAsk(agent)
    expect(await client.refused(response(ask))).toMatchObject({ code: 'forbidden', request_id: ask.id })
    expect(await test.api.openAsks()).toHaveLength(1)
  })
})

describe('I10 a client', () => {
  it('that stops reading is let go, and hinders nobody meanwhile', async () => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const { hostname, port } = new URL(test.gateway.url)
    const stopped = connect({ host: hostname, port: Number(port) })
    stopped.on('error', () => {})
    stopped.pause()
    stopped.write(requestBytes(test.gateway.url, { path: '/ws/', headers: { ...BEARER, ...UPGRADE } }))
    const { fanOut } = test.gateway
    await until(() => fanOut.size() === 1, 'the one that stopped')
    const client = await open()
    const input = { file_path: '/f', content: 'x'.repeat(MIB) }
    let rounds = 0
    while (fanOut.size() > 1) {
      const { ask, outcome } = await test.openAsk(agent, { tool: { name: 'Write', input } })
      client.send(response(ask))
      expect(await outcome).toMatchObject({ kind: 'allowed' })
      await client.state(session.id, (state) => state.pending_request === undefined)
      client.messages.splice(1)
      await agent.start.emit(
        Array.from({ length: 100 }, () => ({ type: 'item', item: { type: 'message', role: 'assistant', text: '.' } })),
      )
      if (++rounds > 100) throw new Error('the stopped reader is still there')
    }
    stopped.destroy()
  })

  it('that goes away leaves nothing behind', async () => {
    const { agent } = await test.session({ prompt: 'go' })
    const { fanOut } = test.gateway
    for (let n = 0; n < 5; n++) (await open()).close()
    await until(() => fanOut.size() === 0, 'all to be gone')
    const client = await open()
    const { ask, outcome } = await test.openAsk(agent)
    // Gone in the middle of its own answer.
    client.send(response(ask))
    client.close()
    await until(() => fanOut.size() === 0, 'the last to be gone')
    const reply = await test.api.answer(ask, { kind: 'deny' })
    expect([200, 409]).toContain(reply.status)
    expect(['allowed', 'denied']).toContain((await outcome).kind)
  })

  it('is told when the gateway goes', async () => {
    const client = await open()
    await test.gateway.close()
    expect(await client.closed).toMatchObject({ code: 1001 })
  })
})
