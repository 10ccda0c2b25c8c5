import { connect } from 'node:net'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { exchange, requestBytes, sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { everyUnsafeCall, somethingForEveryRoute, type UnsafeCall } from '@holdpoint/testing/unsafe-calls'
import { until } from '@holdpoint/testing/until'
import { clientFrame, serverFrames } from '@holdpoint/testing/web-socket-frames'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const JSON_TYPE = { ...BEARER, 'content-type': 'application/json' }
const KIB = 1024

/** Nothing of ours failed, whatever came in. */
function expectNoFault(test: TestGateway) {
  expect(test.logged.filter((line) => line.includes('"error"'))).toEqual([])
}

const brokenText = (body: unknown) => {
  const text = JSON.stringify(body ?? { a: 1 })
  const deep = fc.integer({ min: 65, max: 20_000 })
  return fc.oneof(
    fc.integer({ min: 1, max: text.length - 1 }).map((cut) => text.slice(0, cut)),
    fc.nat(text.length).map((at) => `${text.slice(0, at)}\u0000${text.slice(at)}`),
    deep.map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
    deep.map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    fc.constantFrom('{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"c":1}}]'),
    fc.constantFrom(`${text} x`, `${text}${text}`, `\uFEFF${text}`, `'${text}'`, `/**/${text}`, '', ' ', '\n'),
    fc.constantFrom(
      'NaN',
      'Infinity',
      '-Infinity',
      '{"a":NaN}',
      '01',
      '+1',
      '.5',
      '0x10',
      '1_000',
      'undefined',
      'TRUE',
    ),
    fc.constantFrom('{"a":1e999}', '[-1e400]', '{"a":12345678901234567890}', '9007199254740993', '{"a":-1e309}'),
    fc.constantFrom('"\\ud800"', '{"\\udfff":1}', '{"a":"x\\ud83dy"}', '["\\udc00\\ud800"]'),
    fc.constantFrom('{a:1}', "{'a':1}", '{"a":1,}', '[1,]', '{"a" 1}', '{"a":\t"\t"}', '"\u0001"', '{"a":"\n"}'),
  )
}

const brokenBytes = (body: unknown) =>
  fc.oneof(
    brokenText(body).map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from([0xff, ...bytes])),
    fc.constant(Buffer.from('{"a":"\xc3\x28"}', 'latin1')),
    fc.constant(Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')),
    fc.constant(Buffer.from(JSON.stringify(body ?? {}), 'utf16le')),
    fc.constant(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])),
  )

/** Every place in a body, with something there that is of another type. What agents may fill freely is left alone. */
function* wronglyTyped(body: unknown, path: readonly (string | number)[] = []): Generator<unknown> {
  if (path.at(-1) === 'input') return
  // Without an end is a time limit, too, and a time that sessions stay.
  const nothing = path.at(-1) === 'afterMs' || path.at(-1) === 'days' ? [] : [null]
  const kinds: unknown[] = [...nothing, true, 12.5, -1, 'wrong', [], ['x'], { x: 1 }, [[[]]]]
  const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
  for (const other of kinds) if (kindOf(other) !== kindOf(body)) yield other
  if (typeof body !== 'object' || body === null) return
  for (const [key, value] of Object.entries(body)) {
    // A digest of any form is one that does not match, and optional text may be any text.
    for (const wrong of wronglyTyped(value, [...path, key])) {
      yield Array.isArray(body) ? body.with(Number(key), wrong) : { ...body, [key]: wrong }
    }
    if (Array.isArray(body)) continue
    const { [key]: _, ...rest } = body as Record<string, unknown>
    yield { ...rest, unknownField: value }
  }
}

