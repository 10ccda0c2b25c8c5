// The permission protocol ("Dynamic Tool Approvals"), section by section, on a gateway with synthetic agents.

import type { PermissionReply, PermissionRequest } from '@holdpoint/core/permission-request'
import { StoreFault } from '@holdpoint/core/store'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { PendingList, PermissionEvent } from '@holdpoint/server/dialects/permission/messages'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openEventSource } from '../event-source.ts'
import { createManualClock } from '../manual-clock.ts'
import { overrideStore } from '../override-store.ts'
import { startProxy } from '../proxy.ts'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '../test-gateway.ts'
import { openTestStore } from '../test-store.ts'
import { until } from '../until.ts'
import { connectPermissions } from './permission-client.ts'

const FIVE_MINUTES = 5 * 60 * 1000
const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

let test: TestGateway
const manual = createManualClock()
beforeEach(async () => {
  test = await startTestGateway({ clock: manual.clock })
})
afterEach(() => test[Symbol.asyncDispose]())

const reply = (id: string, body: unknown) => test.api.call('POST', `/permission/${id}/reply`, body)
const pending = async (query = '') =>
  (await test.api.call<PendingList>('GET', `/permission/pending${query}`)).body.requests
const follow = (headers: Record<string, string> = BEARER) =>
  openEventSource<PermissionEvent>(`${test.gateway.url}/event`, headers)
const connect = (options: { url?: string; sessionId?: string } = {}) =>
  connectPermissions({ url: test.gateway.url, token: TEST_TOKEN, ...options })

/** A client whose stream says nothing: what it knows is what it has read, and what its replies are told. */
async function connectToSilence() {
  const { fetch } = globalThis
  const silence = (signal?: AbortSignal | null) =>
    new ReadableStream({ start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)) })
  vi.stubGlobal('fetch', (url: URL, init: RequestInit = {}) =>
    url.pathname === '/event' ? Promise.resolve(new Response(silence(init.signal))) : fetch(url, init),
  )
  try {
    return await connect()
  } finally {
    vi.unstubAllGlobals()
  }
}

const suggestions = [
  { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm:*' }], behavior: 'allow', destination: 'session' },
  { type: 'addDirectories', directories: ['/tmp'], destination: 'session' },
]
const write: Partial<AskRequest> = {
  tool: { name: 'Write', input: { file_path: '/w/a.txt', content: 'new\n' } },
  title: 'Write: /w/a.txt',
  context: { cwd: '/w', filePath: '/w/a.txt', diff: '--- /dev/null\n+++ /w/a.txt\n@@ -0,0 +1 @@\n+new\n' },
  files: [{ path: '/w/a.txt', use: 'edits', sha256: null, after: 'a'.repeat(64) }],
}

describe('§3 Data Model', () => {
  it('PermissionRequest: id, sessionId, messageId, tool, permission, input, patterns, metadata, suggestions, createdAt', async () => {
    const { session, agent } = await test.session()
    const { ask } = await test.openAsk(agent, {
      agentSays: 'Says hello',
      context: { cwd: '/w', command: 'echo hello' },
      suggestions,
    })
    expect(await pending()).toEqual([
      {
        id: ask.id,
        sessionId: session.id,
        messageId: ask.toolUseId,
        tool: 'Bash',
        permission: 'bash',
        input: { command: 'echo hello' },
        patterns: ['echo hello'],
        metadata: expect.objectContaining({
          description: 'Says hello',
          command: 'echo hello',
          rule: 'Bash(echo hello) in /w',
        }),
        suggestions: [
          { type: 'addRules', patterns: ['Bash(npm:*)'], description: expect.any(String) },
          { type: 'addDirectories', patterns: ['/tmp'], description: expect.any(String) },
        ],
        createdAt: ask.raisedAt,
      },
    ])
  })

  it.each<[string, Partial<AskRequest>, Partial<PermissionRequest>]>([
    [
      'filePath and diff',
      write,
      {
        permission: 'write',
        patterns: ['/w/a.txt'],
        metadata: { filePath: '/w/a.txt', diff: write.context?.diff as string },
      },
    ],
    [
      'url',
      { tool: { name: 'WebFetch', input: {} }, context: { cwd: '/w', url: 'https://a.example' } },
      { permission: 'webfetch', metadata: { url: 'https://a.example' } },
    ],
    [
      'query',
      { tool: { name: 'WebSearch', input: {} }, context: { cwd: '/w', query: 'weather' } },
      { permission: 'websearch', metadata: { query: 'weather' } },
    ],
    [
      'description',
      { tool: { name: 'mcp__tracker__close', input: {} }, title: 'mcp__tracker__close' },
      { permission: 'mcp__tracker__close', metadata: { description: 'mcp__tracker__close' } },
    ],
  ])('PermissionMetadata: %s', async (_, request, expected) => {
    const { agent } = await test.session()
    await test.openAsk(agent, request)
    expect((await pending())[0]).toMatchObject(expected)
  })

  it('PermissionReplyResponse: success, and error when it is false', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    expect((await reply(ask.id, { reply: 'allow' })).body).toEqual({ success: true })
    expect((await reply(ask.id, { reply: 'allow' })).body).toEqual({ success: false, error: expect.any(String) })
  })

  it('Session Permission State: exact strings of one tool in one session', async () => {
    const [one, two] = [await test.session(), await test.session()]
    const { ask } = await test.openAsk(one.agent, write)
    await reply(ask.id, { reply: 'always' })
    expect(await one.agent.ask(write)).toMatchObject({ kind: 'allowed', via: 'rule' })
    const content = 'new\n'
    const others = [
      { name: 'Write', input: { file_path: '/w/a.txt.bak', content } },
      { name: 'Write', input: { file_path: '/w', content } },
      { name: 'Write', input: { file_path: '/w/*', content } },
      // The reference system compared the path alone.
      { name: 'Write', input: { file_path: '/w/a.txt', content: 'other\n' } },
      // The reference system forgot the tool: one grant served another.
      { name: 'Edit', input: { file_path: '/w/a.txt', content } },
    ]
    for (const [index, tool] of others.entries()) {
      await test.openAsk(one.agent, { ...write, tool, requestId: `other-${index}` })
      expect(await pending(), JSON.stringify(tool)).toHaveLength(index + 1)
    }
    await test.openAsk(two.agent, write)
    expect(await pending(`?sessionId=${two.session.id}`)).toHaveLength(1)
  })
})

