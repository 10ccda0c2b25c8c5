import { MAX_OPEN_ASKS } from '@holdpoint/core/open-room'
import type { Ask } from '@holdpoint/schema/ask'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

async function setUp() {
  const test = await startTestGateway()
  const { session, agent } = await test.session()
  const raiser = await test.credential({ role: 'raiser', sessionIds: [session.id] })
  const request = {
    sessionId: session.id,
    requestId: 'deploy-1',
    kind: 'approval',
    title: 'Deploy',
    tool: { name: 'Deploy', input: { to: 'production' } },
    context: { cwd: '/srv' },
  }
  return { test, session, agent, raiser, request, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

describe('a raiser', () => {
  it('raises, waits for and gets its own outcome, which is then known to have arrived (I9)', async () => {
    await using set = await setUp()
    const { test, raiser, request } = set
    const raised = await raiser.api.call<Ask>('POST', '/api/asks', request)
    expect(raised).toMatchObject({
      status: 201,
      body: { kind: 'approval', raisedBy: raiser.device.id, epoch: 1, flags: { defaultToNo: false } },
    })
    const ask = raised.body
    const waiting = raiser.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=60`)
    expect((await test.api.answer(ask, { kind: 'allow' })).status).toBe(200)
    expect((await waiting).outcome).toMatchObject({ kind: 'allowed' })
    await until(async () => (await test.store.ask(ask.id))?.delivered, 'the delivery')
    expect(test.gateway.ledger.views().get(ask.sessionId)?.undelivered.size).toBe(0)
  })

  it('gets the same ask for the same request, and its outcome when it has one', async () => {
    await using set = await setUp()
    const { test, raiser, request } = set
    const tries = await Promise.all([1, 2, 3].map(() => raiser.api.call<Ask>('POST', '/api/asks', request)))
    expect(tries.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(tries.map(({ body }) => body.id)).size).toBe(1)
    const ask = tries[0]?.body as Ask
    await test.api.answer(ask, { kind: 'deny' })
    expect(await raiser.api.call('POST', '/api/asks', request)).toMatchObject({
      status: 201,
      body: { id: ask.id, outcome: { kind: 'denied' } },
    })
  })

  it('has its call denied by a rule at once, and never allowed by one', async () => {
    await using set = await setUp()
    const { test, raiser, request } = set
    const rule = { agent: '*', pattern: 'Deploy', scope: { kind: 'everywhere' } }
    const allow = await test.api.ok<{ id: string }>('POST', '/api/policy/rules', { ...rule, effect: 'allow' })
    const open = await raiser.api.ok<Ask>('POST', '/api/asks', request)
    expect(open.outcome).toBeUndefined()
    expect((await test.api.call('DELETE', `/api/policy/rules/${allow.id}`)).status).toBe(204)
    await test.api.ok('POST', '/api/policy/rules', { ...rule, effect: 'deny' })
    const denied = await raiser.api.ok<Ask>('POST', '/api/asks', { ...request, requestId: 'deploy-2' })
    expect(denied.outcome).toMatchObject({ kind: 'denied', via: 'rule' })
  })

  it('is refused questions whose answers could not be told apart, before anybody is asked', async () => {
    await using set = await setUp()
    const { raiser, request } = set
    const ask = (...questions: { question: string; options: { label: string }[] }[]) =>
      raiser.api.call('POST', '/api/asks', { ...request, kind: 'question', questions })
    const one = { question: 'Which?', options: [{ label: 'yes' }] }
    const refused = { status: 422, body: { error: { code: 'invalid_request' } } }
    expect(await ask(one, one)).toMatchObject(refused)
    expect(await ask({ ...one, question: '__proto__' })).toMatchObject(refused)
    expect(await ask({ ...one, options: [{ label: 'yes' }, { label: 'yes' }] })).toMatchObject(refused)
    expect((await ask(one, { ...one, question: 'And then?' })).status).toBe(201)
  })

  it('T27 is refused an ask without the part that is shown of it, and told which is missing', async () => {
    await using set = await setUp()
    const { raiser } = set
    const { tool, ...request } = set.request
    const parts = {
      approval: { tool },
      question: { questions: [{ question: 'Which?', options: [{ label: 'yes' }] }] },
      plan: { plan: { text: 'All of it' } },
      form: { form: { mode: 'form', server: 'ci', message: 'Which?' } },
    }
    for (const [kind, part] of Object.entries(parts)) {
      const refused = { status: 422, body: { error: { issues: [expect.stringContaining(`"${kind}" needs`)] } } }
      expect(await raiser.api.call('POST', '/api/asks', { ...request, kind })).toMatchObject(refused)
      const raised = { ...request, requestId: kind, kind, ...part }
      expect(await raiser.api.call('POST', '/api/asks', raised)).toMatchObject({ status: 201 })
    }
  })

  it('F35 silences no agent of its session with its open asks', async () => {
    await using set = await setUp()
    const { test, session, agent, raiser, request } = set
    const raise = (n: number) => raiser.api.call<Ask>('POST', '/api/asks', { ...request, requestId: `r${n}` })
    const raised = await Promise.all(Array.from({ length: MAX_OPEN_ASKS + 1 }, (_, n) => raise(n)))
    expect(raised.filter(({ status }) => status === 201)).toHaveLength(MAX_OPEN_ASKS)
    expect(raised.find(({ status }) => status !== 201)).toMatchObject({ body: { error: { code: 'too_many_open' } } })
    const { ask, outcome } = await test.openAsk(agent, { requestId: 'the agent’s' })
    expect(await test.api.answer(ask, { kind: 'allow' })).toMatchObject({ status: 200 })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    expect(test.gateway.ledger.views().get(session.id)?.asks.size).toBe(MAX_OPEN_ASKS)
  })

  it('T27 is named on what it raises, and says nothing that a card shows as a fact', async () => {
    await using set = await setUp()
    const { raiser, request } = set
    const { tool } = request
    const server = { name: 'tickets', source: 'user' }
    for (const [field, claimed] of Object.entries({
      decisionReason: { ...request, decisionReason: 'Your settings say that this is safe' },
      matchedAskRule: { ...request, matchedAskRule: { rule: 'Deploy' } },
      raiser: { ...request, raiser: 'Somebody else' },
      display: { ...request, display: { verb: 'Read file', icon: 'read', shownIn: { command: 'agent-says' } } },
      mcpServer: { ...request, tool: { ...tool, mcpServer: server } },
      // What belongs to a call of the agent.
      toolUseId: { ...request, toolUseId: 'toolu_1' },
      subagent: { ...request, subagent: 'agent-1' },
      subagentName: { ...request, subagentName: 'Explorer' },
      suggestions: { ...request, suggestions: [{ type: 'addRules', rules: [{ toolName: 'Bash' }] }] },
    })) {
      const refused = {
        status: 422,
        body: { error: { code: 'invalid_request', issues: [expect.stringContaining(field)] } },
      }
      expect(await raiser.api.call('POST', '/api/asks', claimed), field).toMatchObject(refused)
    }
    const { raiser: name } = await raiser.api.ok<Ask>('POST', '/api/asks', request)
    expect(name).toBe(raiser.device.name)
  })

  it('F58 is refused what has no end, in every text that it sends', async () => {
    await using set = await setUp()
    const { raiser, request } = set
    const long = 'x'.repeat(1_000_001)
    const option = { label: 'yes' }
    const asking = (question: object) => ({
      kind: 'question',
      questions: [{ question: 'Which?', options: [option], ...question }],
    })
    const filling = (form: object) => ({
      kind: 'form',
      form: { mode: 'form', server: 'ci', message: 'Which?', ...form },
    })
    const sent = {
      'context.cwd': { context: { cwd: '/x'.repeat(2049) } },
      agentSays: { agentSays: long },
      title: { title: long },
      'tool.displayName': { tool: { ...request.tool, displayName: long } },
      'plan.text': { kind: 'plan', plan: { text: long } },
      'questions.0.question': asking({ question: long }),
      'questions.0.header': asking({ header: long }),
      'questions.0.options.0.label': asking({ options: [{ label: long }] }),
      'questions.0.options.0.description': asking({ options: [{ ...option, description: long }] }),
      'questions.0.options.0.preview': asking({ options: [{ ...option, preview: long }] }),
      'form.server': filling({ server: long }),
      'form.message': filling({ message: long }),
      'form.url': filling({ mode: 'url', url: long }),
      'form.schema': filling({ schema: { type: 'object', properties: { day: { type: 'string', title: long } } } }),
    }
    for (const [field, part] of Object.entries(sent)) {
      const refused = { status: 422, body: { error: { issues: [expect.stringContaining(field)] } } }
      expect(await raiser.api.call('POST', '/api/asks', { ...request, ...part }), field).toMatchObject(refused)
    }
    const deep = { ...request, context: { cwd: '/x'.repeat(2048) } }
    expect(await raiser.api.call('POST', '/api/asks', deep)).toMatchObject({ status: 201 })
  })

  it('F58 has nothing larger taken in the place of what it has open, and nothing faster', async () => {
    await using set = await setUp()
    const { test, session, raiser, request } = set
    const raise = (text: string) =>
      raiser.api.call<Ask>('POST', '/api/asks', { ...request, kind: 'plan', plan: { text } })
    const { body: first } = await raise('1')
    const events = await test.events()
    const refused = { status: 409, body: { error: { code: 'duplicate_request' } } }
    for (const text of ['2', 'x'.repeat(999_999)]) expect(await raise(text)).toMatchObject(refused)
    const moved = { ...request, kind: 'plan', plan: { text: '1' }, context: { cwd: '/elsewhere' } }
    expect(await raiser.api.call('POST', '/api/asks', moved)).toMatchObject(refused)
    expect([...(test.gateway.ledger.views().get(session.id)?.asks.values() ?? [])]).toEqual([first])
    expect(await test.events()).toBe(events)
  })

  it('F44 is refused another request under the same id, and somebody else’s request', async () => {
    await using set = await setUp()
    const { test, session, agent, raiser, request } = set
    await raiser.api.ok('POST', '/api/asks', request)
    const changed = { ...request, tool: { name: 'Deploy', input: { to: 'elsewhere' } } }
    const refused = { status: 409, body: { error: { code: 'duplicate_request' } } }
    expect(await raiser.api.call('POST', '/api/asks', changed)).toMatchObject(refused)
    const other = await test.credential({ role: 'raiser', sessionIds: [session.id] })
    expect(await other.api.call('POST', '/api/asks', request)).toMatchObject(refused)
    const { ask } = await test.openAsk(agent, { requestId: 'the agent’s' })
    const { tool, title, context, kind } = ask
    const copy = { sessionId: session.id, requestId: 'the agent’s', tool, title, context, kind }
    expect(await raiser.api.call('POST', '/api/asks', copy)).toMatchObject(refused)
  })

  it('takes back its own ask, and nobody else’s', async () => {
    await using set = await setUp()
    const { test, session, agent, raiser, request } = set
    const mine = await raiser.api.ok<Ask>('POST', '/api/asks', request)
    const other = await test.credential({ role: 'raiser', sessionIds: [session.id] })
    const { ask: agents } = await test.openAsk(agent)
    expect((await other.api.call('POST', `/api/asks/${mine.id}/withdraw`)).status).toBe(404)
    expect((await raiser.api.call('POST', `/api/asks/${agents.id}/withdraw`)).status).toBe(404)
    const withdrawn = { status: 200, body: { outcome: { kind: 'withdrawn', reason: 'agent-cancelled' } } }
    expect(await raiser.api.call('POST', `/api/asks/${mine.id}/withdraw`)).toMatchObject(withdrawn)
    expect(await raiser.api.call('POST', `/api/asks/${mine.id}/withdraw`)).toMatchObject(withdrawn)
    expect(await test.api.answer(mine, { kind: 'allow' })).toMatchObject({
      status: 409,
      body: { error: { outcome: { kind: 'withdrawn' } } },
    })
  })

  it('I8 cannot answer, list, see or read anything else', async () => {
    await using set = await setUp()
    const { test, session, agent, raiser, request } = set
    const mine = await raiser.api.ok<Ask>('POST', '/api/asks', request)
    const { ask } = await test.openAsk(agent)
    expect((await raiser.api.answer(mine, { kind: 'allow' })).status).toBe(403)
    expect((await raiser.api.call('POST', `/api/asks/${mine.id}/seen`)).status).toBe(403)
    for (const path of [
      '/api/asks',
      '/api/sessions',
      `/api/sessions/${session.id}`,
      '/api/events',
      '/api/rules',
      '/metrics',
    ]) {
      expect((await raiser.api.call('GET', path)).status, path).toBe(403)
    }
    expect((await raiser.api.call('GET', `/api/asks/${ask.id}`)).status).toBe(404)
    expect((await raiser.api.call('GET', `/api/asks/${mine.id}`)).status).toBe(200)
  })

  it('I8 does not say what a rule would cover: it cannot settle its own asks by a rule made for others', async () => {
    await using set = await setUp()
    const { test, agent, raiser, request } = set
    const { ask } = await test.openAsk(agent)
    await test.api.answer(ask, { kind: 'allow', remember: { scope: 'session' } })
    const forged = { ...request, tool: { name: 'Bash', input: { command: 'rm -rf /' } } }
    const claimed = await raiser.api.call('POST', '/api/asks', { ...forged, remember: ask.remember })
    expect(claimed).toMatchObject({ status: 422, body: { error: { issues: ['unknown field remember'] } } })
    const raised = await raiser.api.ok<Ask>('POST', '/api/asks', forged)
    expect(raised.outcome).toBeUndefined()
    const reply = await test.api.answer(raised, { kind: 'allow', remember: { scope: 'session' } })
    expect(reply.body.outcome).toMatchObject({ kind: 'allowed', notRemembered: expect.any(String) })
  })

  it('is refused another life of the agent, and an ended session', async () => {
    await using set = await setUp()
    const { test, session, raiser, request } = set
    expect(await raiser.api.call('POST', '/api/asks', { ...request, epoch: 2 })).toMatchObject({
      status: 409,
      body: { error: { code: 'wrong_epoch' } },
    })
    await test.api.call('DELETE', `/api/sessions/${session.id}`)
    expect((await raiser.api.call('POST', '/api/asks', request)).status).toBeOneOf([404, 409])
  })

  it('I10 has at most a hundred asks open', async () => {
    await using set = await setUp()
    const { raiser, request } = set
    const replies = await Promise.all(
      Array.from({ length: 105 }, (_, index) =>
        raiser.api.call('POST', '/api/asks', { ...request, requestId: `r${index}` }),
      ),
    )
    expect(replies.filter(({ status }) => status === 201).length).toBe(100)
    expect(replies.filter(({ status }) => status === 429).length).toBe(5)
  })
})
