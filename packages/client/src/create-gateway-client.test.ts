import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startProxy } from '@holdpoint/testing/proxy'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { httpTransport, live, WAYS } from './fixtures/clients.ts'
import { createFakeTimers } from './fixtures/fake-timers.ts'
import { meddleWith } from './fixtures/meddling-transport.ts'
import { readFrame } from './read-frame.ts'

const openIds = (client: ReturnType<typeof createGatewayClient>) => client.getState().asks.map((ask) => ask.id)

it('shows every open ask, oldest first, and what became of those that were settled meanwhile', async () => {
  await using test = await startTestGateway()
  const [one, other] = [await test.session(), await test.session()]
  const asks = [await test.openAsk(one.agent), await test.openAsk(other.agent), await test.openAsk(one.agent)]
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  expect(client.getState().asks).toEqual(asks.map(({ ask }) => ask))
  const middle = asks[1]?.ask
  if (!middle) throw new Error('no ask')
  expect(await client.answer(middle, { kind: 'deny', message: 'no' })).toMatchObject({
    ok: true,
    value: { kind: 'denied' },
  })
  await until(() => client.getState().settled.length === 1, 'the outcome')
  expect(openIds(client)).toEqual([asks[0]?.ask.id, asks[2]?.ask.id])
  expect(client.getState().settled).toMatchObject([{ ask: { id: middle.id }, outcome: { kind: 'denied' } }])
  client.close()
})

it('I1 tells whoever comes second who was first', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const [first, second] = ['owner', 'approver'] as const
  const credentials = [await test.credential({ role: first }), await test.credential({ role: second })]
  const clients = credentials.map((credential) => createGatewayClient({ transport: WAYS.http(test, credential) }))
  const results = await Promise.all(
    clients.map((client, index) => client.answer(ask, { kind: index ? 'allow' : 'deny' })),
  )
  const winner = results.findIndex((result) => result.ok)
  const loser = results[1 - winner]
  expect(loser).toMatchObject({
    ok: false,
    status: 409,
    code: 'already_settled',
    outcome: { by: { device: credentials[winner]?.device.id } },
  })
  for (const client of clients) client.close()
})

it('I2 sends the digest of the ask that was shown', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  expect(await client.answer({ ...ask, digest: 'of something else' }, { kind: 'allow' })).toMatchObject({
    ok: false,
    code: 'digest_mismatch',
  })
  expect(await client.answer(ask, { kind: 'answer', answers: [] })).toMatchObject({
    ok: false,
    code: 'invalid_answer',
    issues: [expect.any(String)],
  })
  client.close()
})

it('answers many at once, each on its own', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const [one, two] = [(await test.openAsk(agent)).ask, (await test.openAsk(agent)).ask]
  await test.api.answer(two, { kind: 'deny' })
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  const results = await client.answerAll([one, two].map((ask) => ({ ask, answer: { kind: 'allow' } })))
  expect(results).toMatchObject([
    { ask: { id: one.id }, result: { ok: true, value: { kind: 'allowed' } } },
    { ask: { id: two.id }, result: { ok: false, code: 'already_settled', outcome: { kind: 'denied' } } },
  ])
  client.close()
})

it('I1 an answer whose reply is lost is asked for again and counts once', async () => {
  await using proxy = await startProxy()
  await using test = await startTestGateway({ publicUrl: proxy.url })
  proxy.connectTo(test.gateway.url)
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const client = createGatewayClient({ transport: httpTransport(proxy.url) })
  await live(client)
  proxy.dropResponses(true)
  const answering = client.answer(ask, { kind: 'allow' })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  const attempts = () => proxy.recordings().filter((bytes) => bytes.includes(`/api/asks/${ask.id}/answer`)).length
  await until(() => attempts() >= 2, 'a second try')
  proxy.dropResponses(false)
  expect(await answering).toMatchObject({ ok: true, value: { kind: 'allowed' } })
  await until(() => client.getState().settled.length === 1, 'the outcome on the stream')
  const events = await test.store.events({ after: 0, limit: 1000 })
  expect(events.filter(({ event }) => event.type === 'ask-settled').length).toBe(1)
  client.close()
})