describe('§4 HTTP Endpoints', () => {
  it.each<[PermissionReply, string]>([
    ['allow', 'allowed'],
    ['deny', 'denied'],
    ['always', 'allowed'],
  ])('POST /permission/:requestId/reply {reply: %j}: 200, and the agent goes on', async (given, kind) => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    expect(await reply(ask.id, { reply: given })).toMatchObject({ status: 200, body: { success: true } })
    expect(await outcome).toMatchObject({ kind, via: 'permission' })
  })

  it('POST /permission/:requestId/reply: 404 "Request not found", 404 "Request expired or not found", 400', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const unknown = await reply('0b7e4f4e-1f6b-4f0a-8a55-8f8f8c1f2d3e', { reply: 'allow' })
    expect([unknown.status, unknown.body]).toEqual([404, { success: false, error: 'Request not found' }])
    for (const body of [{}, { reply: 'once' }, { reply: 'deny', message: 1 }]) {
      const refused = await reply(ask.id, body)
      expect([refused.status, refused.body]).toEqual([400, { success: false, error: expect.any(String) }])
    }
    await reply(ask.id, { reply: 'deny' })
    const late = await reply(ask.id, { reply: 'allow' })
    expect([late.status, late.body]).toEqual([404, { success: false, error: 'Request expired or not found' }])
  })

  it('GET /permission/pending: {requests} of all sessions, or of ?sessionId=', async () => {
    const [one, two] = [await test.session(), await test.session()]
    expect((await test.api.call('GET', '/permission/pending')).body).toEqual({ requests: [] })
    const [first, second] = [await test.openAsk(one.agent), await test.openAsk(two.agent)]
    expect((await pending()).map(({ id }) => id)).toEqual([first.ask.id, second.ask.id])
    expect((await pending(`?sessionId=${two.session.id}`)).map(({ id }) => id)).toEqual([second.ask.id])
    expect(await pending('?sessionId=another')).toEqual([])
  })

  it('SSE Events: {type, properties} for permission.asked and permission.replied', async () => {
    const { session, agent } = await test.session()
    const stream = await follow()
    const { ask } = await test.openAsk(agent)
    const [request] = await pending()
    await reply(ask.id, { reply: 'always' })
    await stream.message(({ type }) => type === 'permission.replied')
    expect(stream.messages).toEqual([
      { type: 'permission.asked', properties: { request } },
      { type: 'permission.replied', properties: { sessionId: session.id, requestId: ask.id, reply: 'always' } },
    ])
    stream.close()
  })

  it('canUseTool: a request that was approved for good before is not emitted, listed or asked', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    await reply(ask.id, { reply: 'always' })
    const stream = await follow()
    expect((await agent.ask()).kind).toBe('allowed')
    expect(await pending()).toEqual([])
    const { ask: next } = await test.openAsk(agent, write)
    await stream.message(({ type }) => type === 'permission.asked')
    expect(stream.messages).toMatchObject([{ properties: { request: { id: next.id } } }])
    stream.close()
  })

  it('always: a new approval does not settle what is pending already', async () => {
    const { agent } = await test.session()
    const [first, second] = [await test.openAsk(agent), await test.openAsk(agent)]
    await reply(second.ask.id, { reply: 'always' })
    expect((await pending()).map(({ id }) => id)).toEqual([first.ask.id])
  })
})

