import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createPagePass } from '@holdpoint/client/page-pass'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { holdable } from '@holdpoint/testing/held-store'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { requestBytes, sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const JSON_BODY = { 'content-type': 'application/json' }
const bearer = { authorization: `Bearer ${TEST_TOKEN}` }

/** Bytes of which the last are sent only when it is told to. */
async function halfSent(url: string, bytes: Buffer, left: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    text += data
  })
  const over = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
  })
  socket.write(bytes.subarray(0, bytes.length - left))
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    /** All that came back, when the gateway has ended the connection. */
    async finish(): Promise<string> {
      socket.write(bytes.subarray(bytes.length - left))
      await over
      return text
    },
  }
}

/** What a stranger needs who has the port and wants a credential of his own, each of it begun while the gateway ran. */
async function begunByStranger(test: TestGateway) {
  const { url } = test.gateway
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const { device, secret, proofKey } = await test.api.ok<{ device: { id: string }; secret: string; proofKey: string }>(
    'POST',
    '/api/login',
    { code },
  )
  let sealed = ''
  const page = createPagePass({
    baseUrl: url,
    fetch: (address, init) => {
      if (String(address).endsWith('/api/passes')) sealed = String(init?.body)
      return fetch(address, init)
    },
  })
  const pass = await page.of({ device: device.id, secret, proofKey })
  const unused = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const bodies = {
    '/api/proofs': JSON.stringify({ device: device.id, nonce: 'n'.repeat(43) }),
    '/api/passes': sealed,
    '/api/pairings': JSON.stringify({ role: 'owner' }),
    '/api/login': JSON.stringify({ code: unused.code, bearer: true }),
  }
  const headers = { ...JSON_BODY, origin: url, 'x-holdpoint-secret': pass ?? '' }
  return Promise.all(
    Object.entries(bodies).flatMap(([path, body]) => {
      const bytes = requestBytes(url, { method: 'POST', path, headers, body })
      // Cut in the body, and in the head.
      return [halfSent(url, bytes, 5), halfSent(url, bytes, body.length + 9)]
    }),
  )
}

/** Whether somebody else can have the port. */
function takePort(url: string): Promise<(() => void) | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.on('error', () => resolve(undefined))
    server.listen(Number(new URL(url).port), '127.0.0.1', () => resolve(() => void server.close()))
  })
}

it('T64 refuses every call from the tick in which it begins to close, and has the port until nobody is connected', async () => {
  const held = holdable(createMemoryStore())
  await using test = await startTestGateway({ store: held.store })
  const { url } = test.gateway
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const begun = await begunByStranger(test)
  const socket = await openJsonSocket(url, '/api/stream', bearer)
  const devices = JSON.stringify(await held.store.records.list('devices'))
  // One answer is being written when the gateway begins to close.
  const release = held.holdBefore()
  const answer = { kind: 'deny', digest: ask.digest }
  const answered = test.api.call('POST', `/api/asks/${ask.id}/answer`, answer)
  await until(() => held.waiting() > 0, 'the answer to be written')

  const closing = test.gateway.close()
  const fresh = [
    ...['/api/me', '/api/health', '/api/events', '/', '/api/nothing'].map((path) => ({ path, headers: bearer })),
    { path: '/api/stream', headers: { ...bearer, ...UPGRADE } },
    { method: 'POST', path: `/api/asks/${ask.id}/answer`, headers: bearer, body: JSON.stringify(answer) },
  ]
  for (const request of fresh) {
    const reply = await sendRaw(url, {
      ...request,
      headers: { ...JSON_BODY, ...request.headers },
    })
    expect([request.path, reply?.status, JSON.parse(reply?.body ?? '').error.code]).toEqual([
      request.path,
      503,
      'closing',
    ])
  }
  const finished = begun.map((one) => one.finish())
  expect(await takePort(url)).toBeUndefined()
  release()
  await closing

  expect((await answered).status).toBe(200)
  await expect(outcome).rejects.toMatchObject({ code: 'detached' })
  expect((await socket.closed).code).toBe(1001)
  for (const reply of await Promise.all(finished)) expect(reply).toMatch(/^HTTP\/1.1 503 .*"code":"closing"/s)
  expect(JSON.stringify(await held.store.records.list('devices'))).toBe(devices)
  const free = await takePort(url)
  expect(free).toBeDefined()
  free?.()
})

it('T64 answers nobody any more when somebody else can have the port', async () => {
  await using test = await startTestGateway()
  const { url } = test.gateway
  const begun = await begunByStranger(test)
  const closing = test.gateway.close()
  const free = await until(() => takePort(url), 'the port')
  expect(await Promise.all(begun.map((one) => one.finish()))).toEqual(begun.map(() => ''))
  free()
  await closing
})

// A gateway that waited for one of these would wait for ten minutes.
const patience = { head: 600_000, request: 600_000, goodbye: 600_000, taking: 600_000 }

it('waits for nobody who has sent half a request when it closes', { timeout: 20_000 }, async () => {
  await using test = await startTestGateway({ patience })
  const { url } = test.gateway
  const body = JSON.stringify({ role: 'owner' })
  const bytes = requestBytes(url, { method: 'POST', path: '/api/pairings', headers: { ...JSON_BODY, ...bearer }, body })
  const begun = await Promise.all([5, body.length + 9, bytes.length].map((left) => halfSent(url, bytes, left)))
  await test.gateway.close()
  expect(await Promise.all(begun.map((one) => one.finish()))).toEqual(['', '', ''])
})

it('waits for nobody who has sent half a TLS handshake when it closes', { timeout: 20_000 }, async () => {
  const tls = {} as { cert: Buffer; key: Buffer }
  await using test = await startTestGateway({ patience, tls })
  const begun = await halfSent(test.gateway.url, Buffer.from('\x16\x03\x01\x02'), 1)
  await test.gateway.close()
  expect(await begun.finish()).toBe('')
})
