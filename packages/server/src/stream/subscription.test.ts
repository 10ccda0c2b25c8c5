import { createMemoryStore } from '@holdpoint/store/memory-store'
import { holdable } from '@holdpoint/testing/held-store'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

/** A gateway that has just come up on the log of another: nothing is in memory, all has to be read. */
async function restarted(options: { events: number }) {
  const held = holdable(createMemoryStore())
  const before = await startTestGateway({ store: held.store })
  const [one, other] = [await before.session(), await before.session()]
  while ((await before.events()) < options.events) {
    // Together: each alone would wait for a commit to share.
    await Promise.all(
      Array.from({ length: 10 }, () => [one, other].map(({ agent }) => agent.say('before the restart'))).flat(),
    )
  }
  await before[Symbol.asyncDispose]()
  const test = await startTestGateway({ store: held.store })
  const agent = await test.synthetic.agentOf(one.session.id)
  await until(() => held.waiting() === 0, 'a quiet store')
  return { test, held, agent, session: one.session, other: other.session, last: await test.events() }
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

it('I7 sends an event once that is in the store already, but not published yet, when a client resumes', async () => {
  const { test, held, agent, last } = await restarted({ events: 20 })
  const release = held.holdAfter()
  const said = agent.say('committed, but nobody knows')
  await until(async () => (await test.events()) === last + 1, 'the commit')
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe', after: 0 })
  await until(() => stream.seqs().includes(last), 'the store’s events')
  await until(() => test.gateway.fanOut.size() === 1, 'the client to have joined')
  release()
  await said
  await agent.say('after')
  await until(() => stream.seqs().includes(last + 2), 'the last event')
  expect(stream.seqs()).toEqual(upTo(last + 2))
  stream.close()
  await test[Symbol.asyncDispose]()
})

it('I7 a second subscription ends the first, also while that one is still being brought up to date', async () => {
  const { test, agent, last } = await restarted({ events: 450 })
  const stream = await openStream(test.gateway.url, BEARER)
  for (const after of [0, await test.cursorAt(last - 250)]) stream.send({ type: 'subscribe', after })
  await until(() => stream.seqs().includes(last), 'the last event')
  await agent.say('one more')
  await agent.say('and one')
  await until(() => stream.seqs().includes(last + 2), 'both')
  expect(stream.seqs().slice(-252)).toEqual(upTo(last + 2).slice(-252))
  expect(test.gateway.fanOut.size()).toBe(1)
  stream.close()
  await until(() => test.gateway.fanOut.size() === 0, 'nobody left')
  await test[Symbol.asyncDispose]()
})

it('T11 brings a narrow credential up to date with its own sessions only', async () => {
  const { test, session, other, last } = await restarted({ events: 250 })
  const viewer = await test.credential({ role: 'viewer', sessionIds: [session.id] })
  const stream = await openStream(test.gateway.url, viewer.headers)
  stream.send({ type: 'subscribe', after: 0 })
  await until(() => test.gateway.fanOut.size() === 1, 'the client to have joined')
  await until(() => stream.seqs().length > last / 3, 'its events')
  expect(JSON.stringify(stream.messages)).not.toContain(other.id)
  stream.close()
  await test[Symbol.asyncDispose]()
})

it('I7 starts with everything that is open, and with what an agent is in the middle of saying', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  agent.start.live({ type: 'text-delta', text: 'Half a ' })
  agent.start.live({ type: 'text-delta', text: 'sentence' })
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe' })
  await until(() => stream.messages.length === 2, 'the snapshot and the text')
  expect(stream.messages).toMatchObject([
    { type: 'snapshot', seq: await test.events(), sessions: [{ id: session.id, openAsks: 1 }], asks: [{ id: ask.id }] },
    { type: 'live', event: { type: 'text-delta', sessionId: session.id, text: 'Half a sentence' } },
  ])
  agent.start.live({ type: 'text-delta', text: ', and on' })
  await agent.say('Half a sentence, and on')
  await until(() => stream.messages.length === 4, 'the rest')
  expect(stream.messages.slice(2)).toMatchObject([
    { type: 'live', event: { text: ', and on' } },
    { type: 'event', event: { type: 'item-added', item: { text: 'Half a sentence, and on' } } },
  ])
  const late = await openStream(test.gateway.url, BEARER)
  late.send({ type: 'subscribe' })
  await until(() => late.messages.length > 0, 'the snapshot')
  expect(late.messages.length).toBe(1)
  for (const client of [stream, late]) client.close()
})

it('I7 names the messages that wait, and says when a client that gave a name is up to date', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session({ prompt: 'go' })
  await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'and then' })
  const before = await test.events()
  await agent.say('meanwhile')
  agent.start.live({ type: 'text-delta', text: 'Half a ' })
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe', ref: 'mine' })
  await until(() => stream.messages.length === 3, 'the snapshot, the text and the word')
  const partial = [{ type: 'text-delta', sessionId: session.id, text: 'Half a ' }]
  expect(stream.messages).toMatchObject([
    { type: 'snapshot', queued: [{ sessionId: session.id, item: { text: 'and then', status: 'queued' } }] },
    { type: 'live' },
    { type: 'subscribed', ref: 'mine', partial },
  ])
  stream.send({ type: 'subscribe', ref: 'again', after: await test.cursorAt(before) })
  await until(() => stream.messages.length === 5, 'what was said since, and the word')
  expect(stream.messages.slice(3)).toMatchObject([
    { type: 'event', seq: before + 1, event: { item: { text: 'meanwhile' } } },
    { type: 'subscribed', ref: 'again', partial },
  ])
  stream.close()
})

it('I7 names an ended session in the snapshot, without its asks (F18)', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  await test.openAsk(agent)
  await test.api.call('DELETE', `/api/sessions/${session.id}`)
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe' })
  await until(() => stream.messages.length > 0, 'the snapshot')
  expect(stream.messages[0]).toMatchObject({ sessions: [{ id: session.id, state: 'dead', openAsks: 0 }], asks: [] })
  stream.close()
})
