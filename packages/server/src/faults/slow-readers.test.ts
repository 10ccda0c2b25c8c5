import { connect, Socket } from 'node:net'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { requestBytes, UPGRADE } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { clientFrame } from '@holdpoint/testing/web-socket-frames'
import { expect, it, onTestFinished, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const MIB = 1024 * 1024

/** Every socket of this process, the gateway's ends among them. */
function sockets(): Socket[] {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
  return handles.filter((handle) => handle instanceof Socket)
}

/** A client that asks and then never reads. */
function stoppedReader(url: string, kind: 'sse' | 'webSocket'): Socket {
  const { hostname, port } = new URL(url)
  const request =
    kind === 'sse'
      ? requestBytes(url, { path: '/api/events', headers: BEARER })
      : Buffer.concat([
          requestBytes(url, { path: '/api/stream', headers: { ...BEARER, ...UPGRADE } }),
          clientFrame('{"type":"subscribe"}'),
        ])
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
  socket.pause()
  socket.on('error', () => {})
  return socket
}

it('F31 I10 drops readers that have stopped, keeps the others, and holds little for either', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session({ prompt: 'go' })
  const healthy = await Promise.all(Array.from({ length: 3 }, () => openStream(test.gateway.url, BEARER)))
  for (const stream of healthy) stream.send({ type: 'subscribe' })
  const count = LONG ? 100 : 20
  const stopped = Array.from({ length: count }, (_, i) => stoppedReader(test.gateway.url, i % 2 ? 'sse' : 'webSocket'))
  await until(() => test.gateway.fanOut.size() === healthy.length + count, 'everybody listening')
  const from = await test.events()

  const text = 'x'.repeat(8 * 1024)
  const item = { type: 'item', item: { type: 'message', role: 'assistant', text } } as const
  let most = 0
  let written = 0
  while (test.gateway.fanOut.size() > healthy.length) {
    await agent.start.emit(Array.from({ length: 40 }, () => item))
    written += 40
    most = Math.max(most, ...sockets().map((socket) => socket.writableLength))
    // The others keep up: they are in this process too and need their turn.
    const last = await test.events()
    await until(() => healthy.every((stream) => stream.seqs().at(-1) === last), 'the others')
    if (written > 20_000) throw new Error('the stopped readers are still there')
  }
  // What may wait for one client: the high-water mark, and what is written at once on top of it.
  expect(most).toBeLessThan(2 * MIB)
  const last = await test.events()
  for (const stream of healthy) {
    expect(stream.seqs()).toEqual(Array.from({ length: last - from }, (_, index) => from + 1 + index))
    stream.close()
  }
  // They are cut, not only forgotten.
  await until(() => sockets().every((socket) => socket.writableLength < MIB), 'closed connections', 10_000)
  for (const socket of stopped) socket.destroy()
  report(`F31: ${count} stopped readers dropped after ${written} events, at most ${most} bytes waited for one of them`)
})

it('I10 gives a client that is still being sent a large snapshot more time to answer a ping, but not for ever', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await using test = await startTestGateway()
  const input = { file_path: '/f', content: 'x'.repeat(25_000) }
  for (let session = 0; session < 3; session++) {
    const { agent } = await test.session()
    for (let n = 0; n < 90; n++) agent.ask({ tool: { name: 'Write', input } }).catch(() => {})
  }
  const views = test.gateway.ledger.views()
  await until(() => [...views.values()].reduce((sum, { asks }) => sum + asks.size, 0) === 270, 'many asks')
  const socket = stoppedReader(test.gateway.url, 'webSocket')
  const { port } = new URL(test.gateway.url)
  const wire = await until(
    () => sockets().find((each) => each.remotePort === socket.localPort && each.localPort === Number(port)),
    'the connection',
  )
  await until(() => wire.writableLength > 0, 'the snapshot')
  for (let beat = 0; beat < 4; beat++) vi.advanceTimersByTime(30_000)
  expect(wire.destroyed).toBe(false)
  vi.advanceTimersByTime(30_000)
  await until(() => wire.destroyed, 'the end of it')
  socket.destroy()
})

it('I10 lets a client go that asks for replies and does not read them', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const message = 'm'.repeat(60_000)
  await test.api.answer(ask, { kind: 'deny', message })
  const { hostname, port } = new URL(test.gateway.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  socket.on('error', () => {})
  socket.write(requestBytes(test.gateway.url, { path: '/api/stream', headers: { ...BEARER, ...UPGRADE } }))
  // Each of these small frames asks for a reply of 60 KB: the outcome that was first.
  const frame = clientFrame(JSON.stringify({ type: 'answer', ref: 'r', id: ask.id, kind: 'allow', digest: 'x' }))
  const flood = Buffer.concat(Array.from({ length: 4000 }, () => frame))
  const serverEnd = () =>
    sockets().find((each) => each.remotePort === socket.localPort && each.localPort === Number(port))
  const wire = await until(serverEnd, 'the connection')
  let most = 0
  const write = wire.write.bind(wire) as (...given: unknown[]) => boolean
  wire.write = (...given: unknown[]) => {
    const goesOn = write(...given)
    most = Math.max(most, wire.writableLength)
    return goesOn
  }
  socket.write(flood)
  await until(() => wire.destroyed, 'the end of it')
  expect(most).toBeGreaterThan(MIB)
  // 4,000 replies would be 240 MB.
  expect(most).toBeLessThan(24 * MIB)
  socket.destroy()
  report(`I10: at most ${most} bytes of replies waited`)
})
