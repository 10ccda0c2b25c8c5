import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createGatewayClient } from './create-gateway-client.ts'
import { live } from './fixtures/clients.ts'
import type { LinkState } from './gateway-client.ts'
import { createHttpTransport } from './http-transport.ts'

it('[I7] a client goes on from its cursor at another gateway of the same log, and answers there', async () => {
  const shared = createMemoryCluster()
  await using b = await startTestGateway(shared.node('machine b'))
  const a = await startTestGateway(shared.node('machine a'))
  const { agent } = await b.session()
  const { ask: earlier } = await b.openAsk(agent)
  const baseUrl = [a.gateway.url, `${b.gateway.url}/`]
  const client = createGatewayClient({ transport: createHttpTransport({ baseUrl, token: TEST_TOKEN, WebSocket }) })
  const states: LinkState[] = []
  let fewest = 1
  try {
    await live(client)
    await until(() => client.getState().asks.length === 1, 'the ask')
    client.subscribe(() => {
      states.push(client.getState().link)
      fewest = Math.min(fewest, client.getState().asks.length)
    })
    await a[Symbol.asyncDispose]()
    const { ask, outcome } = await b.openAsk(agent, { tool: { name: 'Bash', input: { command: 'ls' } } })
    await until(() => client.getState().asks.some(({ id }) => id === ask.id), 'the ask of the other gateway')
    expect(client.getState().asks.map(({ id }) => id)).toEqual([earlier.id, ask.id])
    expect(await client.answer(ask, { kind: 'allow' })).toMatchObject({ ok: true, value: { kind: 'allowed' } })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    // Nothing was dropped from sight: the cursor held.
    expect(states).toContain('stale')
    expect(states).not.toContain('connecting')
    expect(fewest).toBe(1)
  } finally {
    client.close()
  }
})

it('takes several addresses with a token only', () => {
  const baseUrl = ['https://a.example', 'https://b.example']
  expect(() => createHttpTransport({ baseUrl })).toThrow(TypeError)
  expect(() => createHttpTransport({ baseUrl: [], token: TEST_TOKEN })).toThrow(TypeError)
})
