import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { createFakeTimers, settled } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'
import { createInteractions } from './interactions.ts'
import { oneOf } from './one-of.ts'
import { type Call, type Reply, TransportFault } from './transport.ts'

const READ: Call = { method: 'GET', path: '/api/asks' }
const ANSWER: Call = { method: 'POST', path: '/api/asks/ask_1/answer', idempotencyKey: 'k' }
const SEND: Call = { method: 'POST', path: '/api/asks/ask_1/seen' }
const FINE: Reply = { status: 200, body: { outcome: {} } }

function two() {
  const [a, b] = [createFakeTransport(), createFakeTransport()]
  b.answerCalls(() => FINE)
  return { a, b, wire: oneOf([a.transport, b.transport]) }
}

function fault(code?: string) {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
  return new TransportFault('unreachable', 'gone', { cause })
}

const refusal = (status: number, code: string): Reply => ({ status, body: { error: { code, message: 'no' } } })

it('makes a call again elsewhere where nobody got it, whatever it does', async () => {
  const { a, b, wire } = two()
  a.answerCalls(() => Promise.reject(fault('ECONNREFUSED')))
  expect(await wire.call(SEND)).toBe(FINE)
  expect([a.calls.length, b.calls.length]).toEqual([1, 1])
})

it('stays at the one that answered', async () => {
  const { a, b, wire } = two()
  a.answerCalls(() => Promise.reject(fault('ECONNREFUSED')))
  await wire.call(READ)
  a.answerCalls(() => FINE)
  await wire.call(READ)
  expect([a.calls.length, b.calls.length]).toEqual([1, 2])
})

it('repeats what broke off in the middle under its key, and gets what was recorded', async () => {
  const recorded = new Map<string | undefined, Reply>()
  const { a, b, wire } = two()
  a.answerCalls(({ idempotencyKey }) => {
    recorded.set(idempotencyKey, { status: 200, body: 'of a' })
    throw fault('ECONNRESET')
  })
  b.answerCalls(({ idempotencyKey }) => recorded.get(idempotencyKey) ?? { status: 200, body: 'of b' })
  expect(await wire.call(ANSWER)).toEqual({ status: 200, body: 'of a' })
})

it('does not repeat what may have been done and has no key; the next call goes elsewhere', async () => {
  const { a, b, wire } = two()
  a.answerCalls(() => Promise.reject(fault('ECONNRESET')))
  await expect(wire.call(SEND)).rejects.toMatchObject({ code: 'unreachable' })
  expect(b.calls).toEqual([])
  expect(await wire.call(SEND)).toBe(FINE)
})

it('goes on where a gateway is closing or a proxy cannot reach it, and nowhere with a refusal', async () => {
  for (const gone of [refusal(503, 'closing'), { status: 502, body: undefined }]) {
    const { a, wire } = two()
    a.answerCalls(() => gone)
    expect(await wire.call(ANSWER)).toBe(FINE)
  }
  for (const refused of [
    refusal(401, 'unauthorized'),
    refusal(404, 'not_found'),
    refusal(503, 'machine_unreachable'),
  ]) {
    const { a, b, wire } = two()
    a.answerCalls(() => refused)
    expect(await wire.call(ANSWER)).toBe(refused)
    expect(await wire.call(READ)).toBe(refused)
    expect(b.calls).toEqual([])
  }
})

it('tries each one once, and says then what the last one said', async () => {
  const { a, b, wire } = two()
  for (const fake of [a, b]) fake.answerCalls(() => Promise.reject(fault('ECONNREFUSED')))
  await expect(wire.call(READ)).rejects.toThrow(TransportFault)
  expect([a.calls.length, b.calls.length]).toEqual([1, 1])
})

it('gives nothing of a stream twice that broke off', async () => {
  const { a, b, wire } = two()
  a.answerCalls(({ onText }) => {
    onText?.('data: 1\n\n')
    throw fault('ECONNRESET')
  })
  const heard: string[] = []
  const following = { ...READ, onText: (text: string) => heard.push(text) }
  await expect(wire.call(following)).rejects.toMatchObject({ code: 'unreachable' })
  expect([heard.length, b.calls.length]).toEqual([1, 0])
})

it('sends an answer that gets no reply in time elsewhere, under its key', async () => {
  const { a, b, wire } = two()
  a.answerCalls(() => new Promise(() => {}))
  const time = createFakeTimers()
  const answered = createInteractions(wire, { timers: time.timers }).approveTool('ses_1', 'call_1')
  await time.advance(12_000)
  expect(b.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([a.calls[0]?.idempotencyKey])
  expect(await answered).toEqual({ ok: true })
})

it('I7 goes on with a stream elsewhere, after the cursor, also when it falls silent', async () => {
  const { a, b, wire } = two()
  const time = createFakeTimers()
  const client = createGatewayClient({ transport: wire, timers: time.timers })
  a.stream().open()
  a.stream().frame({ type: 'snapshot', seq: 7, cursor: '7.abc', sessions: [], asks: [], queued: [] })
  a.stream().caughtUp()
  a.stream().end('lost')
  await time.advance(1000)
  b.stream().open()
  expect(b.stream().sent).toEqual([expect.objectContaining({ type: 'subscribe', after: '7.abc' })])
  b.stream().caughtUp()
  await time.advance(100)
  expect(client.getState().link).toBe('live')
  // Nothing more comes, and nobody says so.
  await time.advance(40_000)
  await settled()
  expect(a.streams.length).toBeGreaterThan(1)
  client.close()
})
