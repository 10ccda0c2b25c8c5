import { connect } from 'node:net'
import type { SessionView } from '@holdpoint/core/session-view'
import { StoreFault } from '@holdpoint/core/store'
import type { AskRequest } from '@holdpoint/schema/ask'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openEventSource } from '@holdpoint/testing/event-source'
import { overrideStore } from '@holdpoint/testing/override-store'
import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_LAG } from '../../stream/fan-out.ts'
import type { PendingList, PermissionEvent } from './messages.ts'

let test: TestGateway
beforeEach(async () => {
  test = await startTestGateway()
})
afterEach(() => test[Symbol.asyncDispose]())

type Api = Pick<TestGateway['api'], 'call'>
const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const question: Partial<AskRequest> = {
  kind: 'question',
  questions: [{ question: 'Which?', options: [{ label: 'a' }], multiSelect: false }],
}
const reply = (id: string, body: unknown, api: Api = test.api, headers: Record<string, string> = {}) =>
  api.call('POST', `/permission/${id}/reply`, body, headers)
const pending = async (query = '', api: Api = test.api) =>
  (await api.call<PendingList>('GET', `/permission/pending${query}`)).body.requests.map(({ id }) => id)
const follow = (headers: Record<string, string> = BEARER) =>
  openEventSource<PermissionEvent>(`${test.gateway.url}/event`, headers)
const openIn = (views: ReadonlyMap<unknown, SessionView>) =>
  [...views.values()].reduce((sum, { asks }) => sum + asks.size, 0)
const failure = (status: number) => ({ status, body: { success: false, error: expect.stringMatching(/./) } })

describe('POST /permission/:requestId/reply', () => {
  it('allows: the agent goes on, and the record says by what way', async () => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const { status, body } = await reply(ask.id, { reply: 'allow' })
    expect([status, body]).toEqual([200, { success: true }])
    expect(await outcome).toMatchObject({ kind: 'allowed', via: 'permission', by: { role: 'owner' } })
  })

  it('denies, with what the agent is to be told', async () => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    expect((await reply(ask.id, { reply: 'deny', message: 'use the other one' })).body).toEqual({ success: true })
    expect(await outcome).toMatchObject({ kind: 'denied', answer: { message: 'use the other one' } })
  })

  it.each([
    ['{}'],
    ['{"reply":"yes"}'],
    ['{"reply":"allow","updatedInput":{"command":"ls"}}'],
    ['{"reply":"deny","message":{}}'],
    ['{"reply":"allow","reply":"deny"}'],
    ['[]'],
    ['{"reply":'],
    [''],
  ])('refuses the body %s with 400, and nothing changes', async (body) => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const before = await test.events()
    const refused = await reply(ask.id, body, test.api, { 'content-type': 'application/json' })
    expect(refused).toMatchObject(failure(400))
    expect(await test.events()).toBe(before)
    expect(await pending()).toEqual([ask.id])
  })

  it('refuses what is too large or no JSON at all in the same words', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const large = JSON.stringify({ reply: 'deny', message: 'x'.repeat(2_000_000) })
    const post = { method: 'POST', path: `/permission/${ask.id}/reply` }
    const refused = await sendRaw(test.gateway.url, {
      ...post,
      headers: { ...BEARER, 'content-type': 'application/json' },
      body: large,
    })
    expect([refused?.status, JSON.parse(refused?.body ?? '')]).toMatchObject([413, { success: false }])
    expect(await reply(ask.id, { reply: 'deny', message: 'x'.repeat(65_537) })).toMatchObject(failure(400))
    expect(await reply(ask.id, 'reply=allow', test.api, { 'content-type': 'text/plain' })).toMatchObject(failure(415))
    expect(await pending()).toEqual([ask.id])
  })

  it('does not know requests that are none: unknown, malformed, a question', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent, question)
    for (const id of [ask.id, 'ask_00000000000000000000000000', 'b3b5c1de-6b1d-4f0e-9a65-5d2b6a1f0c11', 'x']) {
      const { status, body } = await reply(id, { reply: 'allow' })
      expect([status, body], id).toEqual([404, { success: false, error: 'Request not found' }])
    }
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
  })

  it('I1 lets no late reply count, from here or elsewhere', async () => {
    const { agent } = await test.session()
    const [here, there] = [await test.openAsk(agent), await test.openAsk(agent, { requestId: 'second' })]
    await reply(here.ask.id, { reply: 'deny' })
    await test.api.answer(there.ask, { kind: 'deny' })
    for (const { ask, outcome } of [here, there]) {
      const { status, body } = await reply(ask.id, { reply: 'allow' })
      expect([status, body]).toEqual([404, { success: false, error: 'Request expired or not found' }])
      expect((await outcome).kind).toBe('denied')
    }
  })

  it('I1 of many replies at once one counts', async () => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reply(ask.id, { reply: index % 2 ? 'allow' : 'deny' })),
    )
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(19)
    expect((await outcome).kind).toBe(winner % 2 ? 'allowed' : 'denied')
  })

  it('gives a retry under the same key the same answer, and nobody else', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const key = { 'idempotency-key': 'k1' }
    const first = await reply(ask.id, { reply: 'always' }, test.api, key)
    expect(first.body).toEqual({ success: true, remembered: true })
    expect(await reply(ask.id, { reply: 'always' }, test.api, key)).toMatchObject({ status: 200, body: first.body })
    expect(await reply(ask.id, { reply: 'deny' }, test.api, key)).toMatchObject(failure(422))
    const other = await test.credential({ role: 'approver' })
    expect(await reply(ask.id, { reply: 'always' }, other.api, key)).toMatchObject(failure(404))
    expect((await test.api.ok<{ rules: unknown[] }>('GET', '/api/rules')).rules).toHaveLength(1)
  })

  it('I4 says that nothing was recorded when the store takes nothing', async () => {
    let isFull = false
    const store = createMemoryStore()
    await using full = await startTestGateway({
      store: overrideStore(store, {
        append: (appends) => (isFull ? Promise.reject(new StoreFault('full', 'no space left')) : store.append(appends)),
      }),
    })
    const { agent } = await full.session()
    const { ask } = await full.openAsk(agent)
    isFull = true
    expect(await reply(ask.id, { reply: 'allow' }, full.api)).toMatchObject(failure(503))
    isFull = false
    expect(await reply(ask.id, { reply: 'allow' }, full.api)).toMatchObject({ status: 200 })
  })
})

