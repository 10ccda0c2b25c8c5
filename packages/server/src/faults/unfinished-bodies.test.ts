import { connect, type Socket } from 'node:net'
import type { Ask } from '@holdpoint/schema/ask'
import { requestBytes, sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, onTestFinished } from 'vitest'

const MEGABYTE = 1024 * 1024
/** What the large bodies of one credential may hold. */
const LIMIT = 32 * MEGABYTE
const LARGEST = 8 * MEGABYTE

interface Unfinished {
  readonly path?: string
  readonly headers: Readonly<Record<string, string>>
  /** How many bytes are said to come; without it they come in chunks. */
  readonly declared?: number
  readonly sent: number
}

/** A request whose body is never finished. */
function unfinished(test: TestGateway, { path = '/api/asks', headers, declared, sent }: Unfinished) {
  const { hostname, port } = new URL(test.gateway.url)
  const length = declared === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', `${declared}`]
  const socket: Socket = connect(Number(port), hostname).on('error', () => {})
  let reply = ''
  socket.on('data', (data) => {
    reply += data.toString('latin1')
  })
  const head = { 'content-type': 'application/json', ...headers, ...Object.fromEntries([length]) }
  socket.write(requestBytes(test.gateway.url, { method: 'POST', path, headers: head }))
  if (declared === undefined) socket.write(`${LARGEST.toString(16)}\r\n`)
  socket.write(Buffer.alloc(sent, ' '))
  onTestFinished(() => void socket.destroy())
  return { socket, isRefused: () => reply.includes(' 503 ') && reply.includes('"too_much_sent"') }
}

async function setUp(test: TestGateway) {
  const { session, agent } = await test.session()
  const raiser = await test.credential({ role: 'raiser' })
  const raise = (requestId: string, length: number, who = raiser) =>
    who.api.call<Ask>('POST', '/api/asks', {
      sessionId: session.id,
      requestId,
      kind: 'approval',
      title: 'Write',
      tool: { name: 'Write', input: { content: 'x'.repeat(length) } },
      context: { cwd: '/' },
    })
  return { session, agent, raiser, raise }
}

it('I10 has room for what a credential says it will send, refuses it more, and refuses nobody anything small', async () => {
  await using test = await startTestGateway()
  const { received } = test.gateway
  const { agent, raiser, raise } = await setUp(test)
  const { ask } = await test.openAsk(agent)
  const bodies = Array.from({ length: 20 }, () =>
    unfinished(test, { headers: raiser.headers, declared: LARGEST, sent: 1000 }),
  )
  await until(() => bodies.filter((body) => body.isRefused()).length === 16, 'the refusals')
  expect(received.size()).toBe(LIMIT)
  expect(await raise('large', 100_000)).toMatchObject({
    status: 503,
    body: { error: { code: 'too_much_sent', recorded: 'no' } },
  })
  // What is small goes, and so does what others send.
  expect((await raise('small', 1000)).status).toBe(201)
  expect((await test.api.answer(ask, { kind: 'allow' })).status).toBe(200)
  const other = await test.credential({ role: 'raiser' })
  expect((await raise('others', 1_000_000, other)).status).toBe(201)
  expect(received.size()).toBe(LIMIT)

  for (const { socket } of bodies) socket.destroy()
  await until(() => received.size() === 0, 'nothing to be held')
  expect((await raise('large', 100_000)).status).toBe(201)
})

it('I10 counts bodies without a declared size as they arrive', async () => {
  await using test = await startTestGateway()
  const { received } = test.gateway
  const { raiser } = await setUp(test)
  const bodies = Array.from({ length: 12 }, () => unfinished(test, { headers: raiser.headers, sent: 7 * MEGABYTE }))
  // Four fit. The refusal of a body that is still sent may be lost with its connection.
  const refused = () => bodies.filter((body) => body.isRefused() || body.socket.destroyed)
  await until(() => refused().length >= 8, 'the refusals')
  expect(received.size()).toBeGreaterThan(0)
  expect(received.size()).toBeLessThan(LIMIT + MEGABYTE)
  for (const { socket } of bodies) socket.destroy()
  await until(() => received.size() === 0, 'nothing to be held')
})

it('I10 holds nothing for a request that is over, however it ended', async () => {
  await using test = await startTestGateway({ patience: { head: 1000, request: 1500, goodbye: 100, taking: 1000 } })
  const { received } = test.gateway
  const { session, raiser } = await setUp(test)
  // Too slow: the gateway lets it go.
  const slow = unfinished(test, { headers: raiser.headers, declared: LARGEST, sent: 100_000 })
  await until(() => received.size() === LARGEST, 'the body')
  await until(() => slow.socket.destroyed, 'the end of its patience')
  await until(() => received.size() === 0, 'nothing to be held')
  const headers = { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' }
  const post = async (path: string, body: string) =>
    (await sendRaw(test.gateway.url, { method: 'POST', path, headers, body }))?.status
  const messages = `/api/sessions/${session.id}/messages`
  for (const [body, status] of [
    [JSON.stringify({ text: 'x'.repeat(100_000) }), 202],
    [JSON.stringify({ words: 'x'.repeat(100_000) }), 422],
    ['x'.repeat(100_000), 400],
  ] as const) {
    expect(await post(messages, body)).toBe(status)
    expect(received.size(), `${status}`).toBe(0)
  }
  expect(await post(`/api/asks/ask_00000000000000000000000000/seen`, 'x'.repeat(100_000))).toBe(413)
  expect(received.size()).toBe(0)
})

it('I10 holds nothing of a message while its turn is followed', async () => {
  await using test = await startTestGateway()
  const { session } = await setUp(test)
  const headers = { authorization: `Bearer ${TEST_TOKEN}`, accept: 'text/event-stream' }
  const reply = await fetch(`${test.gateway.url}/api/sessions/${session.id}/messages`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'x'.repeat(100_000) }),
  })
  expect(reply.headers.get('content-type')).toContain('text/event-stream')
  expect(test.gateway.received.size()).toBe(0)
  await reply.body?.cancel()
})
