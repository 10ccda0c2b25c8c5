import type { Outcome } from '@holdpoint/schema/outcome'
import { apiClient } from '@holdpoint/testing/api-client'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startProxy } from '@holdpoint/testing/proxy'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

interface Told {
  readonly status: number
  readonly outcome?: Outcome
  readonly error?: { readonly code: string; readonly outcome?: Outcome }
}

it('F9 I1 lets one of eight concurrent answerers win, and tells the others who it was', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const answerers = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const { api, headers, device } = await test.credential({ role: index % 2 ? 'approver' : 'owner' })
      const stream = await openStream(test.gateway.url, headers)
      return { api, stream, device }
    }),
  )
  const rounds = LONG ? 500 : 40
  const winners = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const { ask, outcome } = await test.openAsk(agent)
    const inTurn = answerers.map((_, index) => answerers[(index + round) % answerers.length] ?? answerers[0])
    const told = await Promise.all(
      inTurn.map(async (answerer, index): Promise<Told> => {
        if (!answerer) throw new Error('nobody')
        const { api, stream } = answerer
        const answer = (index + round) % 3 === 0 ? { kind: 'allow' } : { kind: 'deny', message: `from ${index}` }
        if ((index + round) % 4 < 2) return (await stream.answer(ask, answer)) as unknown as Told
        const { status, body } = await api.answer(ask, answer)
        return { status, ...(body as object) }
      }),
    )
    const won = told.filter(({ status }) => status === 200)
    expect(won.length).toBe(1)
    for (const { status, error } of told.filter((reply) => reply.status !== 200)) {
      expect({ status, code: error?.code, outcome: error?.outcome }).toEqual({
        status: 409,
        code: 'already_settled',
        outcome: won[0]?.outcome,
      })
    }
    expect(await outcome).toEqual(won[0]?.outcome)
    winners.add(won[0]?.outcome?.by?.device ?? '')
  }
  expect([...winners].every((id) => answerers.some(({ device }) => device.id === id))).toBe(true)
  for (const { stream } of answerers) stream.close()
  report(`F9: ${rounds} asks, ${answerers.length} answerers each, ${winners.size} different winners`)
})

it('F10 gives a retry with the same Idempotency-Key the same outcome, and has one effect', async () => {
  await using proxy = await startProxy()
  await using test = await startTestGateway({ publicUrl: proxy.url })
  proxy.connectTo(test.gateway.url)
  const { agent } = await test.session()
  const api = apiClient(proxy.url, TEST_TOKEN)
  const answers = [
    { kind: 'allow' },
    { kind: 'deny', message: 'no', interrupt: true },
    { kind: 'allow', updatedInput: { command: 'echo other', timeout: 3 } },
    { kind: 'allow', remember: { scope: 'session' } },
  ]
  for (const [index, answer] of answers.entries()) {
    const { ask, outcome } = await test.openAsk(agent, { tool: { name: 'Bash', input: { command: `echo ${index}` } } })
    const key = { 'idempotency-key': `try-${index}` }
    proxy.dropResponses(true)
    await expect(api.answer(ask, answer, key)).rejects.toThrow()
    proxy.dropResponses(false)
    const settled = await outcome
    const { outcome: recorded } = (await test.store.ask(ask.id)) ?? {}
    await until(async () => (await test.store.ask(ask.id))?.delivered, 'the delivery')
    const events = await test.events()
    for (let attempt = 0; attempt < 3; attempt++) {
      const retry = await api.answer(ask, answer, key)
      expect(retry.status).toBe(200)
      const { retryKey, ...shown } = settled
      expect(retry.body).toEqual({ outcome: shown })
    }
    expect(recorded).toEqual(settled)
    // Without the key, or with somebody else's, it is a second answer and too late.
    expect((await api.answer(ask, answer)).status).toBe(409)
    const other = await test.credential({ role: 'owner' })
    expect((await other.api.answer(ask, answer, key)).status).toBe(409)
    expect(await test.events()).toBe(events)
  }
  report(`F10: ${answers.length} lost replies, each retried 3 times`)
})

it('F11 refuses the same Idempotency-Key with another body', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const key = { 'idempotency-key': 'k' }
  expect((await test.api.answer(ask, { kind: 'deny', message: 'no' }, key)).status).toBe(200)
  for (const answer of [{ kind: 'allow' }, { kind: 'deny' }, { kind: 'deny', message: 'other' }]) {
    expect(await test.api.answer(ask, answer, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'retry_mismatch' } },
    })
  }
  expect(await outcome).toMatchObject({ kind: 'denied' })
})

