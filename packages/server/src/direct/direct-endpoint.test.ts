import { StoreFault } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { overrideStore } from '@holdpoint/testing/override-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

// What it shares with the network is in the contract suite of transports, in the client package.

it('has no place for what is not JSON: streams, figures, files', async () => {
  await using test = await startTestGateway()
  const { device } = await test.credential({ role: 'owner' })
  const endpoint = test.gateway.direct(device.id)
  const file = await test.gateway.attachments.save('text/plain', Buffer.from('x'))
  for (const path of ['/metrics', '/api/events', `/api/attachments/${file}`]) {
    const reply = await endpoint.call({ method: 'GET', path })
    expect(reply.status, path).toBe(422)
    expect(reply.body, path).toContain('not_supported')
  }
  expect(test.gateway.fanOut.size()).toBe(0)
})

it('I10 takes no more than the network does', async () => {
  await using test = await startTestGateway()
  const { device } = await test.credential({ role: 'owner' })
  const endpoint = test.gateway.direct(device.id)
  const post = (body: Uint8Array, contentType = 'application/json') =>
    endpoint.call({ method: 'POST', path: '/api/pairings', body, contentType })
  expect((await post(new Uint8Array(2 * 1024 * 1024))).status).toBe(413)
  expect((await post(new TextEncoder().encode('{}'), 'text/plain')).status).toBe(415)
  expect((await post(new TextEncoder().encode('{"role":"owner","role":"viewer"}'))).status).toBe(400)
  expect((await endpoint.call({ method: 'GET', path: 'no path' })).status).toBe(404)
})

it('I4 says that the store took nothing, and tells the log', async () => {
  let isFull = false
  const store = createMemoryStore()
  const failing = overrideStore(store, {
    append: (appends) => (isFull ? Promise.reject(new StoreFault('full', 'no space left')) : store.append(appends)),
  })
  await using test = await startTestGateway({ store: failing })
  const { session } = await test.session()
  const { device } = await test.credential({ role: 'owner' })
  const endpoint = test.gateway.direct(device.id)
  isFull = true
  const reply = await endpoint.call({ method: 'DELETE', path: `/api/sessions/${session.id}` })
  isFull = false
  expect(reply.status).toBe(503)
  expect(test.logged.join('\n')).toContain('no space left')
})

it('T12 ends a stream when its device goes, in the middle of whatever it was told', async () => {
  await using test = await startTestGateway()
  const { device } = await test.credential({ role: 'viewer' })
  const { agent } = await test.session()
  const happened: string[] = []
  const stream = test.gateway.direct(device.id).stream({
    onOpen: () => stream.send(JSON.stringify({ type: 'subscribe' })),
    onFrame: (text) => happened.push((JSON.parse(text) as { type: string }).type),
    onEnd: (end) => happened.push(end),
  })
  await until(() => happened.length > 0, 'the snapshot')
  await test.gateway.devices.revoke(device.id)
  await agent.say('not for it')
  await until(() => happened.includes('unauthorized'), 'the end')
  expect(happened).toEqual(['snapshot', 'unauthorized'])
  expect(test.gateway.fanOut.size()).toBe(0)
})

it('opens no stream for a role that may not read', async () => {
  await using test = await startTestGateway()
  const { device } = await test.credential({ role: 'raiser' })
  const ends: string[] = []
  test.gateway.direct(device.id).stream({
    onOpen: () => ends.push('open'),
    onFrame: () => ends.push('frame'),
    onEnd: (end) => ends.push(end),
  })
  await until(() => ends.length > 0, 'the end')
  expect(ends).toEqual(['lost'])
})