describe('always', () => {
  const rules = async () => (await test.api.ok<{ rules: { rule: string }[] }>('GET', '/api/rules')).rules

  it('settles the same call of the same tool later, and leaves what is open already to a person', async () => {
    const { agent } = await test.session()
    const open = await test.openAsk(agent, { requestId: 'open already' })
    const { ask } = await test.openAsk(agent)
    const stream = await follow()
    expect((await reply(ask.id, { reply: 'always' })).body).toEqual({ success: true, remembered: true })
    expect(await agent.ask()).toMatchObject({ kind: 'allowed', via: 'rule' })
    expect(await pending()).toEqual([open.ask.id])
    const otherTool = await test.openAsk(agent, { tool: { name: 'Shell', input: { command: 'echo hello' } } })
    await stream.message(({ type }) => type === 'permission.asked')
    // The request that the rule has settled was told to nobody.
    expect(stream.messages).toMatchObject([
      { type: 'permission.replied', properties: { requestId: ask.id, reply: 'always' } },
      { type: 'permission.asked', properties: { request: { id: otherTool.ask.id } } },
    ])
    stream.close()
  })

  it.each<[string, Partial<AskRequest>]>([
    ['the agent forbids it', { flags: { defaultToNo: false, noRemember: true } }],
    ['it wants a person each time', { flags: { defaultToNo: true, noRemember: false } }],
    ['it is a plan', { kind: 'plan', plan: { text: 'a plan' } }],
  ])('allows once where %s, and says so', async (_, request) => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent, request)
    const stream = await follow()
    const { status, body } = await reply(ask.id, { reply: 'always' })
    expect([status, body]).toEqual([200, { success: true, remembered: false, reason: expect.stringMatching(/./) }])
    expect((await outcome).kind).toBe('allowed')
    expect(await rules()).toEqual([])
    const replied = await stream.message(({ type }) => type === 'permission.replied')
    expect(replied.properties).toEqual({ sessionId: ask.sessionId, requestId: ask.id, reply: 'allow' })
    stream.close()
  })

  it('is what deny never is: remembered', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    await reply(ask.id, { reply: 'deny' })
    const again = await test.openAsk(agent)
    expect(await pending()).toEqual([again.ask.id])
    expect(await rules()).toEqual([])
  })

  it('holds for its own session alone', async () => {
    const [one, two] = [await test.session(), await test.session()]
    const { ask } = await test.openAsk(one.agent)
    await reply(ask.id, { reply: 'always' })
    const other = await test.openAsk(two.agent)
    expect(await pending()).toEqual([other.ask.id])
  })
})

