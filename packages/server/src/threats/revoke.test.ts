import { connect } from 'node:net'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { holdable } from '@holdpoint/testing/held-store'
import { requestBytes } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

type Credential = Awaited<ReturnType<TestGateway['credential']>>

const revoke = (test: TestGateway, { device }: Credential) => test.api.call('DELETE', `/api/devices/${device.id}`)

/** Round trips through the gateway: whatever it was about to do by itself, it has done. */
async function turns(test: TestGateway, count = 5) {
  for (let i = 0; i < count; i++) await test.api.call('GET', '/api/health')
}

async function openAskFor(test: TestGateway) {
  const { agent } = await test.session()
  const credential = await test.credential({ role: 'approver' })
  return { agent, credential, ...(await test.openAsk(agent)) }
}

describe('T12 a revoked credential', () => {
  it('does not answer with a body that arrives after the revoke', async () => {
    await using test = await startTestGateway()
    const { ask, credential } = await openAskFor(test)
    const bytes = requestBytes(test.gateway.url, {
      method: 'POST',
      path: `/api/asks/${ask.id}/answer`,
      headers: { ...credential.headers, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ kind: 'allow', digest: ask.digest }),
    })
    const { hostname, port } = new URL(test.gateway.url)
    for (const cut of [bytes.indexOf('\r\n\r\n') + 4, bytes.length - 1]) {
      const another = await test.credential({ role: 'approver' })
      const own = Buffer.from(bytes.toString().replace(credential.secret, another.secret))
      const socket = connect({ host: hostname, port: Number(port) })
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk.toString()
      })
      const seenBefore = another.device.lastSeenAt
      socket.write(own.subarray(0, cut))
      await until(() => (test.gateway.devices.current(another.device.id)?.lastSeenAt ?? 0) >= seenBefore, 'the head')
      await turns(test)
      expect((await revoke(test, another)).status).toBe(204)
      socket.write(own.subarray(cut))
      await new Promise((resolve) => socket.on('close', resolve))
      expect(received).toMatch(/^HTTP\/1.1 401/)
    }
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
  })

  it('is refused from the next call on', async () => {
    await using test = await startTestGateway()
    const { ask, credential } = await openAskFor(test)
    expect((await revoke(test, credential)).status).toBe(204)
    expect((await credential.api.answer(ask, { kind: 'allow' })).status).toBe(401)
    expect((await credential.api.call('GET', '/api/asks')).status).toBe(401)
    expect((await revoke(test, credential)).status).toBe(404)
  })

  it('loses its open streams, and only its own', async () => {
    // Without the beat, which would close them too, but later.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await using test = await startTestGateway()
    const { ask, credential } = await openAskFor(test)
    const other = await test.credential({ role: 'viewer' })
    const socket = await openStream(test.gateway.url, credential.headers)
    const kept = await openStream(test.gateway.url, other.headers)
    for (const stream of [socket, kept]) stream.send({ type: 'subscribe' })
    const events = await fetch(`${test.gateway.url}/api/events`, { headers: credential.headers })
    await until(() => test.gateway.fanOut.size() === 3, 'three listeners')
    await revoke(test, credential)
    socket.socket.send(JSON.stringify({ type: 'answer', ref: 'r', id: ask.id, kind: 'allow', digest: ask.digest }))
    await socket.closed
    await expect(events.text()).rejects.toThrow()
    await until(() => test.gateway.fanOut.size() === 1, 'one listener')
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
    await test.api.answer(ask, { kind: 'deny' })
    await until(() => kept.messages.some((message) => message.event?.type === 'ask-settled'), 'the event')
    kept.close()
  })

  it('has no answer committed after the revoke is acknowledged: one that is being written comes before', async () => {
    const held = holdable(createMemoryStore())
    await using test = await startTestGateway({ store: held.store })
    const { ask, credential } = await openAskFor(test)
    const order: string[] = []
    test.gateway.ledger.subscribe((stored) => {
      for (const { event } of stored) if (event.type === 'ask-settled') order.push('committed')
    })
    await until(() => held.waiting() === 0, 'a quiet store')
    const release = held.holdBefore()
    const answered = credential.api.answer(ask, { kind: 'allow' })
    await until(() => held.waiting() === 1, 'the commit')
    const revoked = revoke(test, credential).then(({ status }) => order.push(`acknowledged ${status}`))
    await until(() => !test.gateway.devices.current(credential.device.id), 'the revoke')
    await turns(test)
    release()
    await Promise.all([answered, revoked])
    expect(order).toEqual(['committed', 'acknowledged 204'])
  })

  it('has no answer decided that was waiting for its turn', async () => {
    const held = holdable(createMemoryStore())
    await using test = await startTestGateway({ store: held.store })
    const { agent, ask, credential } = await openAskFor(test)
    const socket = await openStream(test.gateway.url, (await test.credential({ role: 'approver' })).headers)
    await until(() => held.waiting() === 0, 'a quiet store')
    const release = held.holdBefore()
    const said = agent.say('something that takes long to write')
    await until(() => held.waiting() === 1, 'the commit')
    const answered = credential.api.answer(ask, { kind: 'allow' })
    const batch = credential.api.call<{ results: { status: number }[] }>('POST', '/api/asks/answer', {
      answers: [{ id: ask.id, kind: 'allow', digest: ask.digest }],
    })
    await turns(test)
    const revoked = revoke(test, credential)
    await until(() => !test.gateway.devices.current(credential.device.id), 'the revoke')
    release()
    expect((await answered).status).toBe(404)
    expect((await batch).body.results[0]?.status).toBe(404)
    expect((await revoked).status).toBe(204)
    await said
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
    socket.close()
  })

  it('does not hear the outcome that it was waiting for', async () => {
    await using test = await startTestGateway()
    const { ask, credential } = await openAskFor(test)
    const waiting = credential.api.call('GET', `/api/asks/${ask.id}?wait=30`)
    await turns(test)
    await revoke(test, credential)
    await test.api.answer(ask, { kind: 'deny', message: 'a secret reason' })
    expect(await waiting).toMatchObject({ status: 401 })
  })
})

it('T12 a credential that has run out loses its streams at the next beat', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let later = 0
  await using test = await startTestGateway({ clock: { ...systemClock, now: () => Date.now() + later } })
  const browser = await test.credential({ role: 'viewer' }, 'browser')
  const socket = await openStream(test.gateway.url, { ...browser.headers, origin: test.gateway.url })
  socket.send({ type: 'subscribe' })
  const events = await fetch(`${test.gateway.url}/api/events`, { headers: browser.headers })
  await until(() => test.gateway.fanOut.size() === 2, 'two listeners')
  vi.advanceTimersByTime(30_000)
  expect(test.gateway.fanOut.size()).toBe(2)
  later = 13 * 60 * 60 * 1000
  vi.advanceTimersByTime(30_000)
  expect(await socket.closed).toMatchObject({ code: 1008 })
  await expect(events.text()).rejects.toThrow()
  await until(() => test.gateway.fanOut.size() === 0, 'no listeners')
})
