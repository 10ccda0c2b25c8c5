import { rm } from 'node:fs/promises'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTerminalProgram } from '../terminals/terminal-programs.ts'

interface Sent {
  messageId: string
  queued: number
}

const key = (value: string) => ({ 'idempotency-key': value })
const sendUnder = (test: Pick<TestGateway, 'api'>, id: string, text: string, value: string) =>
  test.api.call<Sent>('POST', `/api/sessions/${id}/messages`, { text }, key(value))
const startUnder = (test: TestGateway, value: string, more: object = {}) =>
  test.api.call<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: test.dataDir, ...more }, key(value))

async function textsOf(test: TestGateway, id: string): Promise<string[]> {
  const { items } = await test.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items?limit=500`)
  return items.flatMap((item) => (item.type === 'message' ? [item.text] : []))
}

/** Another gateway on the same record. */
async function restarted(test: TestGateway, store: ReturnType<typeof createMemoryStore>): Promise<TestGateway> {
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }))
  await test.gateway.close()
  return startTestGateway({ store, dataDir: test.dataDir })
}

describe('a message sent again under its key', () => {
  it('is one message: while it waits, after it went out, and after a restart', async () => {
    const store = createMemoryStore()
    const first = await startTestGateway({ store })
    const { session, agent } = await first.session({ prompt: 'work' })
    const sent = await sendUnder(first, session.id, 'hello', 'k1')
    expect(sent.status).toBe(202)
    expect(await sendUnder(first, session.id, 'hello', 'k1')).toMatchObject({ status: 202, body: sent.body })
    await agent.endTurn()
    await agent.endTurn()
    await sendUnder(first, session.id, 'another', 'k2')
    await agent.endTurn()
    await using second = await restarted(first, store)
    const again = await sendUnder(second, session.id, 'hello', 'k1')
    expect(again).toMatchObject({ status: 202, body: { messageId: sent.body.messageId } })
    expect(await textsOf(second, session.id)).toEqual(['work', 'hello', 'another'])
    expect(agent.messages.map(({ text }) => text)).toEqual(['work', 'hello', 'another'])
  })

  it('still says so when the session has ended meanwhile', async () => {
    await using test = await startTestGateway()
    const { session } = await test.session()
    const sent = await sendUnder(test, session.id, 'hello', 'k')
    await test.api.call('DELETE', `/api/sessions/${session.id}`)
    expect(await sendUnder(test, session.id, 'hello', 'k')).toMatchObject({
      status: 202,
      body: { messageId: sent.body.messageId },
    })
    expect((await sendUnder(test, session.id, 'hello', 'other')).status).toBe(409)
  })

  it('with another text is refused; under the same key of another credential or session it is another message', async () => {
    await using test = await startTestGateway()
    const [one, two] = [await test.session(), await test.session()]
    await sendUnder(test, one.session.id, 'hello', 'k')
    expect(await sendUnder(test, one.session.id, 'other', 'k')).toMatchObject({
      status: 422,
      body: { error: { code: 'retry_mismatch' } },
    })
    const approver = await test.credential({ role: 'approver' })
    expect((await sendUnder(approver, one.session.id, 'hello', 'k')).status).toBe(202)
    expect((await sendUnder(test, two.session.id, 'hello', 'k')).status).toBe(202)
    expect(await textsOf(test, one.session.id)).toEqual(['hello', 'hello'])
    expect(await textsOf(test, two.session.id)).toEqual(['hello'])
  })

  it('is one message however many tries are under way at once', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    const expected = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(12), { minLength: 2, maxLength: 12 }), async (keys) => {
        const replies = await Promise.all(
          keys.map(async (n) => {
            if (n % 3 === 0) await agent.endTurn()
            return sendUnder(test, session.id, `text ${n}`, `k${n}`)
          }),
        )
        for (const n of keys) expected.add(`text ${n}`)
        expect(replies.map(({ status }) => status)).toEqual(keys.map(() => 202))
        expect((await textsOf(test, session.id)).sort()).toEqual([...expected].sort())
      }),
      { numRuns: 20 },
    )
    await until(async () => {
      await agent.endTurn()
      return agent.messages.length === expected.size
    }, 'all of them to be handed over')
    expect(new Set(agent.messages.map(({ text }) => text))).toEqual(expected)
  })
})

describe('a session started again under its key', () => {
  it('is one session with one agent, also after a restart', async () => {
    const store = createMemoryStore()
    const first = await startTestGateway({ store })
    const replies = await Promise.all(['k', 'k', 'k'].map((value) => startUnder(first, value, { prompt: 'go' })))
    const ids = new Set(replies.map(({ status, body }) => `${status} ${body.id}`))
    expect(ids.size).toBe(1)
    const id = replies[0]?.body.id as Session['id']
    const agent = await first.synthetic.agentOf(id)
    await until(() => agent.messages.length > 0, 'the prompt')
    await using second = await restarted(first, store)
    expect(await startUnder(second, 'k', { prompt: 'go' })).toMatchObject({ status: 201, body: { id, epoch: 1 } })
    expect((await second.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions).toHaveLength(1)
    expect(await textsOf(second, id)).toEqual(['go'])
    expect((await startUnder(second, 'another key', { prompt: 'go' })).body.id).not.toBe(id)
  })

  it.each([
    { prompt: 'other' },
    {},
    { prompt: 'go', gate: 'everything' },
    { prompt: 'go', cwd: '/' },
    { prompt: 'go', permissionMode: 'plan' },
    { prompt: 'go', model: 'another' },
  ])('with %j instead is refused', async (other) => {
    await using test = await startTestGateway()
    expect((await startUnder(test, 'k', { prompt: 'go' })).status).toBe(201)
    expect(await startUnder(test, 'k', other)).toMatchObject({
      status: 422,
      body: { error: { code: 'retry_mismatch' } },
    })
    expect((await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions).toHaveLength(1)
  })

  it('resumed again under its key has one new life, and its prompt once', async () => {
    const store = createMemoryStore()
    const first = await startTestGateway({ store })
    const { session } = await first.session()
    const end = (test: TestGateway) => test.api.call('DELETE', `/api/sessions/${session.id}`)
    await end(first)
    const resumption = { resume: session.id, prompt: 'go on' }
    expect(await startUnder(first, 'k', resumption)).toMatchObject({ status: 201, body: { epoch: 2 } })
    expect(await startUnder(first, 'k', resumption)).toMatchObject({ status: 201, body: { epoch: 2 } })
    for (const other of [{ ...resumption, prompt: 'something else' }, { resume: session.id }, { prompt: 'go on' }])
      expect(await startUnder(first, 'k', other)).toMatchObject({ body: { error: { code: 'retry_mismatch' } } })
    expect((await startUnder(first, 'other', resumption)).status).toBe(409)
    await using second = await restarted(first, store)
    expect((await startUnder(second, 'other', resumption)).status).toBe(409)
    await end(second)
    await until(() => !second.gateway.ledger.views().has(session.id), 'the end')
    expect(await startUnder(second, 'later', { resume: session.id })).toMatchObject({ status: 201, body: { epoch: 3 } })
    expect(await startUnder(second, 'later', { resume: session.id })).toMatchObject({ status: 201, body: { epoch: 3 } })
    expect(await textsOf(second, session.id)).toEqual(['go on'])
  })
})

describe('a terminal that is started again under its key', () => {
  const program = { command: 'cat', args: ['a'], cols: 80, rows: 24 }
  const startIn = (test: TestGateway, more: object) =>
    test.api.call<Session>('POST', '/api/terminals', { ...program, cwd: test.dataDir, ...more }, key('k'))

  it('is the one that runs; with another program, folder or environment it is refused', async () => {
    await using test = await startTestGateway()
    const first = await startIn(test, { env: { A: '1' } })
    expect(first.status).toBe(201)
    expect(await startIn(test, { env: { A: '1' } })).toMatchObject({ status: 201, body: { id: first.body.id } })
    const refused = { status: 422, body: { error: { code: 'retry_mismatch' } } }
    for (const other of [{ command: 'rm', args: ['-rf', 'x'] }, { args: ['b'] }, { cwd: '/' }, { env: { A: '2' } }, {}])
      expect(await startIn(test, other), JSON.stringify(other)).toMatchObject(refused)
    expect(await startUnder(test, 'k')).toMatchObject(refused)
    expect((await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions).toHaveLength(1)
  })

  it('is the one that came first where two others are sent at once: what is recorded is what runs', async () => {
    await using test = await startTestGateway()
    for (let round = 0; round < 4; round++) {
      const start = (title: string) =>
        test.api.call<Session>(
          'POST',
          '/api/terminals',
          { ...program, args: [title], title, cwd: test.dataDir },
          key(`at once ${round}`),
        )
      const replies = await Promise.all([start('one'), start('two'), start('one'), start('two')])
      const started = replies.filter(({ status }) => status === 201)
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
      const [{ id, title } = { id: '', title: '' }] = started.map(({ body }) => body)
      expect(await readTerminalProgram(test.store.records, id)).toMatchObject({ args: [title] })
      for (const again of ['one', 'two']) expect((await start(again)).status).toBe(again === title ? 201 : 422)
    }
  })

  it('may be sent with another program where the first was not started', async () => {
    await using test = await startTestGateway()
    expect(await startIn(test, { cwd: `${test.dataDir}/nowhere` })).toMatchObject({ status: 422 })
    expect((await startIn(test, {})).status).toBe(201)
  })
})