it('starts a session once, and sends a message once, though the replies are lost', async () => {
  await using proxy = await startProxy()
  await using test = await startTestGateway({ publicUrl: proxy.url })
  proxy.connectTo(test.gateway.url)
  const client = createGatewayClient({ transport: httpTransport(proxy.url) })
  await live(client)
  /** Lets two tries arrive whose replies do not, then all that follows. */
  async function losing<Value>(path: string, act: () => Promise<Value>): Promise<Value> {
    proxy.dropResponses(true)
    const acting = act()
    const tries = () => proxy.recordings().filter((bytes) => bytes.includes(`POST ${path} `)).length
    await until(() => tries() >= 2, 'a second try')
    proxy.dropResponses(false)
    return acting
  }
  const started = await losing('/api/sessions', () =>
    client.startSession({ agent: 'synthetic', cwd: test.dataDir, prompt: 'go' }),
  )
  if (!started.ok) throw new Error(started.message)
  const { id } = started.value
  const sent = await losing(`/api/sessions/${id}/messages`, () => client.sendMessage(id, { text: 'and on' }))
  expect(sent).toMatchObject({ ok: true })
  expect([...test.gateway.ledger.views().keys()]).toEqual([id])
  const { items } = await test.store.items({ sessionId: id, limit: 10 })
  expect(items).toMatchObject([{ text: 'go' }, { text: 'and on' }])
  client.close()
})

it('gives up an answer when told to, and when it is closed', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const client = createGatewayClient({ transport: httpTransport('http://127.0.0.1:9') })
  const over = new AbortController()
  const [told, closed] = [
    client.answer(ask, { kind: 'allow' }, { signal: over.signal }),
    client.answer(ask, { kind: 'allow' }),
  ]
  const failing = [told, closed].map((answering) => expect(answering).rejects.toMatchObject({ code: 'aborted' }))
  over.abort()
  await failing[0]
  client.close()
  await failing[1]
})

it('says in words that the gateway cannot be reached', async () => {
  const client = createGatewayClient({ transport: httpTransport('http://127.0.0.1:9') })
  expect(await client.me()).toMatchObject({ ok: false, status: 0, code: 'unreachable', message: expect.any(String) })
  client.close()
})

it('I7 the same asks are there after a restart of the gateway, and can be answered', async () => {
  const store = createMemoryStore()
  const before = await startTestGateway({ store })
  const port = Number(new URL(before.gateway.url).port)
  const { session, agent } = await before.session()
  const { ask } = await before.openAsk(agent, { requestId: 'the one' })
  const client = createGatewayClient({ transport: httpTransport(before.gateway.url) })
  await live(client)
  await before[Symbol.asyncDispose]()
  await until(() => client.getState().link === 'stale', 'a stale link')
  expect(openIds(client)).toEqual([ask.id])
  expect(client.getState().staleSince).toBeLessThanOrEqual(Date.now())
  await using after = await startTestGateway({ store, port })
  const outcome = (await after.synthetic.agentOf(session.id)).ask({ requestId: 'the one' })
  await live(client)
  expect(openIds(client)).toEqual([ask.id])
  expect(client.getState()).not.toHaveProperty('staleSince')
  expect(await client.answer(ask, { kind: 'allow' })).toMatchObject({ ok: true })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  await until(() => openIds(client).length === 0, 'the outcome')
  client.close()
})

it('keeps no card of a log that is gone', async () => {
  const before = await startTestGateway()
  const port = Number(new URL(before.gateway.url).port)
  const { agent } = await before.session()
  await before.openAsk(agent)
  const client = createGatewayClient({ transport: httpTransport(before.gateway.url) })
  await live(client)
  expect(openIds(client).length).toBe(1)
  await before[Symbol.asyncDispose]()
  await until(() => client.getState().link === 'stale', 'a stale link')
  await using _ = await startTestGateway({ port })
  await live(client)
  expect(client.getState()).toMatchObject({ asks: [], settled: [] })
  expect(client.getState().sessions.size).toBe(0)
  client.close()
})

it('learns what became of asks that were settled between two snapshots', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const meddling = meddleWith(httpTransport(test.gateway.url))
  const client = createGatewayClient({ transport: meddling.transport })
  await live(client)
  meddling.freeze()
  await test.api.answer(ask, { kind: 'deny' })
  // The stream comes back without a cursor, as after a frame that could not be read.
  meddling.inject({ type: 'unreadable' })
  await until(() => client.getState().settled.length === 1, 'the outcome')
  expect(client.getState().settled).toMatchObject([{ ask: { id: ask.id }, outcome: { kind: 'denied' } }])
  expect(client.getState().asks).toEqual([])
  client.close()
})

