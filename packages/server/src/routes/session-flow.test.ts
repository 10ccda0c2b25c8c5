import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

interface Sent {
  messageId: string
  queued: number
}

const read = (test: TestGateway, id: string) => test.api.ok<Session>('GET', `/api/sessions/${id}`)
const send = (test: TestGateway, id: string, text: string) =>
  test.api.call<Sent>('POST', `/api/sessions/${id}/messages`, { text })

describe('starting a session', () => {
  it('needs a folder that is one', async () => {
    await using test = await startTestGateway()
    for (const cwd of ['/nowhere/at/all', 'relative', '', '/etc/passwd', `${test.dataDir}\u0000`]) {
      const reply = await test.api.call('POST', '/api/sessions', { agent: 'synthetic', cwd })
      expect(reply, cwd).toMatchObject({ status: 422, body: { error: { code: 'unknown_folder' } } })
    }
    const without = await test.api.call('POST', '/api/sessions', { agent: 'synthetic' })
    expect(without).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_request', issues: [expect.stringContaining('cwd')] } },
    })
    expect(await test.events()).toBe(0)
  })

  it('has the gateway’s time limit for asks unless it says another, or for ever', async () => {
    await using test = await startTestGateway({ timeLimit: { afterMs: 5000, onTimeout: 'deny' } })
    const limit = async (start: object) => (await test.session({ ...start })).session.askTimeoutMs
    expect(await limit({})).toBe(5000)
    expect(await limit({ askTimeoutMs: 60_000 })).toBe(60_000)
    expect(await limit({ askTimeoutMs: null })).toBeUndefined()
    await using unlimited = await startTestGateway()
    expect((await unlimited.session()).session.askTimeoutMs).toBeUndefined()
  })

  it('needs an agent that there is', async () => {
    await using test = await startTestGateway()
    const reply = await test.api.call('POST', '/api/sessions', { agent: 'nobody', cwd: test.dataDir })
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unknown_agent' } } })
  })

  it('says what it was told, and fills in the rest', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    expect(session).toMatchObject({
      agent: 'synthetic',
      permissionMode: 'default',
      gate: 'default',
      onTimeout: 'deny',
      trusted: false,
      openAsks: 0,
      queuedMessages: 0,
      epoch: 1,
    })
    expect(session.projectId).toMatch(/^[A-Za-z0-9-]+$/)
    await until(async () => (await read(test, session.id)).state === 'user_turn', 'the agent')
    expect(agent.start).toMatchObject({ permissionMode: 'default', gate: 'default', trusted: false })
    for (const [field, value] of Object.entries({
      askTimeoutMs: 999,
      onTimeout: 'allow',
      permissionMode: 'root',
      gate: 'none',
      title: '',
      prompt: '',
    })) {
      const reply = await test.api.call('POST', '/api/sessions', {
        agent: 'synthetic',
        cwd: test.dataDir,
        [field]: value,
      })
      expect(reply.status, field).toBe(422)
    }
  })

  it('lists sessions newest first, by state and project', async () => {
    const time = createManualClock()
    await using test = await startTestGateway({ clock: time.clock })
    const [one, two] = [await test.session(), await test.session()]
    await until(async () => (await read(test, two.session.id)).state === 'user_turn', 'the agent')
    time.skip(1000)
    await send(test, one.session.id, 'something')
    const list = async (query = '') =>
      (await test.api.ok<{ sessions: Session[] }>('GET', `/api/sessions${query}`)).sessions.map(({ id }) => id)
    expect(await list()).toEqual([one.session.id, two.session.id])
    await test.api.call('DELETE', `/api/sessions/${two.session.id}`)
    expect(await list('?state=dead')).toEqual([two.session.id])
    expect(await list('?state=alive')).toEqual([one.session.id])
    expect(await list(`?project=${one.session.projectId}`)).toHaveLength(2)
    expect(await list('?project=-other')).toEqual([])
    expect((await test.api.call('GET', '/api/sessions?state=asleep')).status).toBe(422)
  })
})

