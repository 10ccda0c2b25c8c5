import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { Role } from '@holdpoint/schema/outcome'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { report } from '@holdpoint/testing/long'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const ROLES: Role[] = ['owner', 'approver', 'viewer', 'raiser']

type Credential = Awaited<ReturnType<TestGateway['credential']>>
type Attempt = (test: TestGateway, credential: Credential, sessionId: SessionId) => Promise<number>

async function ask(test: TestGateway, sessionId: SessionId): Promise<Ask> {
  return (await test.openAsk(await test.synthetic.agentOf(sessionId))).ask
}

const raising = (sessionId: SessionId, requestId: string) => ({
  sessionId,
  requestId,
  kind: 'approval',
  title: 'Deploy',
  tool: { name: 'Deploy', input: { to: 'production' } },
  context: { cwd: '/' },
})

async function status(credential: Credential, method: string, path: string, body?: unknown): Promise<number> {
  return (await credential.api.call(method, path, body)).status
}

async function queuedMessage(test: TestGateway, sessionId: SessionId): Promise<string> {
  const path = `/api/sessions/${sessionId}/messages`
  // The agent may still be about to take the first one.
  return until(async () => {
    const { messageId, queued } = await test.api.ok<{ messageId: string; queued: number }>('POST', path, { text: 'hi' })
    return queued > 0 && messageId
  }, 'a message that waits')
}

const TRIED = { effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope: { kind: 'everywhere' } }
const PINNED = { ...TRIED, pins: [{ path: '/etc/hosts', sha256: '0'.repeat(64) }] }

