import { connect } from 'node:net'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { holdable } from '@holdpoint/testing/held-store'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

describe('streams of server-sent events', () => {
  it('T12 do not begin for a credential that went while its message was being recorded', async () => {
    const held = holdable(createMemoryStore())
    await using test = await startTestGateway({ store: held.store })
    const { session } = await test.session()
    const isIdle = async () => (await test.api.ok<Session>('GET', `/api/sessions/${session.id}`)).state === 'user_turn'
    await until(isIdle, 'the agent to be ready')
    const { device, headers } = await test.credential({ role: 'approver', sessionIds: [session.id] })
    const letGo = held.holdBefore()
    const reply = fetch(`${test.gateway.url}/api/sessions/${session.id}/messages`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'hello' }),
    }).then((response) => response.text())
    await until(() => held.waiting() > 0, 'the message at the store')
    await test.gateway.devices.revoke(device.id)
    letGo()
    expect(await reply.catch(() => '')).toBe('')
  })

  it('I10 leave nothing behind when many are asked for on one connection', async () => {
    await using test = await startTestGateway()
    const { port } = new URL(test.gateway.url)
    const request = `GET /event HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TEST_TOKEN}\r\n\r\n`
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {}).resume()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(request.repeat(20))
    // Streams behind a stream would never be read: whoever asks for them is let go.
    await closed
    await until(() => test.gateway.fanOut.size() === 0, 'nobody listening')
    expect(test.gateway.fanOut.size()).toBe(0)
  })
})
