import type { Device } from '@holdpoint/schema/device'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createConnections } from './connections.ts'

const token: Device = { id: 'dev_1', name: 'x', role: 'owner', createdAt: 0, lastSeenAt: 0 }
const browser: Device = { ...token, id: 'dev_2', expiresAt: 1 }

it('I10 counts by credential, more for programs than for browsers, and out again', () => {
  const connections = createConnections({ connectionsPerBrowser: 2, connectionsPerToken: 3 })
  const held = [browser, browser, browser, token, token, token, token].map((device) =>
    connections.hold(device, () => {}),
  )
  expect(held.map((release) => release !== undefined)).toEqual([true, true, false, true, true, true, false])
  held[0]?.()
  expect(connections.hold(browser, () => {})).toBeDefined()
})

it('T12 closes what one credential has open, and nothing else', () => {
  const connections = createConnections({ connectionsPerBrowser: 9, connectionsPerToken: 9 })
  const closed: string[] = []
  connections.hold(token, () => closed.push('token 1'))
  const release = connections.hold(token, () => closed.push('token 2'))
  connections.hold(browser, () => closed.push('browser'))
  release?.()
  connections.closeAll(token.id)
  expect(closed).toEqual(['token 1'])
})

it('F58 closes replies that are on their way with their credential, and counts none of them as a stream', () => {
  const connections = createConnections({ connectionsPerBrowser: 1, connectionsPerToken: 1 })
  const closed: string[] = []
  const taken = connections.holdReply(token.id, () => closed.push('reply 1'))
  connections.holdReply(token.id, () => closed.push('reply 2'))
  connections.holdReply(browser.id, () => closed.push('reply of another'))
  expect(connections.hold(token, () => closed.push('stream'))).toBeDefined()
  taken()
  connections.closeAll(token.id)
  expect(closed).toEqual(['stream', 'reply 2'])
})

it('I10 refuses streams past the limit, SSE and WebSocket together, until one is closed', async () => {
  await using test = await startTestGateway({ limits: { connectionsPerBrowser: 1, connectionsPerToken: 3 } })
  const { headers } = await test.credential({ role: 'viewer' })
  const first = await openStream(test.gateway.url, headers)
  const leave = new AbortController()
  await fetch(`${test.gateway.url}/api/events`, { headers, signal: leave.signal })
  const third = await openStream(test.gateway.url, headers)
  await expect(openStream(test.gateway.url, headers)).rejects.toThrow('refused: 429')
  const refused = await fetch(`${test.gateway.url}/api/events`, { headers })
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { code: 'too_many_connections' } })
  leave.abort()
  const again = await until(() => openStream(test.gateway.url, headers).catch(() => undefined), 'room')
  for (const stream of [first, third, again]) stream.close()
})