it('finds out after a sleep that its stream is dead, though nobody said so', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const meddling = meddleWith(httpTransport(test.gateway.url))
  const time = createFakeTimers()
  let wake = () => {}
  const client = createGatewayClient({
    transport: meddling.transport,
    timers: time.timers,
    onWake(listener) {
      wake = listener
      return () => {}
    },
  })
  await until(async () => {
    await time.advance(50)
    return client.getState().link === 'live'
  }, 'a live link')
  meddling.freeze()
  const { ask } = await test.openAsk(agent)
  time.sleep(3_600_000)
  wake()
  await time.advance(1_000)
  expect(client.getState()).toMatchObject({ link: 'stale', asks: [] })
  await until(async () => {
    await time.advance(100)
    return client.getState().link === 'live' && openIds(client).length === 1
  }, 'the ask that came in the night')
  expect(openIds(client)).toEqual([ask.id])
  client.close()
})

it.each([
  ['no JSON', '{"type":'],
  ['no object', '[1,2]'],
  ['no type', '{"seq":1}'],
  ['an event without its fields', '{"type":"event","seq":"1"}'],
  ['an event of an unknown kind', '{"type":"event","seq":99999,"event":{"type":"odd","sessionId":"ses_x","at":1}}'],
  [
    'an event of a session that is not there',
    '{"type":"event","seq":99999,"event":{"type":"session-ended","sessionId":"ses_x","at":1,"reason":"x"}}',
  ],
  [
    'an outcome of an ask that is not open',
    '{"type":"event","seq":99999,"event":{"type":"ask-settled","sessionId":"SESSION","askId":"ask_x","at":1,"outcome":{}}}',
  ],
  ['a snapshot without its lists', '{"type":"snapshot","seq":1}'],
  [
    'a snapshot with asks of nobody',
    '{"type":"snapshot","seq":1,"sessions":[],"asks":[{"id":"ask_x","sessionId":"ses_x"}],"queued":[]}',
  ],
  ['a snapshot of nonsense', '{"type":"snapshot","seq":1,"sessions":[null],"asks":[],"queued":[]}'],
])('I4 starts over after %s on the stream, and shows the truth again', async (_, text) => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const meddling = meddleWith(httpTransport(test.gateway.url))
  const client = createGatewayClient({ transport: meddling.transport })
  await live(client)
  meddling.inject(readFrame(text.replace('SESSION', session.id)))
  await until(() => client.getState().link !== 'live', 'doubt')
  expect(openIds(client)).toEqual([])
  await live(client)
  const { ask: next } = await test.openAsk(agent)
  await until(() => openIds(client).length === 2, 'both asks')
  expect(openIds(client)).toEqual([ask.id, next.id])
  expect(meddling.opened()).toBe(2)
  client.close()
})

it.each(['{"type":"odd"}', '{"type":"constructor"}'])('leaves out a frame of a later gateway: %s', (text) => {
  expect(readFrame(text)).toBeUndefined()
})

it('is logged out when its credential goes, shows nothing then, and comes back with another', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  await test.openAsk(agent)
  const viewer = await test.credential({ role: 'viewer' })
  const client = createGatewayClient({ transport: WAYS.http(test, viewer) })
  await live(client)
  await test.gateway.devices.revoke(viewer.device.id)
  await until(() => client.getState().link === 'logged-out', 'being logged out')
  expect(client.getState()).toMatchObject({ asks: [], settled: [] })
  expect(client.getState().sessions.size).toBe(0)
  expect(await client.login('no such code')).toMatchObject({ ok: false, code: 'invalid_code' })
  client.close()

  const owner = await test.credential({ role: 'owner' })
  const other = createGatewayClient({ transport: WAYS.http(test, owner) })
  await live(other)
  expect(await other.logout()).toEqual({ ok: true, value: undefined })
  await until(() => other.getState().link === 'logged-out', 'being logged out')
  other.close()
})

it('says once per ask that it was seen', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const transport = httpTransport(test.gateway.url)
  const calls: string[] = []
  const client = createGatewayClient({
    transport: {
      ...transport,
      call(call) {
        calls.push(call.path)
        return transport.call(call)
      },
    },
  })
  for (let times = 0; times < 5; times++) client.seen(ask)
  const sightings = async () =>
    (await test.store.events({ after: 0, limit: 100 })).filter(({ event }) => event.type === 'ask-seen')
  await until(async () => (await sightings()).length === 1, 'the sighting')
  client.seen(ask)
  expect(calls).toEqual([`/api/asks/${ask.id}/seen`])
  client.close()
})

