import { connect } from 'node:net'
import type { AskRecord } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import { apiClient } from '@holdpoint/testing/api-client'
import { report } from '@holdpoint/testing/long'
import { startProxy } from '@holdpoint/testing/proxy'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { clientFrame } from '@holdpoint/testing/web-socket-frames'
import { expect, it } from 'vitest'

const CLOSE = clientFrame(Buffer.from([3, 232]), { opcode: 8 })

/** Plays what a client once sent on a connection of its own, and waits for the server to be through with it. */
async function replay(url: string, recording: Buffer) {
  const isSocket = recording.includes('Upgrade: websocket')
  const host = /host: (\S+)/i.exec(recording.toString('latin1'))?.[1]
  const last = `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.resume()
  socket.write(Buffer.concat([recording, isSocket ? CLOSE : Buffer.from(last)]))
  await new Promise((resolve) => socket.on('close', resolve))
}

it('T13 has no effect when everything that was sent in a run of answers is sent again, by the same user or another', async () => {
  await using proxy = await startProxy()
  await using test = await startTestGateway({ publicUrl: proxy.url })
  proxy.connectTo(test.gateway.url)
  const { session, agent } = await test.session()
  const owner = await test.credential({ role: 'owner' })
  const raiser = await test.credential({ role: 'raiser', sessionIds: [session.id] })
  const doomed = await test.credential({ role: 'viewer' })
  const { code } = test.gateway.devices.newCode({ role: 'approver' })
  const api = apiClient(proxy.url, owner.secret)
  const raising = apiClient(proxy.url, raiser.secret)

  const opened = []
  for (const command of ['a', 'b', 'c', 'd', 'e', 'f']) {
    opened.push(await test.openAsk(agent, { tool: { name: 'Bash', input: { command } } }))
  }
  const [a, b, c, d, e, f] = opened.map(({ ask }) => ask) as [Ask, Ask, Ask, Ask, Ask, Ask]

  await api.call('POST', `/api/asks/${a.id}/seen`)
  await api.answer(a, { kind: 'allow', remember: { scope: 'session' } }, { 'idempotency-key': 'one' })
  await api.answer(b, { kind: 'deny', message: 'no' })
  await api.answer(b, { kind: 'allow' })
  await api.call('POST', '/api/asks/answer', { answers: [{ id: c.id, kind: 'allow', digest: c.digest }] })
  const { rules } = await api.ok<{ rules: { id: string }[] }>('GET', '/api/rules')
  await api.call('DELETE', `/api/rules/${rules[0]?.id}`)
  const request = {
    sessionId: session.id,
    kind: 'approval',
    title: 'x',
    tool: { name: 'x', input: {} },
    context: { cwd: '/' },
  }
  const raised = await raising.ok<Ask>('POST', '/api/asks', { ...request, requestId: 'mine' })
  const taken = await raising.ok<Ask>('POST', '/api/asks', { ...request, requestId: 'taken back' })
  await raising.call('POST', `/api/asks/${taken.id}/withdraw`)
  await api.answer(raised, { kind: 'allow' })
  await raising.call('GET', `/api/asks/${raised.id}?wait=1`)
  await api.call('DELETE', `/api/devices/${doomed.device.id}`)
  expect((await api.call('POST', '/api/login', { code, bearer: true })).status).toBe(200)
  const stream = await openStream(proxy.url, owner.headers)
  stream.send({ type: 'subscribe' })
  expect(await stream.answer(d, { kind: 'allow' })).toMatchObject({ status: 200 })
  expect(await stream.answer(e, { kind: 'deny' })).toMatchObject({ status: 200 })
  expect(await stream.answer(f, { kind: 'allow', updatedInput: { command: 'edited' } })).toMatchObject({ status: 200 })
  await Promise.all(opened.map(({ outcome }) => outcome))
  const all = () => test.store.asks({ status: 'all', limit: 100 })
  const isThrough = ({ outcome, delivered }: AskRecord) => outcome?.kind === 'withdrawn' || delivered
  await until(async () => (await all()).every(isThrough), 'every delivery')
  expect(await api.openAsks()).toEqual([])

  const { store } = test
  const { devices } = test.gateway
  const state = async () => ({
    events: await store.lastSeq(),
    asks: await store.asks({ status: 'all', limit: 100 }),
    devices: devices.list().map(({ id, role }) => ({ id, role })),
  })
  const recordings = proxy.recordings()
  const frames = [...stream.sent]
  const other = await test.credential({ role: 'approver' })
  const before = await state()
  expect(before.asks.length).toBe(8)

  for (const text of frames) stream.send(text)
  await until(() => stream.messages.filter((message) => message.type === 'answered').length === 6, 'six replies')
  for (const recording of recordings) await replay(test.gateway.url, recording)
  for (const secret of [owner.secret, raiser.secret]) {
    for (const recording of recordings) {
      const stolen = recording.toString('latin1').replaceAll(secret, other.secret)
      await replay(test.gateway.url, Buffer.from(stolen, 'latin1'))
    }
  }
  // Commits are in order: with this one through, so is whatever the replays may have set off.
  await agent.say('the end')
  const after = await state()
  expect(after).toEqual({ ...before, events: before.events + 1 })
  expect(stream.messages.filter((message) => message.status === 409).length).toBe(3)
  const bytes = recordings.reduce((sum, recording) => sum + recording.length, 0)
  report(`T13: ${recordings.length} connections (${bytes} bytes) and ${frames.length} frames, each replayed 3 times`)
  stream.close()
})