describe('§5 Workflows', () => {
  it('Main Flow: asked, shown, replied to, gone', async () => {
    const { session, agent } = await test.session()
    const modal = await connect({ sessionId: session.id })
    const outcome = agent.ask()
    const request = await modal.request()
    expect(modal.client.currentRequest).toEqual(request)
    expect(await modal.client.reply('allow')).toEqual({ success: true })
    expect((await outcome).kind).toBe('allowed')
    await modal.replied(request)
    expect(modal.client.currentRequest).toBeNull()
    modal.client.close()
  })

  it('Concurrent Tool Handling: a queue in order, each blocked on its own, answered in any order', async () => {
    const { session, agent } = await test.session()
    const modal = await connect({ sessionId: session.id })
    const settled: string[] = []
    const outcomes: Promise<string>[] = []
    for (const requestId of ['a', 'b', 'c']) {
      const { outcome } = await test.openAsk(agent, {
        requestId,
        tool: { name: 'Bash', input: { command: requestId } },
      })
      outcomes.push(
        outcome.then(({ kind }) => {
          settled.push(requestId)
          return kind
        }),
      )
    }
    await modal.waitFor(() => modal.client.pendingQueue.length === 3)
    const commands = () => modal.client.pendingQueue.map(({ input }) => input.command)
    expect(commands()).toEqual(['a', 'b', 'c'])
    await modal.client.replyTo(modal.client.pendingQueue[1]?.id ?? '', 'deny')
    await until(() => settled.length === 1, 'the second one to go on')
    expect(commands()).toEqual(['a', 'c'])
    await modal.client.reply('allow')
    expect(commands()).toEqual(['c'])
    await modal.client.reply('allow')
    expect(await Promise.all(outcomes)).toEqual(['allowed', 'denied', 'allowed'])
    expect(settled).toEqual(['b', 'a', 'c'])
    modal.client.close()
  })

  it('Client Reconnection: connects, fetches what is pending, can reply to any of it', async () => {
    const { session, agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const first = await connect({ sessionId: session.id })
    first.client.close()
    const { ask: second } = await test.openAsk(agent, write)
    const again = await connect({ sessionId: session.id })
    expect(again.client.pendingQueue.map(({ id }) => id)).toEqual([ask.id, second.id])
    await again.client.replyTo(ask.id, 'allow')
    expect((await outcome).kind).toBe('allowed')
    // Nothing that was pending came a second time by the stream.
    expect(again.events.filter(({ type }) => type === 'permission.asked')).toEqual([])
    again.client.close()
  })

  it("Client Reconnection: a client that only appends and filters, as the permission protocol's own hook does, has each request once", async () => {
    const { session, agent } = await test.session()
    await test.openAsk(agent)
    let queue: { id: string }[] = []
    const stream = await follow()
    const seen = () => {
      for (const event of stream.messages.splice(0)) {
        if (event.type === 'permission.asked') queue = [...queue, event.properties.request]
        else queue = queue.filter(({ id }) => id !== event.properties.requestId)
      }
      return queue.map(({ id }) => id)
    }
    queue = [...(await pending(`?sessionId=${session.id}`))]
    const { ask: second } = await test.openAsk(agent, write)
    await until(() => seen().includes(second.id), 'the second one')
    expect(queue).toHaveLength(2)
    for (const { id } of queue) await reply(id, { reply: 'deny' })
    await until(() => seen().length === 0, 'an empty queue')
    stream.close()
  })

  it('Abort Handling: all pending requests of the session are gone, those of others are not', async () => {
    const [stopped, other] = [await test.session({ prompt: 'go' }), await test.session()]
    const modal = await connect()
    const outcomes = [stopped.agent.ask(), stopped.agent.ask(write)]
    const kept = await test.openAsk(other.agent)
    await modal.waitFor(() => modal.client.pendingQueue.length === 3)
    const requests = modal.client.pendingQueue.filter(({ sessionId }) => sessionId === stopped.session.id)
    await test.api.ok('POST', `/api/sessions/${stopped.session.id}/interrupt`, {})
    for (const request of requests)
      expect(await modal.replied(request)).toMatchObject({ reply: 'deny', reason: 'aborted' })
    for (const outcome of outcomes) expect(await outcome).toMatchObject({ kind: 'withdrawn', reason: 'interrupted' })
    expect(modal.client.pendingQueue.map(({ id }) => id)).toEqual([kept.ask.id])
    modal.client.close()
  })

  it('Abort Handling: timeouts are cleared, and so they are by a reply', async () => {
    const { session, agent } = await test.session({ prompt: 'go', askTimeoutMs: FIVE_MINUTES })
    const stream = await follow()
    const replied = await test.openAsk(agent, write)
    await reply(replied.ask.id, { reply: 'deny' })
    const aborted = await test.openAsk(agent)
    await test.api.ok('POST', `/api/sessions/${session.id}/interrupt`, {})
    expect(await aborted.outcome).toMatchObject({ kind: 'withdrawn' })
    manual.advance(FIVE_MINUTES)
    const { ask: next } = await test.openAsk(agent)
    await stream.message(({ properties }) => 'request' in properties && properties.request.id === next.id)
    const ends = stream.messages.flatMap(({ properties }) => ('reply' in properties ? [properties] : []))
    expect(ends).toMatchObject([
      { requestId: replied.ask.id, reply: 'deny' },
      { requestId: aborted.ask.id, reply: 'deny', reason: 'aborted' },
    ])
    expect(test.logged.filter((line) => line.includes('timed out'))).toEqual([])
    stream.close()
  })

  it('Denial Memory: the same operation is asked about again', async () => {
    const { agent } = await test.session()
    for (let time = 1; time <= 3; time++) {
      const { ask } = await test.openAsk(agent)
      expect((await pending()).map(({ id }) => id)).toEqual([ask.id])
      await reply(ask.id, { reply: 'deny', message: 'not now' })
    }
    expect((await test.openAsk(agent)).ask.outcome).toBeUndefined()
  })
})

describe('§6 Error Handling', () => {
  it('PermissionTimeout: after five minutes, not before, it is a deny that says why', async () => {
    const { session, agent } = await test.session({ askTimeoutMs: FIVE_MINUTES })
    const modal = await connect({ sessionId: session.id })
    const { ask, outcome } = await test.openAsk(agent)
    expect(ask.expiresAt).toBe(ask.raisedAt + FIVE_MINUTES)
    const request = await modal.request()
    manual.advance(FIVE_MINUTES - 30_000)
    expect((await pending()).map(({ id }) => id)).toEqual([ask.id])
    manual.advance(30_000)
    expect(await modal.replied(request)).toEqual({
      sessionId: session.id,
      requestId: ask.id,
      reply: 'deny',
      reason: 'timeout',
    })
    // On the record nobody denied anything.
    expect((await outcome).kind).toBe('expired')
    expect(modal.client.pendingQueue).toEqual([])
    // "Agent can retry if appropriate".
    await test.openAsk(agent)
    await modal.request()
    modal.client.close()
  })

  it('PermissionTimeout: without a limit a request waits for as long as it takes', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    manual.advance(1000 * FIVE_MINUTES)
    expect(await reply(ask.id, { reply: 'allow' })).toMatchObject({ status: 200 })
  })

  it('SessionAborted: the end of a session rejects everything that is pending', async () => {
    const { session, agent } = await test.session()
    const modal = await connect()
    const outcome = agent.ask()
    const request = await modal.request()
    await test.api.ok('DELETE', `/api/sessions/${session.id}`)
    expect(await modal.replied(request)).toMatchObject({ reply: 'deny', reason: 'aborted' })
    expect(await outcome).toMatchObject({ kind: 'withdrawn', reason: 'session-ended' })
    expect(await pending()).toEqual([])
    modal.client.close()
  })

  it('RequestNotFound: 404, and the client clears its modal', async () => {
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const modal = await connectToSilence()
    await modal.request()
    await test.api.answer(ask, { kind: 'deny' })
    await outcome
    expect(modal.client.currentRequest?.id).toBe(ask.id)
    expect(await modal.client.reply('allow')).toEqual({ success: false, error: 'Request expired or not found' })
    expect([modal.client.pendingQueue, modal.events]).toEqual([[], []])
    expect(modal.errors).toMatchObject([{ status: 404 }])
    modal.client.close()
  })

  it('NetworkError: three attempts, then the request is still there to be tried again', async () => {
    await using proxy = await startProxy()
    await using far = await startTestGateway({ publicUrl: proxy.url })
    proxy.connectTo(far.gateway.url)
    const modal = await connect({ url: proxy.url })
    const { agent } = await far.session()
    const outcome = agent.ask()
    const request = await modal.request()
    const attempts = () =>
      proxy.recordings().filter((bytes) => bytes.includes(`/permission/${request.id}/reply`)).length
    proxy.dropRequests(true)
    await expect(modal.client.reply('allow')).rejects.toMatchObject({ code: 'network' })
    expect(attempts()).toBe(3)
    expect(modal.client.currentRequest?.id).toBe(request.id)
    proxy.dropRequests(false)
    expect(await modal.client.reply('allow')).toEqual({ success: true })
    expect((await outcome).kind).toBe('allowed')
    modal.client.close()
  })

  it('NetworkError: a reply whose response is lost counts once, however often it is sent', async () => {
    await using proxy = await startProxy()
    await using far = await startTestGateway({ publicUrl: proxy.url })
    proxy.connectTo(far.gateway.url)
    const modal = await connect({ url: proxy.url })
    const { agent } = await far.session()
    const outcome = agent.ask()
    await modal.request()
    proxy.dropResponses(true)
    await expect(modal.client.reply('always')).rejects.toMatchObject({ code: 'network' })
    expect((await outcome).kind).toBe('allowed')
    proxy.dropResponses(false)
    // Connected again it learns from the list that the request is gone.
    await modal.empty()
    const events = await far.store.events({ after: 0, limit: 100 })
    expect(events.filter(({ event }) => event.type === 'ask-settled')).toHaveLength(1)
    expect(events.filter(({ event }) => event.type === 'rule-added')).toHaveLength(1)
    modal.client.close()
  })

  it('NetworkError: under one Idempotency-Key the retry is told what the first attempt would have been', async () => {
    await using proxy = await startProxy()
    await using far = await startTestGateway({ publicUrl: proxy.url })
    proxy.connectTo(far.gateway.url)
    const { agent } = await far.session()
    const { ask } = await far.openAsk(agent)
    const send = async () => {
      const answer = await fetch(`${proxy.url}/permission/${ask.id}/reply`, {
        method: 'POST',
        headers: { ...BEARER, 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ reply: 'always' }),
      })
      return [answer.status, await answer.json()]
    }
    proxy.dropResponses(true)
    await expect(send()).rejects.toThrow()
    await until(async () => (await far.api.openAsks()).length === 0, 'the first attempt to arrive')
    proxy.dropResponses(false)
    expect(await send()).toEqual([200, { success: true, remembered: true }])
  })

  it('a gateway that cannot record anything says so with 503: the client tries again, and the reply counts', async () => {
    let refusals = 0
    const store = await openTestStore()
    await using full = await startTestGateway({
      store: overrideStore(store, {
        append: (appends) =>
          refusals-- > 0 ? Promise.reject(new StoreFault('full', 'no space left')) : store.append(appends),
      }),
    })
    const modal = await connect({ url: full.gateway.url })
    const { agent } = await full.session()
    const outcome = agent.ask()
    await modal.request()
    refusals = 1
    expect(await modal.client.reply('allow')).toEqual({ success: true })
    expect((await outcome).kind).toBe('allowed')
    modal.client.close()
  })
})