it('keeps what has not changed, and is not disturbed by streaming text', async () => {
  await using test = await startTestGateway()
  const [one, other] = [await test.session({ prompt: 'go' }), await test.session({ prompt: 'go' })]
  await test.openAsk(one.agent)
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const before = client.getState()
  let notices = 0
  client.subscribe(() => notices++)
  const thread = client.thread(other.session.id)
  for (let count = 0; count < 200; count++) other.agent.start.live({ type: 'text-delta', text: 'x' })
  await until(() => thread.getState().partial.get('')?.length === 200, 'the text')
  expect(client.getState()).toBe(before)
  expect(notices).toBe(0)
  await test.openAsk(other.agent)
  await until(() => client.getState().asks.length === 2, 'the other ask')
  expect(client.getState().sessions.get(one.session.id)).toBe(before.sessions.get(one.session.id))
  expect(client.getState().asks[0]).toBe(before.asks[0])
  expect(client.getState().queues).toBe(before.queues)
  client.close()
})

it('makes the remaining calls', async () => {
  await using test = await startTestGateway()
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  const started = await client.startSession({ agent: 'synthetic', cwd: test.dataDir, prompt: 'go' })
  if (!started.ok) throw new Error(started.message)
  const { id } = started.value
  const sent = await client.sendMessage(id, { text: 'and then' })
  expect(sent).toMatchObject({ ok: true, value: { queued: 1 } })
  await until(() => client.getState().queues.get(id)?.length === 1, 'the queue')
  if (sent.ok) expect(await client.cancelMessage(id, sent.value.messageId)).toEqual({ ok: true, value: undefined })
  await until(() => !client.getState().queues.has(id), 'an empty queue')
  expect(await client.setMode(id, 'plan')).toEqual({ ok: true, value: undefined })
  expect(await client.setModel(id, 'another')).toEqual({ ok: true, value: undefined })
  expect(await client.setTrust(id, true)).toEqual({ ok: true, value: undefined })
  expect(await client.setTrust(id, false)).toEqual({ ok: true, value: undefined })
  expect(await client.interrupt(id)).toEqual({ ok: true, value: undefined })
  expect(await client.upload(new Blob(['x'], { type: 'text/plain' }))).toMatchObject({ ok: true })
  expect(await client.me()).toMatchObject({ ok: true, value: { device: { role: 'owner' }, agents: ['synthetic'] } })
  expect(await client.folders(test.dataDir)).toMatchObject({
    ok: true,
    value: { exists: true, recent: expect.any(Array) },
  })
  expect(await client.foldersLike(test.dataDir)).toEqual({
    ok: true,
    value: { folders: [test.dataDir], more: false },
  })
  expect(await client.models('synthetic')).toEqual({ ok: true, value: [] })
  expect(await client.pair({ role: 'approver' })).toMatchObject({ ok: true, value: { url: expect.any(String) } })
  const { device } = await test.credential({ role: 'viewer' })
  expect(await client.devices()).toMatchObject({
    ok: true,
    value: expect.arrayContaining([expect.objectContaining({ id: device.id })]),
  })
  expect(await client.revokeDevice(device.id)).toEqual({ ok: true, value: undefined })

  // It was started again when its folder lost the trust.
  const { ask } = await test.openAsk(await test.synthetic.agentOf(id))
  await client.answer(ask, { kind: 'allow', remember: { scope: 'session' } })
  const rules = await client.rules()
  expect(rules).toMatchObject({ ok: true, value: [{ askId: ask.id }] })
  const rule = rules.ok ? rules.value[0] : undefined
  if (rule) expect(await client.removeRule(rule.id)).toEqual({ ok: true, value: undefined })
  expect(await client.rules()).toEqual({ ok: true, value: [] })
  expect(await client.history()).toMatchObject({
    ok: true,
    value: { entries: [{ ask: { id: ask.id, outcome: { kind: 'allowed' } } }] },
  })
  expect(await client.history({ outcome: 'denied' })).toEqual({ ok: true, value: { entries: [] } })
  expect(await client.historyChoices()).toMatchObject({ ok: true, value: { tools: [ask.tool?.name] } })
  expect(await client.historyDetail(ask.id)).toMatchObject({ ok: true, value: { ask: { id: ask.id }, sightings: [] } })

  expect(await client.endSession(id)).toEqual({ ok: true, value: undefined })
  await until(() => client.getState().sessions.get(id)?.state === 'dead', 'the end')
  expect(await client.sendMessage(id, { text: 'too late' })).toMatchObject({ ok: false, code: 'session_ended' })
  client.close()
})
