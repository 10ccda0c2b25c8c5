import { connect } from 'node:net'
import { eventsIn } from '@holdpoint/testing/event-source'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { requestBytes, UPGRADE } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { isInMemory } from '@holdpoint/testing/test-store'
import { until } from '@holdpoint/testing/until'
import { clientFrame, serverFrames } from '@holdpoint/testing/web-socket-frames'
import { describe, expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

/** One way to follow the log: what to send, and which events the bytes that came hold, as far as they are whole. */
interface Transport {
  request(url: string, after: string | undefined): Buffer
  read(body: Buffer): { seq: number; type: string }[]
}

const sse: Transport = {
  request: (url, after) =>
    requestBytes(url, {
      path: '/api/events',
      headers: { ...BEARER, ...(after !== undefined && { 'Last-Event-ID': after }) },
    }),
  read(body) {
    return eventsIn(dechunked(body).toString()).flatMap(({ id, event: type }) => {
      const seq = /^(\d+)(?:-[0-9a-f]{16})?$/.exec(id ?? '')?.[1]
      return seq && type ? [{ seq: Number(seq), type }] : []
    })
  },
}

const webSocket: Transport = {
  request: (url, after) =>
    Buffer.concat([
      requestBytes(url, { path: '/api/stream', headers: { ...BEARER, ...UPGRADE } }),
      clientFrame(JSON.stringify({ type: 'subscribe', ...(after !== undefined && { after }) })),
    ]),
  read: (body) =>
    serverFrames(body).flatMap(({ opcode, payload }) => {
      if (opcode !== 1) return []
      const message = JSON.parse(payload.toString()) as { type: string; seq: number; event?: { type: string } }
      return message.type === 'live' ? [] : [{ seq: message.seq, type: message.event?.type ?? message.type }]
    }),
}

/** The bytes of whole and cut chunks alike: a client sees them before their chunk is complete. */
function dechunked(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at)
    if (lineEnd < 0) break
    const size = Number.parseInt(body.subarray(at, lineEnd).toString(), 16)
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(parts)
}

/** Reads until `enough` says so and cuts the connection there. Gives what came after the response's head. */
function readUntil(url: string, request: Buffer, enough: (body: Buffer) => boolean): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    let received = Buffer.alloc(0)
    const timer = setTimeout(() => reject(new Error(`only ${received.length} bytes came`)), 20_000)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const head = received.indexOf('\r\n\r\n')
      if (head < 0 || !enough(received.subarray(head + 4))) return
      clearTimeout(timer)
      socket.destroy()
      resolve(received.subarray(head + 4))
    })
    socket.on('error', reject)
  })
}

async function someRun(test: TestGateway) {
  const { agent } = await test.session({ prompt: 'go' })
  for (let i = 0; i < 6; i++) {
    await agent.say(`text number ${i}: ünïcödé 🙂`)
    const { ask, outcome } = await test.openAsk(agent)
    await test.api.answer(ask, { kind: i % 2 ? 'allow' : 'deny' })
    await outcome
  }
  const settled = () => test.store.asks({ status: 'all', limit: 100 })
  await until(async () => (await settled()).every(({ delivered }) => delivered), 'every delivery')
  return agent
}

describe.each(Object.entries({ sse, webSocket }))('F15 I7 a %s stream', (name, transport) => {
  it('that is cut anywhere goes on from its cursor, each durable event exactly once', async () => {
    await using test = await startTestGateway()
    const { url } = test.gateway
    const agent = await someRun(test)
    const count = await test.events()
    const seqsOf = (body: Buffer) => transport.read(body).map(({ seq }) => seq)
    const has = (last: number) => (body: Buffer) => seqsOf(body).at(-1) === last
    const whole = await readUntil(url, transport.request(url, '0'), has(count))
    expect(seqsOf(whole)).toEqual(Array.from({ length: count }, (_, index) => index + 1))

    // At every byte in memory; a database takes its time.
    const wanted = !LONG ? 120 : isInMemory() ? whole.length : 1000
    const step = Math.ceil(whole.length / wanted)
    let cuts = 0
    for (let offset = 1; offset < whole.length; offset += step) {
      const first = await readUntil(url, transport.request(url, '0'), (body) => body.length >= offset)
      const before = seqsOf(first.subarray(0, offset))
      // Now and then something happens while the client is away.
      if (cuts % 20 === 0) await agent.say('meanwhile')
      const last = await test.events()
      const cut = before.at(-1) ?? 0
      const cursor = await test.cursorAt(cut)
      const rest = cut === last ? [] : seqsOf(await readUntil(url, transport.request(url, cursor), has(last)))
      expect([...before, ...rest], `cut after byte ${offset}`).toEqual(Array.from({ length: last }, (_, i) => i + 1))
      cuts++
    }
    report(`F15: ${cuts} cuts of ${whole.length} bytes over ${name}`)
  })

  it('gets a snapshot for no cursor, and for a cursor that the log does not know', async () => {
    await using test = await startTestGateway()
    const { url } = test.gateway
    await someRun(test)
    const count = await test.events()
    const mark = (await test.cursorAt(count)).slice(-16)
    const unknown = [
      `${count + 1}-${mark}`,
      `${count - 1}-${mark}`,
      String(count),
      'x',
      '999999999',
      '-1',
      `1-${'0'.repeat(16)}`,
    ]
    for (const after of [undefined, ...unknown]) {
      const body = await readUntil(url, transport.request(url, after), (bytes) => transport.read(bytes).length > 0)
      expect(transport.read(body)[0]).toEqual({ seq: count, type: 'snapshot' })
    }
  })
})

it('I7 loses and repeats nothing for clients that come and go while events are written', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session({ prompt: 'go' })
  const rounds = LONG ? 300 : 40
  const item = { type: 'item', item: { type: 'thinking', text: 'x' } } as const
  let writing = true
  const writer = (async () => {
    while (writing) await agent.start.emit(Array.from({ length: 40 }, () => item))
  })()
  for (let round = 0; round < rounds; round++) {
    const stream = await openStream(test.gateway.url, BEARER)
    const after = Math.max(0, (await test.events()) - (round % 7) * 60)
    const cursor = await test.cursorAt(after)
    stream.send({ type: 'subscribe', after: cursor })
    await until(() => stream.seqs().length > 80, 'events')
    // A second subscription replaces the first, wherever that one was.
    const again = stream.seqs().length
    stream.send({ type: 'subscribe', after: cursor })
    await until(
      () =>
        stream
          .seqs()
          .slice(again)
          .includes(after + 1),
      'the new start',
    )
    const restart = stream.seqs().lastIndexOf(after + 1)
    await until(() => stream.seqs().length > restart + 100, 'more events')
    const seqs = stream.seqs()
    for (const [from, to] of [
      [0, restart],
      [restart, seqs.length],
    ] as const) {
      const part = seqs.slice(from, to)
      expect(part).toEqual(part.map((_, index) => after + 1 + index))
    }
    stream.close()
  }
  writing = false
  await writer
  await until(() => test.gateway.fanOut.size() === 0, 'everybody gone')
  report(`F15: ${rounds} clients joined while ${await test.events()} events were written`)
})