it('F36 refuses every malformed body with a code, on every route, and does nothing', async () => {
  await using test = await startTestGateway()
  const at = await somethingForEveryRoute(test, 'bearer')
  const calls = Object.entries(everyUnsafeCall(at, test.dataDir)).filter(([name]) => !name.includes('attachments'))
  const before = await test.events()
  const devices = test.gateway.devices.list().length
  const statuses = new Map<number, number>()
  const tryBody = async (name: string, { method, path, credential }: UnsafeCall, body: string | Buffer) => {
    const headers = { ...credential, 'content-type': 'application/json' }
    const sent = typeof body === 'string' ? body : new Uint8Array(body)
    const reply = await fetch(test.gateway.url + path, { method, headers, body: sent })
    const told = (await reply.json()) as { error?: object | string; results?: { status: number; error?: object }[] }
    // Of a batch each entry is refused on its own.
    const { status, error } = told.results?.[0] ?? { status: reply.status, error: told.error }
    expect([400, 409, 422], `${name} ${body.toString().slice(0, 200)} → ${status}`).toContain(status)
    // Dialects say it in words.
    if (typeof error === 'string') expect(error).not.toBe('')
    else expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const each = LONG ? 2000 : 60
  for (const [name, call] of calls) {
    const { body } = call
    // No body at all is what some routes want.
    const texts = fc.sample(brokenBytes(body), each).filter((bytes) => bytes.length > 0)
    const typed = body === undefined ? [] : [...wronglyTyped(body)].map((value) => JSON.stringify(value))
    const all = [...texts, ...typed]
    for (let i = 0; i < all.length; i += 16) {
      await Promise.all(all.slice(i, i + 16).map((value) => tryBody(name, call, value)))
    }
  }
  const count = [...statuses.values()].reduce((sum, value) => sum + value, 0)
  expect(await test.events()).toBe(before)
  expect(test.gateway.devices.list().length).toBe(devices)
  expect((await test.api.call('GET', '/api/health')).status).toBe(200)
  expectNoFault(test)
  report(`F36: ${count} malformed bodies on ${calls.length} routes, ${JSON.stringify(Object.fromEntries(statuses))}`)
})

it('F36 reads no more of a body than it takes, whether its size is declared or not', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const raiser = await test.credential({ role: 'raiser' })
  const before = await test.events()
  const large = [`/api/asks/${ask.id}/answer`, '/api/asks', '/api/sessions', `/api/sessions/${session.id}/messages`]
  const small = [`/api/sessions/${session.id}/mode`, '/api/pairings', `/api/asks/${ask.id}/seen`, '/api/tickets']
  // From anybody, with or without a credential.
  const open = ['/api/login', '/api/proofs', '/api/passes']
  const cases = [
    ...large.map((path) => [path, 8 * KIB * KIB] as const),
    ...small.map((path) => [path, 64 * KIB] as const),
    ...open.map((path) => [path, 4 * KIB] as const),
  ]
  for (const [path, limit] of cases) {
    for (const chunked of [true, false]) {
      const body = `{"x":"${'x'.repeat(limit + 1 - 8)}"}`
      expect(body.length).toBe(limit + 1)
      const headers = { ...JSON_TYPE, ...(path === '/api/asks' && raiser.headers) }
      const reply = await sendRaw(test.gateway.url, { method: 'POST', path, headers, body, chunked })
      expect(reply?.status, `${path} ${chunked ? 'chunked' : 'declared'}`).toBe(413)
      expect(reply?.body).toContain('"too_large"')
      // One byte less is read, and refused for what it says.
      const fits = { method: 'POST', path, headers, body: body.replace('xx', 'x'), chunked }
      expect((await sendRaw(test.gateway.url, fits))?.status, path).toBe(422)
    }
  }
  // However much is still to come, the refusal gets through.
  const endless = {
    method: 'POST',
    path: '/api/pairings',
    headers: JSON_TYPE,
    body: Buffer.alloc(24 * KIB * KIB, 0x20),
  }
  expect((await sendRaw(test.gateway.url, { ...endless, chunked: true }))?.status).toBe(413)
  const image = { ...BEARER, 'content-type': 'image/png' }
  const tooLarge = { method: 'POST', path: '/api/attachments', headers: image, body: Buffer.alloc(8 * KIB * KIB + 1) }
  expect((await sendRaw(test.gateway.url, tooLarge))?.status).toBe(413)
  expect(await test.events()).toBe(before)
  expectNoFault(test)
})

it('F36 answers requests that are no HTTP with a code, or closes', async () => {
  await using test = await startTestGateway()
  const { url } = test.gateway
  const host = new URL(url).host
  const broken = [
    'nonsense\r\n\r\n',
    `GET /api/health HTTP/9.9\r\nhost: ${host}\r\n\r\n`,
    `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nbad header\r\n\r\n`,
    `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nx: \u0000\r\n\r\n`,
    `POST /api/login HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /api/login HTTP/1.1\r\nhost: ${host}\r\ncontent-length: -1\r\n\r\n`,
    `POST /api/login HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx`,
    `POST /api/login HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n`,
    '\u0016\u0003\u0001\u0002\u0000\u0001',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]
  for (const text of broken) {
    const reply = await exchange(url, Buffer.from(text, 'latin1'))
    expect(reply?.status, JSON.stringify(text)).toBe(400)
    expect(reply?.body, JSON.stringify(text)).toContain('"bad_request"')
  }
  const long = await sendRaw(url, { path: '/api/health', headers: { 'x-long': 'x'.repeat(17 * KIB) } })
  expect(long).toMatchObject({ status: 431, body: expect.stringContaining('"headers_too_large"') })
  for (const target of [
    'http://evil.example/api/health',
    'evil.example:443',
    '*',
    '//evil.example/api/sessions',
    '/%',
    '/\\',
  ]) {
    const reply = await exchange(url, requestBytes(url, { path: target, headers: BEARER }))
    expect(reply?.status, target).toBeOneOf([400, 404])
  }
  expectNoFault(test)
})

it('F36 survives uploads that are broken off', async () => {
  await using test = await startTestGateway()
  const { hostname, port } = new URL(test.gateway.url)
  const bytes = requestBytes(test.gateway.url, {
    method: 'POST',
    path: '/api/pairings',
    headers: JSON_TYPE,
    body: '{"role":"owner"}',
  })
  for (let cut = bytes.length - 16; cut < bytes.length; cut++) {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes.subarray(0, cut), () => socket.resetAndDestroy())
    })
    socket.on('error', () => {})
    await new Promise((resolve) => socket.on('close', resolve))
  }
  expect((await test.api.call('GET', '/api/health')).status).toBe(200)
  expectNoFault(test)
})