describe('GET /permission/pending', () => {
  it('lists what waits, oldest first, of all sessions or of one', async () => {
    const [one, two] = [await test.session(), await test.session()]
    const first = await test.openAsk(two.agent)
    const second = await test.openAsk(one.agent)
    await test.openAsk(one.agent, question)
    const third = await test.openAsk(two.agent, { requestId: 'third', kind: 'plan', plan: { text: 'a plan' } })
    expect(await pending()).toEqual([first.ask.id, second.ask.id, third.ask.id])
    expect(await pending('?sessionId=')).toEqual([first.ask.id, second.ask.id, third.ask.id])
    expect(await pending(`?sessionId=${two.session.id}`)).toEqual([first.ask.id, third.ask.id])
    for (const unknown of ['ses_00000000000000000000000000', 'nonsense', '__proto__'])
      expect(await pending(`?sessionId=${unknown}&other=1`)).toEqual([])
    await reply(first.ask.id, { reply: 'allow' })
    expect(await pending(`?sessionId=${two.session.id}`)).toEqual([third.ask.id])
  })
})

describe('GET /event', () => {
  it('tells of requests and of their ends, in frames that EventSource.onmessage sees', async () => {
    const { session, agent } = await test.session()
    const stream = await follow()
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const { ask } = await test.openAsk(agent)
    const asked = await stream.message(({ type }) => type === 'permission.asked')
    const listed = (await test.api.call<PendingList>('GET', '/permission/pending')).body.requests[0]
    expect(asked).toEqual({ type: 'permission.asked', properties: { request: listed } })
    await reply(ask.id, { reply: 'allow' })
    expect(await stream.message(({ type }) => type === 'permission.replied')).toEqual({
      type: 'permission.replied',
      properties: { sessionId: session.id, requestId: ask.id, reply: 'allow' },
    })
    expect(stream.text()).not.toMatch(/^event:/m)
    stream.close()
  })

  it('repeats nothing that is open already, says nothing of questions, forms and other events', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const stream = await follow()
    const asking = await test.openAsk(agent, question)
    await agent.say('hello')
    await test.api.answer(asking.ask, { kind: 'cancel' })
    await reply(ask.id, { reply: 'deny' })
    await stream.message(({ type }) => type === 'permission.replied')
    expect(stream.messages.map(({ type }) => type)).toEqual(['permission.replied'])
    stream.close()
  })

  it.each<[string, object, (given: { test: TestGateway; sessionId: string; askId: string }) => Promise<unknown>]>([
    [
      'allowed elsewhere',
      { reply: 'allow', reason: 'answered-elsewhere' },
      async ({ askId }) => test.api.answer(await test.api.ok('GET', `/api/asks/${askId}`), { kind: 'allow' }),
    ],
    [
      'denied elsewhere',
      { reply: 'deny', reason: 'answered-elsewhere' },
      async ({ askId }) => test.api.answer(await test.api.ok('GET', `/api/asks/${askId}`), { kind: 'deny' }),
    ],
    [
      'interrupted',
      { reply: 'deny', reason: 'aborted' },
      ({ sessionId }) => test.api.ok('POST', `/api/sessions/${sessionId}/interrupt`, {}),
    ],
    [
      'ended',
      { reply: 'deny', reason: 'aborted' },
      ({ sessionId }) => test.api.ok('DELETE', `/api/sessions/${sessionId}`),
    ],
    [
      'left behind by its agent',
      { reply: 'deny', reason: 'orphaned' },
      async ({ sessionId }) => (await test.synthetic.agentOf(sessionId as `ses_${string}`)).die(),
    ],
  ])('leaves no request on a screen that was %s', async (_, expected, settle) => {
    const { session, agent } = await test.session({ prompt: 'go' })
    const { ask } = await test.openAsk(agent)
    const stream = await follow()
    await settle({ test, sessionId: session.id, askId: ask.id })
    const replied = await stream.message(({ type }) => type === 'permission.replied')
    expect(replied.properties).toEqual({ sessionId: session.id, requestId: ask.id, ...expected })
    expect(await pending()).toEqual([])
    stream.close()
  })

  it('leaves none that the agent has taken back', async () => {
    const { agent } = await test.session()
    const stream = await follow()
    const changed = new AbortController()
    void agent.ask({}, changed.signal).catch(() => {})
    await stream.message(({ type }) => type === 'permission.asked')
    changed.abort()
    const replied = await stream.message(({ type }) => type === 'permission.replied')
    expect(replied.properties).toMatchObject({ reply: 'deny', reason: 'cancelled' })
    stream.close()
  })

  it('leaves none that nobody replied to in time; the reply comes too late', async () => {
    const { agent } = await test.session({ askTimeoutMs: 1000 })
    const stream = await follow()
    const { ask, outcome } = await test.openAsk(agent)
    const replied = await stream.message(({ type }) => type === 'permission.replied')
    expect(replied.properties).toMatchObject({ requestId: ask.id, reply: 'deny', reason: 'timeout' })
    expect((await outcome).kind).toBe('expired')
    expect(await reply(ask.id, { reply: 'allow' })).toMatchObject({
      status: 404,
      body: { error: 'Request expired or not found' },
    })
    stream.close()
  })

  it('I7 has no gap between the connect and the list that is read after it', async () => {
    const { agent } = await test.session()
    for (let round = 0; round < 20; round++) {
      const raising = test.openAsk(agent, { requestId: `round-${round}` })
      const stream = await follow()
      const listed = await pending()
      const { ask } = await raising
      await until(
        () =>
          listed.includes(ask.id) ||
          stream.messages.some(
            (message) => 'request' in message.properties && message.properties.request.id === ask.id,
          ),
        'the request, in the list or on the stream',
      )
      stream.close()
    }
  })

  it('I7 tells a client that comes back by itself what it missed, and only that', async () => {
    const { agent } = await test.session()
    const lastId = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? ''
    const first = await follow()
    await until(() => lastId(first.text()) !== '', 'an id before the first event')
    const { ask: known } = await test.openAsk(agent)
    await first.message(({ type }) => type === 'permission.asked')
    first.close()
    const id = lastId(first.text())

    const { ask: missed } = await test.openAsk(agent)
    const { ask: gone } = await test.openAsk(agent)
    for (const ask of [known, gone]) await reply(ask.id, { reply: 'deny' })
    const again = await follow({ ...BEARER, 'last-event-id': id })
    await until(() => again.messages.length >= 3, 'what was missed')
    expect(again.messages).toMatchObject([
      { type: 'permission.asked', properties: { request: { id: missed.id } } },
      { type: 'permission.replied', properties: { requestId: known.id } },
      { type: 'permission.replied', properties: { requestId: gone.id } },
    ])
    const { ask: next } = await test.openAsk(agent)
    await until(() => again.messages.length === 4, 'what comes after')
    expect(again.messages[3]).toMatchObject({ properties: { request: { id: next.id } } })
    again.close()

    // An id of a log that is not there any more: all that is open.
    const stranger = await follow({ ...BEARER, 'last-event-id': `3-${'0'.repeat(16)}` })
    await until(() => stranger.messages.length >= 2, 'what is open')
    const told = stranger.messages.map(({ properties }) => ('request' in properties ? properties.request.id : ''))
    expect(told).toEqual(expect.arrayContaining([missed.id, next.id]))
    expect(told).not.toContain(gone.id)
    stranger.close()
  })

  it('leaves none that a client knows from the list, though it was settled before the stream came to it', async () => {
    const { hostname, port } = new URL(test.gateway.url)
    const slow = connect({ host: hostname, port: Number(port) }).pause()
    slow.write(`GET /event HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${BEARER.authorization}\r\n\r\n`)
    await until(() => test.gateway.fanOut.size() === 1, 'the slow listener')
    const input = { file_path: '/f', content: 'x'.repeat(1_900_000) }
    const views = test.gateway.ledger.views()
    const before = openIn(views)
    for (let count = 0; count < 6; count++) {
      const { agent } = await test.session()
      for (const part of [1, 2]) agent.ask({ requestId: `${part}`, tool: { name: 'Write', input } }).catch(() => {})
    }
    await until(() => openIn(views) === before + 12, 'more than fits')
    const other = await test.session()
    const { ask } = await test.openAsk(other.agent)
    expect(await pending(`?sessionId=${other.session.id}`)).toEqual([ask.id])
    await reply(ask.id, { reply: 'deny' })
    let heard = ''
    slow.on('data', (chunk) => {
      heard = (heard + chunk).slice(-100_000)
    })
    slow.resume()
    await until(() => heard.includes(`"requestId":"${ask.id}","reply":"deny"`), 'the end of it')
    expect(heard).not.toContain(`"id":"${ask.id}"`)
    slow.destroy()
  })

  it('lets go of a client that leaves, of one whose credential is taken away, and of one that does not read', async () => {
    const size = () => test.gateway.fanOut.size()
    const gone = await follow()
    await until(() => size() === 1, 'the listener')
    gone.close()
    await until(() => size() === 0, 'the listener to leave')

    const guest = await test.credential({ role: 'viewer' })
    const revoked = await follow(guest.headers)
    await test.gateway.devices.revoke(guest.device.id)
    await revoked.closed
    await until(() => size() === 0, 'the listener to leave')

    const { agent } = await test.session()
    const { hostname, port } = new URL(test.gateway.url)
    const deaf = connect({ host: hostname, port: Number(port) }).pause()
    deaf.write(`GET /event HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${BEARER.authorization}\r\n\r\n`)
    await until(() => size() === 1, 'the deaf listener')
    const reading = await follow()
    const input = { command: 'x'.repeat(1_900_000) }
    for (let count = 1; count <= 5; count++) {
      const { ask } = await test.openAsk(agent, { requestId: `large-${count}`, tool: { name: 'Bash', input } })
      await reply(ask.id, { reply: 'deny' })
      await until(() => reading.messages.length === 2 * count, 'both messages, for the one who reads')
    }
    await Promise.all(Array.from({ length: MAX_LAG + 1 }, () => agent.say('more')))
    await until(() => size() === 1, 'the deaf one to be let go')
    await test.openAsk(agent)
    await until(() => reading.messages.length === 11, 'the next one, for the one who reads')
    deaf.destroy()
    reading.close()
  })

  it('I10 gives no credential more streams than it may have', async () => {
    await using small = await startTestGateway({ limits: { connectionsPerBrowser: 1, connectionsPerToken: 1 } })
    const open = () => openEventSource<PermissionEvent>(`${small.gateway.url}/event`, BEARER)
    const first = await open()
    const second = await open()
    expect([first.response.status, second.response.status]).toEqual([200, 429])
    await second.closed
    expect(JSON.parse(second.text())).toEqual({ success: false, error: expect.any(String) })
    first.close()
  })
})

