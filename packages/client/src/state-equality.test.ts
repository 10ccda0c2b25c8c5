import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { live, WAYS } from './fixtures/clients.ts'
import { meddleWith } from './fixtures/meddling-transport.ts'
import { play, type Step, sorted, step, truth } from './fixtures/random-run.ts'
import type { GatewayClient } from './gateway-client.ts'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const shown = (client: GatewayClient) => {
  const { sessions, asks, queues } = client.getState()
  return { sessions: sorted(sessions), asks, queues: sorted(queues) }
}

/** Waits until the client has heard everything, and compares. */
async function expectTruth(test: TestGateway, client: GatewayClient, where: string) {
  const isThere = () =>
    client.getState().link === 'live' && JSON.stringify(shown(client)) === JSON.stringify(truth(test))
  await until(isThere, where, 5_000).catch(() => {})
  expect(client.getState().link, where).toBe('live')
  expect(shown(client), where).toEqual(truth(test))
}

async function threeSessions(test: TestGateway) {
  const started = [await test.session({ prompt: 'go' }), await test.session(), await test.session({ prompt: 'go' })]
  return started.map(({ session }) => session)
}

describe.each(Object.entries(WAYS))('over the %s transport', (name, reach) => {
  it('I7 a client shows what the gateway has, whatever happens and however often its stream breaks', async () => {
    let runs = 0
    const run = fc.record({
      steps: fc.array(step, { minLength: 10, maxLength: 40 }),
      cuts: fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(run, async ({ steps, cuts }) => {
        await using test = await startTestGateway()
        const owner = await test.credential({ role: 'owner' })
        const sessions = await threeSessions(test)
        const meddling = meddleWith(reach(test, owner))
        const client = createGatewayClient({ transport: meddling.transport })
        meddling.cutNext(cuts, () => queueMicrotask(client.reconnect))
        const late = steps.length >> 1
        await play(test, sessions, steps.slice(0, late))
        const joined = createGatewayClient({ transport: reach(test, owner) })
        await play(test, sessions, steps.slice(late))
        await expectTruth(test, client, 'the client that was there from the start')
        await expectTruth(test, joined, 'the client that came in the middle')
        client.close()
        joined.close()
        runs++
      }),
      { numRuns: LONG ? 200 : 6, endOnFailure: true },
    )
    report(`${runs} random runs over ${name}`)
  })

  it('F15 a stream that is cut before any one of its frames goes on to the same state', async () => {
    await using test = await startTestGateway()
    const owner = await test.credential({ role: 'owner' })
    const sessions = await threeSessions(test)
    const cuts = LONG ? 120 : 60
    const clients = Array.from({ length: cuts }, (_, number) => {
      const meddling = meddleWith(reach(test, owner))
      const client = createGatewayClient({ transport: meddling.transport })
      meddling.cutNext([number], () => queueMicrotask(client.reconnect))
      return client
    })
    await until(() => clients.at(-1)?.getState().link === 'live', 'the last one to be there from the start')
    const acts: Step['act'][] = [
      'ask',
      'message',
      'say',
      'allow',
      'ask',
      'delta',
      'deny',
      'end',
      'resume',
      'ask',
      'interrupt',
    ]
    await play(
      test,
      sessions,
      acts.flatMap((act, pick) => [0, 1, 2].map((session) => ({ act, session, pick }))),
    )
    for (const [number, client] of clients.entries()) await expectTruth(test, client, `cut before frame ${number}`)
    const settled = await test.store.asks({ status: 'settled', limit: 1000 })
    const watched = clients.at(-1)?.getState().settled ?? []
    expect(watched.length).toBeGreaterThan(0)
    const outcomes = new Map(settled.map(({ ask, outcome }) => [ask.id, outcome?.kind]))
    for (const client of clients) {
      for (const { ask, outcome } of client.getState().settled) expect(outcome.kind).toBe(outcomes.get(ask.id))
      client.close()
    }
    report(`F15: ${cuts} cuts over ${name}`)
  })
})

it('T11 a narrow credential sees its own sessions in the same state as everybody', async () => {
  await using test = await startTestGateway()
  const sessions = await threeSessions(test)
  const own = sessions[0]?.id ?? 'ses_'
  const narrow = await test.credential({ role: 'viewer', sessionIds: [own] })
  const client = createGatewayClient({ transport: WAYS.http(test, narrow) })
  await live(client)
  const acts: Step['act'][] = ['ask', 'message', 'say', 'allow', 'ask']
  await play(
    test,
    sessions,
    acts.flatMap((act, pick) => [0, 1, 2].map((session) => ({ act, session, pick }))),
  )
  const expected = truth(test).asks.filter((ask) => ask.sessionId === own)
  await until(() => client.getState().asks.some((ask) => ask.id === expected.at(-1)?.id), 'its asks')
  expect(client.getState().asks).toEqual(expected)
  expect([...client.getState().sessions.keys()]).toEqual([own])
  client.close()
})