it('F36 refuses every malformed frame with a code and keeps the socket for the next one', async () => {
  await using test = await startTestGateway()
  const { agent, session } = await test.session()
  const { ask } = await test.openAsk(agent)
  const stream = await openStream(test.gateway.url, BEARER)
  const answer = {
    type: 'answer',
    ref: 'r',
    id: ask.id,
    kind: 'allow',
    digest: 'wrong',
    remember: { scope: 'session' },
  }
  const subscribe = { type: 'subscribe', sessionId: session.id }
  // A cursor of any text is one that names no place of this log.
  const wrongCursors = [null, true, 12.5, -1, [], { x: 1 }].map((after) => JSON.stringify({ ...subscribe, after }))
  const before = await test.events()
  const frames = [
    ...fc.sample(brokenText(answer), LONG ? 20_000 : 400),
    ...fc.sample(brokenText(subscribe), LONG ? 20_000 : 400),
    ...[answer, subscribe, { ...answer, kind: 'answer', answers: [{ question: 0, selected: ['x'] }] }].flatMap(
      (frame) => [...wronglyTyped(frame)].map((value) => JSON.stringify(value)),
    ),
    ...wrongCursors,
  ].filter((text) => text.length < 200 * KIB)
  let sent = 0
  for (let i = 0; i < frames.length; i += 15) {
    const batch = frames.slice(i, i + 15)
    for (const text of batch) stream.send(text)
    // A good one in between, as an honest client would: it is not counted as a flood.
    stream.send({ type: 'answer', ref: `good-${i}`, id: ask.id, kind: 'allow', digest: 'wrong' })
    sent += batch.length
    await until(() => stream.messages.some((message) => message.ref === `good-${i}`), 'the good reply')
    const replies = stream.messages.splice(0)
    expect(replies.length).toBe(batch.length + 1)
    for (const { status, error } of replies as unknown as { status?: number; error?: { code: string } }[]) {
      expect(error?.code).toEqual(expect.any(String))
      if (status !== undefined) expect(status >= 400 && status < 500).toBe(true)
    }
  }
  expect(await test.events()).toBe(before)
  expectNoFault(test)
  stream.close()
  report(`F36: ${sent} malformed frames`)
})

it('F36 closes a socket that breaks the protocol, or does not stop sending nonsense', async () => {
  await using test = await startTestGateway()
  const { url } = test.gateway
  const { hostname, port } = new URL(url)
  const handshake = requestBytes(url, { path: '/api/stream', headers: { ...BEARER, ...UPGRADE } })
  const oversize = Buffer.alloc(256 * KIB + 1, 0x20)
  const cases: [string, number, Buffer[]][] = [
    ['invalid UTF-8', 1007, [clientFrame(Buffer.from([0xff, 0xfe]))]],
    ['an unmasked frame', 1002, [clientFrame('{}', { masked: false })]],
    ['a reserved opcode', 1002, [clientFrame('{}', { opcode: 3 })]],
    ['a reserved bit', 1002, [Buffer.from([0xf1, 0x80, 0, 0, 0, 0])]],
    ['a frame over the limit', 1009, [clientFrame(oversize)]],
    ['a declared length over the limit', 1009, [Buffer.from([0x81, 0xff, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])]],
    [
      'fragments over the limit',
      1009,
      [
        clientFrame(oversize.subarray(0, 200 * KIB), { fin: false }),
        clientFrame(oversize.subarray(0, 57 * KIB), { opcode: 0 }),
      ],
    ],
    [
      'too many fragments (T50)',
      1008,
      [
        clientFrame('{', { fin: false }),
        ...Array.from({ length: 80 }, () => clientFrame(' ', { opcode: 0, fin: false })),
      ],
    ],
    ['a continuation of nothing', 1002, [clientFrame('x', { opcode: 0 })]],
    ['a long ping', 1002, [clientFrame('x'.repeat(126), { opcode: 9 })]],
    ['a flood of nonsense', 1008, Array.from({ length: 21 }, () => clientFrame('nonsense'))],
    ['a flood of binary', 1008, Array.from({ length: 21 }, () => clientFrame('{}', { opcode: 2 }))],
  ]
  for (const [name, code, frames] of cases) {
    const received = await new Promise<Buffer>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) }, () =>
        socket.write(Buffer.concat([handshake, ...frames])),
      )
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', () => {})
      // The server waits for the other side's goodbye; this side has none to say.
      socket.on('data', () => {
        const body = Buffer.concat(chunks)
        if (serverFrames(body.subarray(body.indexOf('\r\n\r\n') + 4)).some(({ opcode }) => opcode === 8)) socket.end()
      })
      socket.on('close', () => resolve(Buffer.concat(chunks)))
    })
    const close = serverFrames(received.subarray(received.indexOf('\r\n\r\n') + 4)).find(({ opcode }) => opcode === 8)
    expect(close?.payload.readUInt16BE(0), name).toBe(code)
  }
  expect((await test.api.call('GET', '/api/health')).status).toBe(200)
  expectNoFault(test)
})