describe('who may do what', () => {
  it('needs a credential everywhere, and says so in its own words', async () => {
    const calls = [
      ['POST', '/permission/ask_00000000000000000000000000/reply'],
      ['GET', '/permission/pending'],
      ['GET', '/event'],
    ] as const
    for (const [method, path] of calls) {
      const answer = await fetch(test.gateway.url + path, {
        method,
        ...(method === 'POST' && { headers: { 'content-type': 'application/json' }, body: '{"reply":"allow"}' }),
      })
      expect([answer.status, await answer.json()], path).toEqual([401, { success: false, error: expect.any(String) }])
    }
  })

  it('I8 lets viewers look on and raisers neither look nor reply', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const viewer = await test.credential({ role: 'viewer' })
    expect(await reply(ask.id, { reply: 'allow' }, viewer.api)).toMatchObject(failure(403))
    expect(await pending('', viewer.api)).toEqual([ask.id])
    const raiser = await test.credential({ role: 'raiser' })
    expect(await reply(ask.id, { reply: 'allow' }, raiser.api)).toMatchObject(failure(403))
    expect(await raiser.api.call('GET', '/permission/pending')).toMatchObject(failure(403))
    expect((await follow(raiser.headers)).response.status).toBe(403)
    expect(await pending()).toEqual([ask.id])
  })

  it('§8 keeps a credential for one session from seeing and answering another', async () => {
    const [mine, other] = [await test.session(), await test.session()]
    const guest = await test.credential({ role: 'approver', sessionIds: [mine.session.id] })
    const stream = await follow(guest.headers)
    const hidden = await test.openAsk(other.agent)
    const shown = await test.openAsk(mine.agent)
    expect(await pending('', guest.api)).toEqual([shown.ask.id])
    expect(await pending(`?sessionId=${other.session.id}`, guest.api)).toEqual([])
    const { status, body } = await reply(hidden.ask.id, { reply: 'allow' }, guest.api)
    expect([status, body]).toEqual([404, { success: false, error: 'Request not found' }])
    await reply(hidden.ask.id, { reply: 'deny' })
    // Settled or not: it is not there for those who may not see it.
    expect((await reply(hidden.ask.id, { reply: 'allow' }, guest.api)).body).toMatchObject({
      error: 'Request not found',
    })
    expect(await reply(shown.ask.id, { reply: 'allow' }, guest.api)).toMatchObject({ status: 200 })
    await stream.message(({ type }) => type === 'permission.replied')
    expect(stream.text()).not.toContain(other.session.id)
    expect(stream.messages).toHaveLength(2)
    stream.close()
  })

  it('takes the secret of our own page, and of no other', async () => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const { headers, secret } = await test.credential({ role: 'owner' }, 'browser')
    const post = (more: Record<string, string>) =>
      sendRaw(test.gateway.url, {
        method: 'POST',
        path: `/permission/${ask.id}/reply`,
        headers: { 'content-type': 'application/json', ...more },
        body: '{"reply":"allow"}',
      })
    const own = { 'sec-fetch-site': 'same-origin', origin: test.gateway.url }
    const cookie = `holdpoint_${new URL(test.gateway.url).port}=${secret}`
    expect((await post({ ...own, cookie }))?.status).toBe(401)
    for (const site of ['cross-site', 'same-site'])
      expect((await post({ ...headers, 'sec-fetch-site': site }))?.status, site).toBe(403)
    expect((await post({ ...own, ...headers }))?.status).toBe(200)
    expect((await outcome).kind).toBe('allowed')
  })

  it('notes in the log that a reply named no pending request, and nothing that is no id of ours', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const reply = (id: string) => test.api.call('POST', `/permission/${id}/reply`, { reply: 'deny' })
    expect((await reply(ask.id)).status).toBe(200)
    test.logged.length = 0
    expect((await reply(ask.id)).status).toBe(404)
    expect((await reply('ask_00000000000000000000000000')).status).toBe(404)
    expect((await reply('a-secret-by-mistake')).status).toBe(404)
    const noted = test.logged.map((line) => JSON.parse(line) as { event: string; requestId?: string })
    const gone = noted.filter(({ event }) => event === 'permission_reply_unmatched')
    expect(gone.map(({ requestId }) => requestId)).toEqual([ask.id, 'ask_00000000000000000000000000', undefined])
    expect(test.logged.join('')).not.toContain('by-mistake')
  })

  it('opens the events of our own page by a ticket, once', async () => {
    const { headers } = await test.credential({ role: 'owner' }, 'browser')
    const { body } = await test.api.call<{ ticket: string }>('POST', '/api/tickets', { path: '/event' }, headers)
    const open = () => sendRaw(test.gateway.url, { path: `/event?ticket=${body.ticket}` })
    expect((await open())?.status).toBe(200)
    expect((await open())?.status).toBe(401)
  })

  it('is not there when it is switched off', async () => {
    await using off = await startTestGateway({ dialects: ['ask-user'] })
    for (const [method, path] of [
      ['GET', '/permission/pending'],
      ['GET', '/event'],
      ['POST', '/permission/ask_00000000000000000000000000/reply'],
    ] as const)
      expect((await off.api.call(method, path)).status, path).toBe(404)
  })
})