describe('§7 Observability', () => {
  it('permission_requests_total{tool,outcome}, permission_response_time, permission_timeout_total', async () => {
    const { agent } = await test.session({ askTimeoutMs: FIVE_MINUTES })
    const { ask } = await test.openAsk(agent)
    await reply(ask.id, { reply: 'allow' })
    const expired = await test.openAsk(agent, write)
    manual.advance(FIVE_MINUTES)
    await expired.outcome
    const figures = String((await test.api.call('GET', '/metrics')).body).split('\n')
    expect(figures).toContain('holdpoint_permission_requests_total{tool="Bash",outcome="allowed"} 1')
    expect(figures).toContain('holdpoint_permission_requests_total{tool="Write",outcome="expired"} 1')
    expect(figures).toContain('holdpoint_permission_response_time_seconds_count 1')
    expect(figures).toContain('holdpoint_permission_timeouts_total 1')
  })

  it('requested and replied are INFO, a timeout is WARN', async () => {
    const { session, agent } = await test.session({ askTimeoutMs: FIVE_MINUTES })
    const { ask } = await test.openAsk(agent)
    await reply(ask.id, { reply: 'deny' })
    const expired = await test.openAsk(agent)
    manual.advance(FIVE_MINUTES)
    await expired.outcome
    const lines = test.logged.map((line) => JSON.parse(line)).filter(({ message }) => message.includes('permission'))
    const [sessionId, patterns] = [session.id, ['echo hello']]
    expect(lines).toMatchObject([
      { level: 'info', sessionId, tool: 'Bash', patterns },
      { level: 'info', sessionId, requestId: ask.id, reply: 'deny' },
      { level: 'info', sessionId, tool: 'Bash', patterns },
      { level: 'warn', sessionId, requestId: expired.ask.id },
    ])
  })
})

