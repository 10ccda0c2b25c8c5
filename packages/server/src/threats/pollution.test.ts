import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { everyUnsafeCall, somethingForEveryRoute } from '@holdpoint/testing/unsafe-calls'
import { until } from '@holdpoint/testing/until'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { refusal } from '../transport/errors.ts'

vi.setConfig({ testTimeout: TIMEOUT_MS })

interface Refused {
  readonly type: string
  readonly error?: unknown
}

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const KEYS = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'constr\\u0075ctor']

/** JSON text with one poisonous key somewhere in it; as text, for no object literal can hold it. */
const poisoned = fc
  .tuple(
    fc.constantFrom(...KEYS),
    fc.array(fc.constantFrom('object', 'array', 'answers', 'updatedInput', 'content', 'context', 'tool'), {
      maxLength: 8,
    }),
    fc.constantFrom('{"polluted":true}', '{"prototype":{"polluted":true}}', 'true', '[]', '"x"'),
    fc.constantFrom('', '"kind":"allow",', '"role":"owner",', '"text":"hi",', '"type":"subscribe",'),
  )
  .map(([key, path, value, sibling]) =>
    path.reduceRight(
      (inner, step) => (step === 'array' ? `[${inner}]` : `{"${step}":${inner}}`),
      `{${sibling}"${key}":${value}}`,
    ),
  )

it('T48 refuses keys that reach the prototype, at every depth of every endpoint', async () => {
  await using test = await startTestGateway()
  const at = await somethingForEveryRoute(test, 'bearer')
  const calls = Object.entries(everyUnsafeCall(at, test.dataDir)).filter(([name]) => !name.includes('attachments'))
  const login = { method: 'POST', path: '/api/login', credential: {} }
  const before = await test.events()
  const numRuns = LONG ? 500 : 25
  let count = 0
  for (const { method, path, credential } of [...calls.map(([, call]) => call), login]) {
    await fc.assert(
      fc.asyncProperty(poisoned, async (body) => {
        count++
        const headers = { ...credential, 'content-type': 'application/json' }
        const reply = await fetch(test.gateway.url + path, { method, headers, body })
        expect(reply.status, `${method} ${path} ${body}`).toBe(400)
        const { error } = (await reply.json()) as { error: unknown }
        // Dialects say it in words.
        if (typeof error === 'string') expect(error).toBe(refusal('malformed_json').body.error.message)
        else expect(error).toMatchObject({ code: 'malformed_json', reason: 'forbidden_key' })
      }),
      { numRuns },
    )
  }
  for (const query of ['__proto__=x', '__proto__[polluted]=1', 'constructor.prototype.polluted=1', 'constructor=1']) {
    expect((await test.api.call('GET', `/api/asks?${query}`)).status).toBe(422)
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(await test.events()).toBe(before)
  report(`T48: ${count} bodies on ${calls.length + 1} routes`)
})

it('T48 refuses them in frames too', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const before = await test.events()
  const samples = fc.sample(poisoned, LONG ? 2000 : 200)
  for (let i = 0; i < samples.length; i += 20) {
    const stream = await openStream(test.gateway.url, (await test.credential({ role: 'owner' })).headers)
    const batch = [
      ...samples.slice(i, i + 18),
      `{"type":"answer","ref":"r","id":"${ask.id}","kind":"allow","digest":"${ask.digest}","updatedInput":{"command":"x","__proto__":{"polluted":true}}}`,
    ]
    for (const text of batch) stream.send(text)
    await until(() => stream.messages.length === batch.length, 'the replies')
    expect(stream.messages.every((message) => message.type === 'error')).toBe(true)
    stream.close()
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(await test.events()).toBe(before)
  const { id } = await test.terminal()
  for (const text of samples.slice(0, samples.length / 10)) {
    const socket = await openJsonSocket<Refused>(test.gateway.url, `/api/terminals/${id}`, BEARER)
    socket.send(text)
    expect((await socket.message(({ type }) => type === 'error', 'the refusal')).error).toMatchObject({
      code: 'malformed_json',
    })
    socket.close()
  }
  expect(test.terminals.typed(id)).toBe('')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  report(`T48: ${samples.length} frames, and ${samples.length / 10} on a terminal`)
})