describe('messages', () => {
  it('wait their turn while the agent works, in order, and can be taken back until they are sent', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    const first = await send(test, session.id, 'first')
    expect(first).toMatchObject({ status: 202, body: { queued: 0 } })
    const second = await send(test, session.id, 'second')
    const third = await send(test, session.id, 'third')
    const fourth = await send(test, session.id, 'fourth')
    expect([second, third, fourth].map(({ body }) => body.queued)).toEqual([1, 2, 3])
    expect(await read(test, session.id)).toMatchObject({ state: 'assistant_turn', queuedMessages: 3 })

    const takeBack = (sent: typeof first) =>
      test.api.call('DELETE', `/api/sessions/${session.id}/messages/${sent.body.messageId}`)
    expect((await takeBack(third)).status).toBe(204)
    for (const late of [third, first])
      expect(await takeBack(late)).toMatchObject({ status: 409, body: { error: { code: 'not_queued' } } })
    expect((await test.api.call('DELETE', `/api/sessions/${session.id}/messages/nothing`)).status).toBe(404)

    await agent.endTurn()
    await agent.endTurn()
    await until(() => agent.messages.length === 3, 'the messages')
    expect(agent.messages.map(({ text }) => text)).toEqual(['first', 'second', 'fourth'])
    expect(new Set(agent.messages.map(({ uuid }) => uuid)).size).toBe(3)
    const { items } = await test.api.ok<{ items: Item[] }>('GET', `/api/sessions/${session.id}/items`)
    expect(items.map((item) => item.type === 'message' && [item.text, item.status])).toEqual([
      ['first', 'sent'],
      ['second', 'sent'],
      ['third', 'cancelled'],
      ['fourth', 'sent'],
    ])
  })

  it('wait while a person is asked', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session({ prompt: 'go' })
    const { ask, outcome } = await test.openAsk(agent)
    expect((await send(test, session.id, 'meanwhile')).body.queued).toBe(1)
    await test.api.answer(ask, { kind: 'allow' })
    await outcome
    expect(agent.messages.length).toBe(1)
    await agent.endTurn()
    await until(() => agent.messages.length === 2, 'the message')
  })

  it('are refused for a session that has ended', async () => {
    await using test = await startTestGateway()
    const { session } = await test.session()
    await test.api.call('DELETE', `/api/sessions/${session.id}`)
    expect(await send(test, session.id, 'hello?')).toMatchObject({
      status: 409,
      body: { error: { code: 'session_ended' } },
    })
  })
})

describe('a session', () => {
  it('pages its items from the newest backwards', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    for (let i = 0; i < 7; i++) await agent.say(`text ${i}`)
    const texts: string[] = []
    let before = ''
    for (;;) {
      const page = await test.api.ok<{ items: Item[]; nextBefore?: number }>(
        'GET',
        `/api/sessions/${session.id}/items?limit=3${before}`,
      )
      texts.unshift(...page.items.map((item) => (item.type === 'message' ? item.text : '')))
      if (page.nextBefore === undefined) break
      before = `&before=${page.nextBefore}`
    }
    expect(texts).toEqual(Array.from({ length: 7 }, (_, index) => `text ${index}`))
    expect((await test.api.call('GET', `/api/sessions/${session.id}/items?limit=0`)).status).toBe(422)
    expect((await test.api.call('GET', `/api/sessions/${session.id}/items?limit=501`)).status).toBe(422)
  })

  it('changes mode and model, is interrupted, ends and is resumed', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session({ prompt: 'go' })
    const post = (what: string, body?: unknown) =>
      test.api.call<Session>('POST', `/api/sessions/${session.id}/${what}`, body)
    expect(await post('mode', { permissionMode: 'plan' })).toMatchObject({
      status: 200,
      body: { permissionMode: 'plan' },
    })
    expect(await post('model', { model: 'other' })).toMatchObject({ status: 200, body: { model: 'other' } })
    await until(() => agent.messages.length === 1, 'the prompt')
    const { ask } = await test.openAsk(agent)
    expect((await post('interrupt')).status).toBe(202)
    expect(agent.interrupts()).toBe(1)
    expect(await test.api.ok('GET', `/api/asks/${ask.id}`)).toMatchObject({
      outcome: { kind: 'withdrawn', reason: 'interrupted' },
    })
    const resume = { agent: 'synthetic', resume: session.id }
    expect(await test.api.call('POST', '/api/sessions', resume)).toMatchObject({
      status: 409,
      body: { error: { code: 'session_alive' } },
    })
    expect((await test.api.call('DELETE', `/api/sessions/${session.id}`)).status).toBe(202)
    expect(await read(test, session.id)).toMatchObject({ state: 'dead', endReason: 'ended-by-person' })
    expect((await post('interrupt')).status).toBe(409)
    expect((await test.api.call('DELETE', `/api/sessions/${session.id}`)).status).toBe(409)
    expect(await test.api.call('POST', '/api/sessions', resume)).toMatchObject({
      status: 201,
      body: { id: session.id, epoch: 2 },
    })
  })
})
