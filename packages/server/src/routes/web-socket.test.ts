import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { ServerFrame } from '@holdpoint/schema/stream'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, onTestFinished, vi } from 'vitest'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

it('answers an ask on the socket, with or without a subscription', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const stream = await openStream(test.gateway.url, BEARER)
  const reply = await stream.answer(ask, { kind: 'allow' })
  expect(reply).toMatchObject({ type: 'answered', status: 200, outcome: { kind: 'allowed', via: 'api' } })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  expect(await stream.answer(ask, { kind: 'deny' })).toMatchObject({
    status: 409,
    error: { code: 'already_settled', outcome: { kind: 'allowed' } },
  })
  stream.close()
})

/** What is written to sockets, one entry for each system call. */
function writes(onWrite: (text: string) => void) {
  const { prototype } = Socket as unknown as { prototype: Pick<Required<Writable>, '_writev'> }
  const { _writev: write } = prototype
  const spy = vi.spyOn(prototype, '_writev').mockImplementation(function (this: Writable, chunks, done) {
    onWrite(chunks.map(({ chunk }) => String(chunk)).join(''))
    write.call(this, chunks, done)
  })
  onTestFinished(() => void spy.mockRestore())
}

it('lets the agent have its answer before the client that gave it hears of that, in one piece', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe' })
  await until(() => stream.messages.length > 0, 'the snapshot')
  const order: string[] = []
  // Whoever has answered once is written to before all others.
  for (const title of ['first', 'second']) {
    const { ask, outcome } = await test.openAsk(agent, { requestId: title, title })
    if (title === 'second') {
      void outcome.then(() => order.push('agent'))
      writes((text) => {
        if (text.includes('ask-settled') || text.includes('"answered"')) order.push('client')
      })
    }
    await stream.answer(ask, { kind: 'allow' })
  }
  expect(order).toEqual(['agent', 'client'])
  stream.close()
})

it('tells the sender of an answer that does not fit which one it was', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const stream = await openStream(test.gateway.url, BEARER)
  const cases: [Record<string, unknown>, number, string][] = [
    [{ kind: 'answer', answers: [] }, 422, 'invalid_answer'],
    [{ kind: 'bogus' }, 422, 'invalid_answer'],
    [{ kind: 'allow', updatedInput: 'rm' }, 422, 'invalid_answer'],
    [{ kind: 'allow', nonsense: true }, 422, 'invalid_answer'],
    [{ kind: 'allow', digest: 'other' }, 409, 'digest_mismatch'],
    [{ kind: 'allow', digest: 7 }, 409, 'digest_mismatch'],
    [{ kind: 'allow', id: 'ask_nothing' }, 404, 'not_found'],
  ]
  for (const [answer, status, code] of cases) {
    expect(await stream.answer(ask, answer), JSON.stringify(answer)).toMatchObject({ status, error: { code } })
  }
  stream.send({ type: 'unknown', ref: 'x' })
  await until(() => stream.messages.some((message) => message.type === 'error'), 'the error')
  expect((await test.api.openAsks()).length).toBe(1)
  stream.close()
})

it('sends only one session’s events to those who want no more', async () => {
  await using test = await startTestGateway()
  const [one, other] = [await test.session(), await test.session()]
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe', sessionId: one.session.id })
  await until(() => stream.messages.length > 0, 'the snapshot')
  await other.agent.say('not this')
  await one.agent.say('this')
  await until(() => stream.messages.length === 2, 'the event')
  expect(stream.messages[0]).toMatchObject({ sessions: [{ id: one.session.id }] })
  expect(stream.messages[1]).toMatchObject({ event: { item: { text: 'this' } } })
  stream.close()
})

it('says goodbye when the gateway goes', async () => {
  const test = await startTestGateway()
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe' })
  await until(() => stream.messages.length > 0, 'the snapshot')
  await test[Symbol.asyncDispose]()
  expect(await stream.closed).toMatchObject({ code: 1001 })
})

it('answers HEAD on the event stream without opening one', async () => {
  await using test = await startTestGateway()
  const reply = await fetch(`${test.gateway.url}/api/events`, { method: 'HEAD', headers: BEARER })
  expect(reply.headers.get('content-type')).toContain('text/event-stream')
  expect(test.gateway.fanOut.size()).toBe(0)
})

it('sends nothing but frames of the contract', async () => {
  const { cluster, store } = createMemoryCluster().node('here')
  await using test = await startTestGateway({ cluster, store })
  const { agent } = await test.session()
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe', ref: 'small' })
  stream.send({ type: 'nonsense' })
  await stream.message(({ type }) => type === 'subscribed', 'the first subscription')
  agent.start.live({ type: 'text-delta', text: 'Let me' })
  await agent.say('Let me see.')
  for (let count = 0; count < 20; count++)
    void agent.ask({ tool: { name: 'Bash', input: { command: `echo ${'x'.repeat(8_000)}` } } }).catch(() => {})
  const [ask] = await until(async () => {
    const open = await test.api.openAsks()
    return open.length === 20 ? open : undefined
  }, 'the asks')
  if (!ask) throw new Error('there is no ask')
  await stream.answer(ask, { kind: 'allow' })
  await stream.answer(ask, { kind: 'allow' })
  stream.send({ type: 'subscribe', ref: 'large' })
  await stream.message(({ type, ref }) => type === 'subscribed' && ref === 'large', 'the second subscription')
  const rule = { effect: 'ask', agent: '*', pattern: 'Bash(make)', scope: { kind: 'everywhere' } }
  await test.api.ok('POST', '/api/policy/rules', rule)
  await stream.message(({ type }) => type === 'policy-changed', 'the change of the rules')
  await cluster.rename(cluster.node, 'there')
  await stream.message(({ type }) => type === 'machines-changed', 'the new name of the machine')
  for (const message of stream.messages) expect(ServerFrame.parse(message)).toEqual(message)
  expect(new Set(stream.messages.map(({ type }) => type))).toEqual(
    new Set(ServerFrame.options.map((option) => option.shape.type.value)),
  )
  stream.close()
})