/** What each role gets, for a session that its credential is for and for one that it is not. */
const IN_A_SESSION: [name: string, own: number[], other: number[], attempt: Attempt][] = [
  [
    'read the session',
    [200, 200, 200, 403],
    [404, 404, 404, 403],
    (_, c, id) => status(c, 'GET', `/api/sessions/${id}`),
  ],
  [
    'read its items',
    [200, 200, 200, 403],
    [404, 404, 404, 403],
    (_, c, id) => status(c, 'GET', `/api/sessions/${id}/items`),
  ],
  [
    'see which files a message can name',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'GET', `/api/sessions/${id}/files`),
  ],
  [
    // Nobody looks at the files of sessions here: who may read is told so.
    'read what it changed',
    [422, 422, 422, 403],
    [404, 404, 404, 403],
    (_, c, id) => status(c, 'GET', `/api/sessions/${id}/changes`),
  ],
  [
    'read a file that it changed',
    [404, 404, 404, 403],
    [404, 404, 404, 403],
    (_, c, id) => status(c, 'GET', `/api/sessions/${id}/changes/file?path=a.txt`),
  ],
  [
    'send a message',
    [202, 202, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/messages`, { text: 'x' }),
  ],
  [
    // It may change the user's settings, beyond any one session: nothing for who has some sessions only.
    'send a message that is a command to the agent itself (T38)',
    [403, 403, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/messages`, { text: '/config permissionMode=auto' }),
  ],
  [
    'take a message back',
    [204, 204, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) => status(c, 'DELETE', `/api/sessions/${id}/messages/${await queuedMessage(test, id)}`),
  ],
  [
    'interrupt',
    [202, 202, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/interrupt`),
  ],
  [
    'change the mode',
    [200, 403, 403, 403],
    [404, 403, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/mode`, { permissionMode: 'plan' }),
  ],
  [
    'change the model',
    [200, 403, 403, 403],
    [404, 403, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/model`, { model: 'other' }),
  ],
  [
    'rename the session',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/title`, { title: 'x' }),
  ],
  [
    'put it back into the lists',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    (_, c, id) => status(c, 'DELETE', `/api/sessions/${id}/archive`),
  ],
  [
    'trust the folder',
    [403, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/trust`),
  ],
  [
    'distrust the folder',
    [403, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c, id) => status(c, 'DELETE', `/api/sessions/${id}/trust`),
  ],
  [
    'end the session',
    [202, 403, 403, 403],
    [404, 403, 403, 403],
    (_, c, id) => status(c, 'DELETE', `/api/sessions/${id}`),
  ],
  [
    'read an ask',
    [200, 200, 200, 404],
    [404, 404, 404, 404],
    async (test, c, id) => status(c, 'GET', `/api/asks/${(await ask(test, id)).id}`),
  ],
  [
    'wait for an ask',
    [200, 200, 200, 404],
    [404, 404, 404, 404],
    async (test, c, id) => status(c, 'GET', `/api/asks/${(await ask(test, id)).id}?wait=0.01`),
  ],
  [
    'see an ask',
    [204, 204, 204, 403],
    [404, 404, 404, 403],
    async (test, c, id) => status(c, 'POST', `/api/asks/${(await ask(test, id)).id}/seen`),
  ],
  [
    'answer an ask',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) => (await c.api.answer(await ask(test, id), { kind: 'allow' })).status,
  ],
  [
    'answer an ask in a batch',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) => {
      const { id: askId, digest } = await ask(test, id)
      const reply = await c.api.call<{ results?: { status: number }[] }>('POST', '/api/asks/answer', {
        answers: [{ id: askId, kind: 'deny', digest }],
      })
      return reply.body.results?.[0]?.status ?? reply.status
    },
  ],
  [
    'raise an ask',
    [403, 403, 403, 201],
    [403, 403, 403, 404],
    (_, c, id) => status(c, 'POST', '/api/asks', raising(id, c.secret)),
  ],
  [
    'withdraw an ask that another raised',
    [403, 403, 403, 404],
    [403, 403, 403, 404],
    async (test, c, id) => {
      const another = await test.credential({ role: 'raiser' })
      const raised = await another.api.ok<Ask>('POST', '/api/asks', raising(id, c.secret))
      return status(c, 'POST', `/api/asks/${raised.id}/withdraw`)
    },
  ],
  [
    'withdraw an ask of the agent',
    [403, 403, 403, 404],
    [403, 403, 403, 404],
    async (test, c, id) => status(c, 'POST', `/api/asks/${(await ask(test, id)).id}/withdraw`),
  ],
  [
    'let a plan go on without any more asks',
    [200, 403, 403, 403],
    [404, 403, 403, 403],
    async (test, c, id) => {
      const agent = await test.synthetic.agentOf(id)
      const { ask: plan } = await test.openAsk(agent, { kind: 'plan', plan: { text: 'All of it' } })
      return (await c.api.answer(plan, { kind: 'allow', permissionMode: 'bypassPermissions' })).status
    },
  ],
  [
    'read a file that the session uses',
    [200, 200, 200, 403],
    [404, 404, 404, 403],
    async (test, c, id) => {
      const headers = { 'content-type': 'text/plain' }
      const file = await test.api.call<{ id: string }>('POST', '/api/attachments', 'text', headers)
      await test.api.ok('POST', `/api/sessions/${id}/messages`, { text: 'look', attachments: [file.body.id] })
      return status(c, 'GET', `/api/attachments/${file.body.id}`)
    },
  ],
  [
    'type into its terminal',
    [202, 202, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) => {
      test.terminals.open(id)
      return status(c, 'POST', '/api/pty-input', { sessionID: id, input: 'x' })
    },
  ],
  [
    'have its conversation found',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) => {
      test.terminals.open(id)
      const marker = 'abcdefab-cdef-abcd-efab-cdefabcdefab'
      return status(c, 'POST', `/api/terminals/${id}/conversation`, { marker })
    },
  ],
  [
    'have exactly this call remembered',
    [200, 200, 403, 403],
    [404, 404, 403, 403],
    async (test, c, id) =>
      (await c.api.answer(await ask(test, id), { kind: 'allow', remember: { scope: 'session' } })).status,
  ],
  [
    'make a rule of the policy with an answer',
    [403, 403, 403, 403],
    [403, 403, 403, 403],
    async (test, c, id) =>
      (await c.api.answer(await ask(test, id), { kind: 'allow', remember: { scope: 'session', rule: 'Edit(//**)' } }))
        .status,
  ],
  [
    'forget a rule',
    [204, 403, 403, 403],
    [404, 403, 403, 403],
    async (test, c, id) => {
      const reply = await test.api.answer(await ask(test, id), { kind: 'allow', remember: { scope: 'session' } })
      return status(c, 'DELETE', `/api/rules/${(reply.body.outcome as { rule: string }).rule}`)
    },
  ],
]

/** What each role gets where no one session is meant: with a credential for everything, and with one for a session. */
const GATEWAY_WIDE: [name: string, wide: number[], narrow: number[], attempt: Attempt][] = [
  [
    'start a session',
    [201, 403, 403, 403],
    [403, 403, 403, 403],
    (test, c) => status(c, 'POST', '/api/sessions', { agent: 'synthetic', cwd: test.dataDir }),
  ],
  [
    'start a program in a terminal',
    [201, 403, 403, 403],
    [403, 403, 403, 403],
    (test, c) => status(c, 'POST', '/api/terminals', { command: 'cat', cwd: test.dataDir, cols: 80, rows: 24 }),
  ],
  [
    'give the terminals of the machine another credential',
    [204, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/terminals/access'),
  ],
  [
    'read past conversations',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/transcripts'),
  ],
  [
    'trust a folder',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c, id) => status(c, 'POST', `/api/sessions/${id}/trust`),
  ],
  ['list sessions', [200, 200, 200, 403], [200, 200, 200, 403], (_, c) => status(c, 'GET', '/api/sessions')],
  ['list asks', [200, 200, 200, 403], [200, 200, 200, 403], (_, c) => status(c, 'GET', '/api/asks?status=all')],
  ['list rules', [200, 200, 200, 403], [200, 200, 200, 403], (_, c) => status(c, 'GET', '/api/rules')],
  [
    'try a rule',
    [200, 200, 200, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/policy/check', { rule: TRIED }),
  ],
  [
    'learn with a rule that is only tried what is in a file',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/policy/check', { rule: PINNED }),
  ],
  [
    'learn from a dry run what is in a file',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/policy/dry-run', { rule: PINNED }),
  ],
  ['list devices', [200, 403, 403, 403], [403, 403, 403, 403], (_, c) => status(c, 'GET', '/api/devices')],
  [
    'revoke a device',
    [204, 403, 403, 403],
    [403, 403, 403, 403],
    async (test, c) => status(c, 'DELETE', `/api/devices/${(await test.credential({ role: 'owner' })).device.id}`),
  ],
  [
    'rename another device',
    [200, 404, 404, 403],
    [404, 404, 404, 403],
    async (test, c) => {
      const { device } = await test.credential({ role: 'viewer' })
      return status(c, 'POST', `/api/devices/${device.id}`, { name: 'x' })
    },
  ],
  [
    'rename itself',
    [200, 200, 200, 403],
    [200, 200, 200, 403],
    (_, c) => status(c, 'POST', `/api/devices/${c.device.id}`, { name: 'x' }),
  ],
  [
    'see who used a pairing code',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    async (test, c) => {
      const { id } = await test.api.ok<{ id: string }>('POST', '/api/pairings', { role: 'viewer' })
      return status(c, 'GET', `/api/pairings/${id}`)
    },
  ],
  [
    'pair a device',
    [201, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/pairings', { role: 'owner' }),
  ],
  [
    'bring a file',
    [201, 201, 403, 403],
    [201, 201, 403, 403],
    async (_, c) => (await c.api.call('POST', '/api/attachments', 'text', { 'content-type': 'text/plain' })).status,
  ],
  [
    'look at folders',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (test, c) => status(c, 'GET', `/api/folders?path=${encodeURIComponent(test.dataDir)}`),
  ],
  [
    'complete the path of a folder',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/folders/like?path=/'),
  ],
  [
    'read which models there are',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/models?agent=claude'),
  ],
  [
    'list trusted folders',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/folders/trusted'),
  ],
  [
    'stop trusting a folder',
    [404, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'DELETE', '/api/folders/trusted?path=/nowhere'),
  ],
  [
    'delete what was said in the session, which runs',
    [409, 403, 403, 403],
    [409, 403, 403, 403],
    (_, c, id) => status(c, 'DELETE', `/api/sessions/${id}/content`),
  ],
  [
    'see how long sessions are kept',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/retention'),
  ],
  [
    'see what would move to the archive',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'GET', '/api/retention/preview?days=90'),
  ],
  [
    'set how long sessions are kept',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/retention', { days: 90 }),
  ],
  [
    'remove such a setting',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    async (test, c) => {
      await test.api.ok('POST', '/api/retention', { days: 90 })
      return status(c, 'DELETE', '/api/retention')
    },
  ],
  ['list time limits', [200, 403, 403, 403], [403, 403, 403, 403], (_, c) => status(c, 'GET', '/api/time-limits')],
  [
    'set a time limit',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    (_, c) => status(c, 'POST', '/api/time-limits', { kind: 'plan', afterMs: 1000 }),
  ],
  [
    'remove a time limit',
    [200, 403, 403, 403],
    [403, 403, 403, 403],
    async (test, c) => {
      await test.api.ok('POST', '/api/time-limits', { kind: 'form', afterMs: 1000 })
      return status(c, 'DELETE', '/api/time-limits?kind=form')
    },
  ],
  ['read itself', [200, 200, 200, 200], [200, 200, 200, 200], (_, c) => status(c, 'GET', '/api/me')],
  ['log itself out', [204, 204, 204, 204], [204, 204, 204, 204], (_, c) => status(c, 'POST', '/api/logout')],
  ['read figures', [200, 403, 403, 403], [403, 403, 403, 403], (_, c) => status(c, 'GET', '/metrics')],
  ['read the description', [200, 200, 200, 200], [200, 200, 200, 200], (_, c) => status(c, 'GET', '/api/openapi.json')],
]

it('T10 gives each role what the table says, in sessions of its own and in others', async () => {
  await using test = await startTestGateway()
  let cells = 0
  for (const [name, own, other, attempt] of IN_A_SESSION) {
    for (const [index, role] of ROLES.entries()) {
      // Working on a message, so that another one queues.
      const mine = await test.session({ prompt: 'go' })
      const foreign = await test.session({ prompt: 'go' })
      const credential = await test.credential({ role, sessionIds: [mine.session.id] })
      expect(await attempt(test, credential, mine.session.id), `${role}: ${name}, own`).toBe(own[index])
      expect(await attempt(test, credential, foreign.session.id), `${role}: ${name}, other`).toBe(other[index])
      cells += 2
    }
  }
  for (const [name, wide, narrow, attempt] of GATEWAY_WIDE) {
    for (const [index, role] of ROLES.entries()) {
      const { session } = await test.session()
      const everything = await test.credential({ role })
      const oneSession = await test.credential({ role, sessionIds: [session.id] })
      expect(await attempt(test, everything, session.id), `${role}: ${name}`).toBe(wide[index])
      expect(await attempt(test, oneSession, session.id), `${role} of one session: ${name}`).toBe(narrow[index])
      cells += 2
    }
  }
  report(`T10: ${cells} cells`)
})

it('T10 holds on the socket too: a viewer may watch and may not answer, a raiser may not even watch', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask: open } = await test.openAsk(agent)
  for (const [role, expected] of [
    ['viewer', 403],
    ['approver', 200],
  ] as const) {
    const { headers } = await test.credential({ role, sessionIds: [session.id] })
    const stream = await openStream(test.gateway.url, headers)
    expect(await stream.answer(open, { kind: 'allow' })).toMatchObject({ status: expected })
    stream.close()
  }
  const { headers } = await test.credential({ role: 'raiser', sessionIds: [session.id] })
  await expect(openStream(test.gateway.url, headers)).rejects.toThrow('refused: 403')
})

it('T10 T28 a terminal is typed into by an owner or an approver of its session, looked at by a viewer, hidden from others', async () => {
  await using test = await startTestGateway()
  const terminal = (await test.terminal()).id
  const other = (await test.terminal()).id
  for (const [role, mayLook, mayType] of [
    ['owner', true, true],
    ['approver', true, true],
    ['viewer', true, false],
    ['raiser', false, false],
  ] as const) {
    const { headers } = await test.credential({ role, sessionIds: [terminal] })
    const elsewhere = openJsonSocket(test.gateway.url, `/api/terminals/${other}`, headers)
    await expect(elsewhere).rejects.toThrow(mayLook ? 'refused: 404' : 'refused: 403')
    if (!mayLook) {
      await expect(openJsonSocket(test.gateway.url, `/api/terminals/${terminal}`, headers)).rejects.toThrow(
        'refused: 403',
      )
      continue
    }
    const stream = await openJsonSocket(test.gateway.url, `/api/terminals/${terminal}`, headers)
    stream.send({ type: 'view', cols: 80, rows: 24 })
    await until(() => stream.messages.some(({ type }) => type === 'screen'), 'the screen')
    stream.send({ type: 'input', data: role })
    if (mayType) await until(() => test.terminals.typed(terminal).endsWith(role), `what the ${role} types`)
    else await until(() => stream.messages.some(({ type }) => type === 'error'), 'the refusal')
    stream.close()
  }
  expect(test.terminals.typed(terminal)).toBe('ownerapprover')
  expect(test.terminals.typed(other)).toBe('')
})

it('T11 lists, rules and streams hold only what a narrow credential is for', async () => {
  await using test = await startTestGateway()
  const mine = await test.session()
  const foreign = await test.session()
  const viewer = await test.credential({ role: 'viewer', sessionIds: [mine.session.id] })
  const stream = await openStream(test.gateway.url, viewer.headers)
  stream.send({ type: 'subscribe' })
  const resumed = await openStream(test.gateway.url, viewer.headers)
  const watched = await openStream(test.gateway.url, viewer.headers)
  watched.send({ type: 'subscribe', sessionId: foreign.session.id })
  await until(() => stream.messages.length > 0 && watched.messages.length > 0, 'the snapshots')
  const leave = new AbortController()
  const events = await fetch(`${test.gateway.url}/api/events`, { headers: viewer.headers, signal: leave.signal })
  let eventText = ''
  const reading = (async () => {
    for await (const chunk of events.body ?? []) eventText += Buffer.from(chunk).toString()
  })().catch(() => {})
  for (const { agent } of [mine, foreign]) {
    const { ask: open } = await test.openAsk(agent)
    await test.api.answer(open, { kind: 'allow', remember: { scope: 'session' } })
    await test.openAsk(agent, { tool: { name: 'Bash', input: { command: 'another' } } })
  }
  await mine.agent.say('the end')
  resumed.send({ type: 'subscribe', after: 0 })
  const isEnd = (text: string) => text.includes('the end')
  await until(
    () => [stream, resumed].every((client) => client.messages.some((message) => isEnd(JSON.stringify(message)))),
    'the last event',
  )
  await until(() => isEnd(eventText), 'the last server-sent event')
  leave.abort()
  await reading
  expect(eventText).toContain(mine.session.id)
  expect(eventText).not.toContain(foreign.session.id)
  for (const client of [stream, resumed, watched]) {
    expect(JSON.stringify(client.messages)).not.toContain(foreign.session.id)
    client.close()
  }
  for (const path of ['/api/sessions', '/api/asks', '/api/asks?status=all', '/api/asks?status=settled', '/api/rules']) {
    const { body } = await viewer.api.call('GET', path)
    expect(JSON.stringify(body), path).toContain(mine.session.id)
    expect(JSON.stringify(body), path).not.toContain(foreign.session.id)
  }
  const { body } = await viewer.api.call<{ asks: Ask[] }>('GET', `/api/asks?status=all&sessionId=${foreign.session.id}`)
  expect(body.asks).toEqual([])
})
