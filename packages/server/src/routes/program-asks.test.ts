import { MAX_OPEN_ASKS } from '@holdpoint/core/open-room'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

const question = {
  program: { key: 'deploy-1.4', title: 'deploy.sh · ada@build-7' },
  requestId: 'ask',
  kind: 'question',
  title: 'Deploy 1.4?',
  questions: [{ question: 'Deploy 1.4?', options: [{ label: 'yes' }, { label: 'no' }] }],
  context: { cwd: '/srv/app' },
}

async function setUp() {
  const test = await startTestGateway()
  const raiser = await test.credential({ role: 'raiser' })
  return { test, raiser, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

const answer = (test: TestGateway, ask: Ask, label: string) =>
  test.api.answer(ask, { kind: 'answer', answers: [{ question: 0, selected: [label] }] })
const sessionOf = (test: TestGateway, ask: Ask) => test.api.ok<Session>('GET', `/api/sessions/${ask.sessionId}`)

describe('a program without a session of an agent', () => {
  it('gets one of its own, which says who asks and that nobody can write to it', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const ask = await raiser.api.ok<Ask>('POST', '/api/asks', question)
    expect(ask).toMatchObject({ agent: 'program', raiser: raiser.device.name, epoch: 1 })
    const session = await sessionOf(test, ask)
    expect(session).toMatchObject({ title: 'deploy.sh · ada@build-7', cwd: '/srv/app', embedded: true, openAsks: 1 })
    expect(await test.api.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hi' })).toMatchObject({
      status: 422,
      body: { error: { code: 'not_supported' } },
    })
    const waiting = raiser.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=60`)
    await answer(test, ask, 'yes')
    expect((await waiting).outcome).toMatchObject({ kind: 'answered', answer: { answers: [{ selected: ['yes'] }] } })
  })

  it('F44 has the same ask under the same key, open or settled, also when its session is over', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const raise = (more = {}) => raiser.api.call<Ask>('POST', '/api/asks', { ...question, ...more })
    const raised = await Promise.all([raise(), raise(), raise()])
    expect(raised.map(({ status }) => status)).toEqual([201, 201, 201])
    const ask = raised[0]?.body as Ask
    expect(new Set(raised.map(({ body }) => body.id)).size).toBe(1)
    await answer(test, ask, 'no')
    expect((await raise()).body).toMatchObject({ id: ask.id, outcome: { kind: 'answered' } })
    expect((await raiser.api.call('POST', '/api/asks/leave', { key: question.program.key })).status).toBe(204)
    await until(async () => (await sessionOf(test, ask)).state === 'dead', 'the session to be over')
    expect((await raise()).body).toMatchObject({ id: ask.id, outcome: { kind: 'answered' } })
    expect((await sessionOf(test, ask)).state).toBe('dead')
    const other = { questions: [{ question: 'Deploy 1.5?', options: [] }] }
    expect(await raise(other)).toMatchObject({ status: 409, body: { error: { code: 'duplicate_request' } } })
    // Another request begins another life of it.
    expect((await raise({ requestId: 'ask.2' })).body).toMatchObject({ sessionId: ask.sessionId, epoch: 2 })
    expect((await raise()).body).toMatchObject({ id: ask.id })
  })

  it('F44 has the first ask of a key also when it was withdrawn and asked again as often as the command does that', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const raise = (requestId: string) => raiser.api.ok<Ask>('POST', '/api/asks', { ...question, requestId })
    const first = await raise('ask')
    for (let tries = 1; tries <= 22; tries++) {
      const ask = tries === 1 ? first : await raise(`ask.${tries}`)
      await raiser.api.ok('POST', `/api/asks/${ask.id}/withdraw`)
      await raiser.api.call('POST', '/api/asks/leave', { key: question.program.key })
      await until(async () => (await sessionOf(test, ask)).state === 'dead', 'the session to be over')
    }
    expect(await raise('ask')).toMatchObject({ id: first.id, outcome: { kind: 'withdrawn' } })
  })

  it('[I5] shares nothing with another credential that uses the same key', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const other = await test.credential({ role: 'raiser' })
    const mine = await raiser.api.ok<Ask>('POST', '/api/asks', question)
    const theirs = await other.api.ok<Ask>('POST', '/api/asks', question)
    expect(theirs.id).not.toBe(mine.id)
    expect(theirs.sessionId).not.toBe(mine.sessionId)
    await other.api.call('POST', '/api/asks/leave', { key: question.program.key })
    await until(async () => (await sessionOf(test, theirs)).state === 'dead', 'the other session to be over')
    expect((await raiser.api.ok<Ask>('GET', `/api/asks/${mine.id}`)).outcome).toBeUndefined()
  })

  it('withdraws what is open when it leaves', async () => {
    await using set = await setUp()
    const { raiser } = set
    const ask = await raiser.api.ok<Ask>('POST', '/api/asks', question)
    await raiser.api.call('POST', '/api/asks/leave', { key: question.program.key })
    const settled = await raiser.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=60`)
    expect(settled.outcome).toMatchObject({ kind: 'withdrawn', reason: 'session-ended' })
    expect((await raiser.api.call('POST', '/api/asks/leave', { key: 'unknown' })).status).toBe(204)
  })

  it('is told when a person has ended its session, and asks no more in it', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const ask = await raiser.api.ok<Ask>('POST', '/api/asks', question)
    expect((await test.api.call('DELETE', `/api/sessions/${ask.sessionId}`)).status).toBe(202)
    expect((await raiser.api.ok<Ask>('POST', '/api/asks', question)).outcome).toMatchObject({ kind: 'withdrawn' })
    expect(await raiser.api.call('POST', '/api/asks', { ...question, requestId: 'ask.2' })).toMatchObject({
      status: 409,
      body: { error: { code: 'session_ended' } },
    })
  })

  it('[I3] has its ask open after a restart of the gateway, and gets the answer', async () => {
    const store = createMemoryStore()
    const before = await startTestGateway({ store })
    const raiser = await before.credential({ role: 'raiser' })
    const ask = await raiser.api.ok<Ask>('POST', '/api/asks', question)
    await before[Symbol.asyncDispose]()
    await using after = await startTestGateway({ store })
    const headers = { ...raiser.headers, 'content-type': 'application/json' }
    const again = await fetch(`${after.gateway.url}/api/asks`, {
      method: 'POST',
      headers,
      body: JSON.stringify(question),
    })
    expect(await again.json()).toMatchObject({ id: ask.id, digest: ask.digest })
    expect((await answer(after, ask, 'yes')).status).toBe(200)
    const read = await fetch(`${after.gateway.url}/api/asks/${ask.id}`, { headers })
    expect(await read.json()).toMatchObject({ outcome: { kind: 'answered' } })
    expect((await sessionOf(after, ask)).state).toBe('user_turn')
  })

  it('F12 has its own time limit, which the gateway keeps; a shorter one of the session holds', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const limited = await raiser.api.ok<Ask>('POST', '/api/asks', { ...question, timeoutMs: 7_200_000 })
    expect(limited.expiresAt).toBe(limited.raisedAt + 7_200_000)
    await test.api.ok('POST', '/api/time-limits', { afterMs: 60_000, onTimeout: 'deny' })
    const program = { ...question.program, key: 'other' }
    const shorter = await raiser.api.ok<Ask>('POST', '/api/asks', { ...question, program, timeoutMs: 7_200_000 })
    expect(shorter.expiresAt).toBe(shorter.raisedAt + 60_000)
  })

  it('has a call of Claude Code denied by a rule for Claude Code, and never allowed by one', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const everywhere = { agent: 'claude', scope: { kind: 'everywhere' } }
    await test.api.ok('POST', '/api/policy/rules', { ...everywhere, effect: 'deny', pattern: 'Bash(rm *)' })
    await test.api.ok('POST', '/api/policy/rules', { ...everywhere, effect: 'allow', pattern: 'Bash(echo *)' })
    const { questions: _, ...rest } = question
    const call = (command: string) =>
      raiser.api.ok<Ask>('POST', '/api/asks', {
        ...rest,
        requestId: command,
        kind: 'approval',
        tool: { name: 'Bash', input: { command } },
      })
    expect((await call('echo ok && rm -rf /')).outcome).toMatchObject({ kind: 'denied', via: 'rule' })
    expect((await call('echo ok')).outcome).toBeUndefined()
  })

  it('F35 cannot get around the limit of open asks with a session for each', async () => {
    await using set = await setUp()
    const { raiser } = set
    const replies = []
    for (let n = 0; n <= MAX_OPEN_ASKS; n++) {
      const program = { ...question.program, key: `k${n}` }
      replies.push(await raiser.api.call('POST', '/api/asks', { ...question, program }))
    }
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(MAX_OPEN_ASKS)
    expect(replies.at(-1)).toMatchObject({ status: 429, body: { error: { code: 'too_many_open' } } })
  })

  it('F58 begins no more sessions than the record can take', async () => {
    await using set = await setUp()
    const { raiser } = set
    const codes = new Set<string | undefined>()
    for (let n = 0; n < 120; n++) {
      const program = { ...question.program, key: `k${n}` }
      const { body } = await raiser.api.call<{ error?: { code: string } }>('POST', '/api/asks', {
        ...question,
        program,
      })
      codes.add(body.error?.code)
      await raiser.api.call('POST', '/api/asks/leave', { key: program.key })
    }
    expect([...codes]).toEqual([undefined, 'too_fast'])
  })

  it('I8 needs a credential that is not for some sessions alone, and names a session or a program', async () => {
    await using set = await setUp()
    const { test, raiser } = set
    const { session } = await test.session()
    const narrow = await test.credential({ role: 'raiser', sessionIds: [session.id] })
    expect((await narrow.api.call('POST', '/api/asks', question)).status).toBe(403)
    for (const role of ['owner', 'approver', 'viewer'] as const) {
      const { api } = await test.credential({ role })
      expect((await api.call('POST', '/api/asks', question)).status).toBe(403)
      expect((await api.call('POST', '/api/asks/leave', { key: 'x' })).status).toBe(403)
    }
    const { program: _, ...neither } = question
    for (const wrong of [neither, { ...question, sessionId: session.id }, { ...question, epoch: 1 }])
      expect((await raiser.api.call('POST', '/api/asks', wrong)).status).toBe(422)
  })
})