describe('§8 Security and Privacy', () => {
  it('Session Isolation: a credential of one session neither sees nor answers another', async () => {
    const [mine, other] = [await test.session(), await test.session()]
    const { secret, headers } = await test.credential({ role: 'approver', sessionIds: [mine.session.id] })
    const modal = await connectPermissions({ url: test.gateway.url, token: secret })
    const foreign = await test.openAsk(other.agent)
    const own = await test.openAsk(mine.agent)
    await modal.request(({ id }) => id === own.ask.id)
    expect(modal.client.pendingQueue).toHaveLength(1)
    expect(await modal.client.replyTo(foreign.ask.id, 'allow')).toEqual({ success: false, error: 'Request not found' })
    const listed = await fetch(`${test.gateway.url}/permission/pending?sessionId=${other.session.id}`, { headers })
    expect(await listed.json()).toEqual({ requests: [] })
    expect((await test.api.openAsks(other.session.id)).map(({ id }) => id)).toEqual([foreign.ask.id])
    modal.client.close()
  })

  it('401 without a credential, 403 with one that may only look; nothing has changed', async () => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const viewer = await test.credential({ role: 'viewer' })
    const as = async (headers: Record<string, string>) => {
      const { status, body } = await test.api.call('POST', `/permission/${ask.id}/reply`, { reply: 'allow' }, headers)
      return [status, body]
    }
    const failure = { success: false, error: expect.any(String) }
    expect(await as({ authorization: 'Bearer nothing' })).toEqual([401, failure])
    expect(await as(viewer.headers)).toEqual([403, failure])
    for (const path of ['/permission/pending', '/event']) {
      const { status, body } = await test.api.call('GET', path, undefined, { authorization: 'Bearer nothing' })
      expect([status, body], path).toEqual([401, failure])
    }
    expect((await pending()).map(({ id }) => id)).toEqual([ask.id])
  })

  it('Input Validation: tool input is passed through unchanged', async () => {
    const { agent } = await test.session()
    const input = { command: '  echo "\u202e" \\n\r\n', nested: { list: [1, null, { deep: '🙂' }] }, __proto: 'x' }
    const { ask } = await test.openAsk(agent, { tool: { name: 'Bash', input } })
    expect((await pending())[0]?.input).toEqual(input)
    const stream = await follow()
    await reply(ask.id, { reply: 'deny' })
    await test.openAsk(agent, { tool: { name: 'Bash', input } })
    const asked = await stream.message(({ type }) => type === 'permission.asked')
    expect(asked.properties).toMatchObject({ request: { input } })
    stream.close()
  })
})

describe('UI Components', () => {
  it('usePermissions: dismissing is a deny with the message "Dismissed"', async () => {
    const { session, agent } = await test.session()
    const modal = await connect({ sessionId: session.id })
    const outcome = agent.ask()
    await modal.request()
    expect(await modal.client.dismiss()).toEqual({ success: true })
    expect(await outcome).toMatchObject({ kind: 'denied', answer: { message: 'Dismissed' } })
    modal.client.close()
  })
})