describe('F12 an answer that comes too late', () => {
  type Ending = (test: TestGateway, agent: Awaited<ReturnType<TestGateway['session']>>['agent']) => Promise<unknown>
  const endings: [string, Partial<Outcome>, Ending][] = [
    [
      'an interrupt',
      { kind: 'withdrawn', reason: 'interrupted' },
      (test, agent) => test.api.call('POST', `/api/sessions/${agent.start.sessionId}/interrupt`),
    ],
    [
      'the end of the session',
      { kind: 'withdrawn', reason: 'session-ended' },
      (test, agent) => test.api.call('DELETE', `/api/sessions/${agent.start.sessionId}`),
    ],
    ['the death of the agent', { kind: 'withdrawn', reason: 'orphaned' }, async (_, agent) => agent.die()],
  ]
  it.each(endings)('after %s has no effect and hears what happened', async (_, expected, end) => {
    await using test = await startTestGateway()
    const { agent } = await test.session({ prompt: 'go' })
    const { ask } = await test.openAsk(agent)
    await end(test, agent)
    const record = () => test.store.ask(ask.id)
    const outcome = await until(async () => (await record())?.outcome, 'the outcome')
    const reply = await test.api.answer(ask, { kind: 'allow' })
    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'already_settled', outcome: expected } } })
    expect((await record())?.outcome).toEqual(outcome)
  })

  it('after the agent took its ask back hears that too', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const cancel = new AbortController()
    const outcome = agent.ask({ requestId: 'x' }, cancel.signal)
    const [ask] = await until(async () => {
      const list = await test.api.openAsks()
      return list.length > 0 && list
    }, 'the ask')
    if (!ask) throw new Error('no ask')
    cancel.abort()
    expect(await outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    expect(await test.api.answer(ask, { kind: 'allow' })).toMatchObject({ status: 409 })
  })

  it('after the time limit is an expiry, never an answer, even when the timer is late (F13)', async () => {
    const time = createManualClock()
    await using test = await startTestGateway({ clock: time.clock })
    const { agent } = await test.session({ askTimeoutMs: 5000 })
    for (const move of ['advance', 'skip'] as const) {
      const { ask, outcome } = await test.openAsk(agent)
      time[move](5000)
      const reply = await test.api.answer(ask, { kind: 'allow' })
      expect(reply).toMatchObject({
        status: 409,
        body: { error: { code: 'already_settled', outcome: { kind: 'expired' } } },
      })
      expect(await outcome).toMatchObject({ kind: 'expired', via: 'gateway' })
    }
  })

  it('in any order with expiry, cancel, interrupt and death leaves one outcome that everybody agrees on (I1)', async () => {
    const time = createManualClock()
    await using test = await startTestGateway({ clock: time.clock })
    const steps = ['answer', 'answer elsewhere', 'expire', 'cancel', 'interrupt', 'die'] as const
    const numRuns = LONG ? 2000 : 60
    const kinds = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...steps], { minLength: 2 }), fc.boolean(), async (order, together) => {
        const { agent } = await test.session({ askTimeoutMs: 60_000, prompt: 'go' })
        const cancel = new AbortController()
        const heard = agent.ask({}, cancel.signal).catch((error: Error) => error)
        const [ask] = await until(async () => {
          const list = await test.api.openAsks(agent.start.sessionId)
          return list.length > 0 && list
        }, 'the ask')
        if (!ask) throw new Error('no ask')
        const replies: Told[] = []
        const answer = async (what: Record<string, unknown>) => {
          const { status, body } = await test.api.answer(ask, what)
          replies.push({ status, ...(body as object) })
        }
        const act = {
          answer: () => answer({ kind: 'allow' }),
          'answer elsewhere': () => answer({ kind: 'deny' }),
          expire: async () => time.advance(60_000),
          cancel: async () => cancel.abort(),
          interrupt: () => test.api.call('POST', `/api/sessions/${agent.start.sessionId}/interrupt`),
          die: async () => agent.die(),
        }
        if (together) await Promise.all(order.map((step) => act[step]()))
        else for (const step of order) await act[step]()
        const settled = await until(async () => (await test.store.ask(ask.id))?.outcome, 'the outcome')
        kinds.set(settled.kind, (kinds.get(settled.kind) ?? 0) + 1)
        for (const reply of replies) {
          expect(reply.status === 200 ? reply.outcome : reply.error?.outcome).toEqual(settled)
          expect(reply.status).toBeOneOf([200, 409])
        }
        expect(replies.filter(({ status }) => status === 200).length).toBe(settled.by ? 1 : 0)
        const outcome = await heard
        // An agent that died may not hear it; whoever hears something hears this.
        if (!(outcome instanceof Error)) expect(outcome).toEqual(settled)
        const events = await test.store.events({ after: 0, sessionId: ask.sessionId, limit: 1000 })
        expect(events.filter(({ event }) => event.type === 'ask-settled').length).toBe(1)
        await test.api.call('DELETE', `/api/sessions/${agent.start.sessionId}`)
      }),
      { numRuns },
    )
    report(`F12: ${numRuns} orders, outcomes ${JSON.stringify(Object.fromEntries(kinds))}`)
  })
})
