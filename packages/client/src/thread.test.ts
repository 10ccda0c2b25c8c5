import type { ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { httpTransport, live } from './fixtures/clients.ts'
import { meddleWith } from './fixtures/meddling-transport.ts'
import type { Thread } from './gateway-client.ts'
import { KEPT_ITEMS } from './thread-list.ts'
import type { Wire } from './transport.ts'

const ready = (thread: Thread) => until(() => thread.getState().state === 'ready', 'the first page')
const texts = (items: readonly Item[]) => items.map((item) => (item.type === 'message' ? item.text : item.type))

/** Every item of a session, as the gateway has them. */
async function wholeThread(test: TestGateway, sessionId: SessionId): Promise<readonly Item[]> {
  return (await test.store.items({ sessionId, limit: 10_000 })).items
}

const say = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'item' as const,
    item: { type: 'message' as const, role: 'assistant' as const, text: `text ${from + index}` },
  }))

/** A way to the gateway on which pages of items wait until they are let through. */
function holdingPages(transport: Wire) {
  let held: Promise<void> | undefined
  let release = () => {}
  return {
    transport: {
      ...transport,
      async call(call) {
        const reply = await transport.call(call)
        if (call.path.includes('/items?')) await held
        return reply
      },
    } satisfies Wire,
    hold() {
      held = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
  }
}

it('goes back at once to an item that is not loaded, without a gap', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  await agent.start.emit(say(1300))
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  const whole = await wholeThread(test, session.id)
  const wanted = whole[300]?.id as ItemId
  const older = thread.loadOlder()
  expect(await thread.loadBackTo(wanted)).toBe(true)
  await older
  await until(() => thread.getState().items.length >= 1000 && !thread.getState().loadingOlder, 'the pages')
  const { items } = thread.getState()
  expect(texts(items)).toEqual(texts(whole.slice(whole.length - items.length)))
  expect(await thread.loadBackTo(wanted)).toBe(true)
  expect(thread.getState().items).toBe(items)
  expect(await thread.loadBackTo('itm_none' as ItemId)).toBe(false)
  await until(() => thread.getState().items.length === whole.length, 'the rest')
  expect(texts(thread.getState().items)).toEqual(texts(whole))
  client.close()
})

it('reads the newest page, adds what happens, and goes back page by page', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  await agent.start.emit(say(250))
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const thread = client.thread(session.id)
  expect(thread.getState()).toMatchObject({ state: 'loading', items: [] })
  await ready(thread)
  expect(thread.getState()).toMatchObject({ hasOlder: true, loadingOlder: false })
  expect(thread.getState().items.length).toBe(100)
  await agent.start.emit(say(5, 250))
  await until(() => thread.getState().items.length === 105, 'what came')
  await Promise.all([thread.loadOlder(), thread.loadOlder()])
  await until(() => thread.getState().items.length === 205, 'the page before')
  await thread.loadOlder()
  await until(() => !thread.getState().hasOlder, 'the beginning')
  await thread.loadOlder()
  expect(thread.getState().items).toEqual(await wholeThread(test, session.id))
  client.close()
})

it('has each item once, wherever it came first', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session({ prompt: 'go' })
  const pages = holdingPages(httpTransport(test.gateway.url))
  const client = createGatewayClient({ transport: pages.transport })
  await live(client)
  pages.hold()
  await agent.say('before the page')
  const thread = client.thread(session.id)
  await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'queued while the page is on its way' })
  const { ask } = await test.openAsk(agent)
  await agent.say('after the page')
  await until(() => thread.getState().items.length >= 3, 'events')
  await agent.endTurn()
  await until(() => client.getState().queues.size === 0, 'the message to be sent')
  pages.release()
  await ready(thread)
  await until(() => thread.getState().asks.has(ask.id), 'the ask')
  expect(thread.getState().items).toEqual(await wholeThread(test, session.id))
  expect(texts(thread.getState().items)).toEqual([
    'go',
    'before the page',
    'queued while the page is on its way',
    'ask',
    'after the page',
  ])
  client.close()
})

it('shows the text that is being said, and nothing of it once it is an item or broken off', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session({ prompt: 'go' })
  const view = () => test.gateway.ledger.views().get(session.id)
  await until(() => view()?.session.state === 'assistant_turn' && view()?.queue.length === 0, 'its turn')
  agent.start.live({ type: 'text-delta', text: 'Hel' })
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  expect([...thread.getState().partial]).toEqual([['', 'Hel']])
  agent.start.live({ type: 'text-delta', text: 'lo' })
  agent.start.live({ type: 'text-delta', text: 'From below', subagent: 'helper' })
  await until(() => thread.getState().partial.size === 2, 'both')
  expect([...thread.getState().partial]).toEqual([
    ['', 'Hello'],
    ['helper', 'From below'],
  ])
  const { items } = thread.getState()
  await agent.say('Hello')
  await until(() => thread.getState().items !== items, 'the item')
  expect([...thread.getState().partial]).toEqual([['helper', 'From below']])
  await agent.endTurn()
  await until(() => thread.getState().partial.size === 0, 'silence')
  client.close()
})

it('says each part of a text once though the stream is taken up again in the middle', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session({ prompt: 'go' })
  const meddling = meddleWith(httpTransport(test.gateway.url))
  const client = createGatewayClient({ transport: meddling.transport })
  await until(() => client.getState().sessions.get(session.id)?.state === 'assistant_turn', 'its turn')
  const thread = client.thread(session.id)
  agent.start.live({ type: 'text-delta', text: 'one ' })
  await until(() => thread.getState().partial.get('') === 'one ', 'the beginning')
  meddling.freeze()
  agent.start.live({ type: 'text-delta', text: 'two ' })
  meddling.cut()
  agent.start.live({ type: 'text-delta', text: 'three ' })
  client.reconnect()
  await until(() => thread.getState().partial.get('') === 'one two three ', 'the whole')
  // A stream that is only asked whether it is there brings nothing twice either.
  client.reconnect()
  agent.start.live({ type: 'text-delta', text: 'four' })
  await until(() => thread.getState().partial.get('')?.endsWith('four'), 'the end')
  expect(thread.getState().partial.get('')).toBe('one two three four')
  client.close()
})

it('knows the asks of a thread: open ones, those just settled, and those of long ago', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const old = (await test.openAsk(agent)).ask
  await test.api.answer(old, { kind: 'deny' })
  const open = (await test.openAsk(agent)).ask
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  const outcomes = () => [...thread.getState().asks.values()].map(({ id, outcome }) => [id, outcome?.kind]).sort()
  expect(outcomes()).toEqual([
    [old.id, 'denied'],
    [open.id, undefined],
  ])
  await client.answer(open, { kind: 'allow' })
  const late = (await test.openAsk(agent)).ask
  await until(() => thread.getState().asks.size === 3, 'the last one')
  expect(outcomes()).toEqual([
    [old.id, 'denied'],
    [open.id, 'allowed'],
    [late.id, undefined],
  ])
  client.close()
})

it.each([{ missed: 20 }, { missed: 300 }])(
  'has no gap and no repeat after $missed items that it did not hear of',
  async ({ missed }) => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    await agent.start.emit(say(150))
    const meddling = meddleWith(httpTransport(test.gateway.url))
    const client = createGatewayClient({ transport: meddling.transport })
    await live(client)
    const thread = client.thread(session.id)
    await ready(thread)
    await thread.loadOlder()
    meddling.freeze()
    await agent.start.emit(say(missed, 150))
    // Comes back with a snapshot: nobody says what was missed.
    meddling.inject({ type: 'unreadable' })
    await live(client)
    await agent.say('and on')
    await until(() => texts(thread.getState().items).at(-1) === 'and on', 'the newest')
    await until(async () => {
      await thread.loadOlder()
      return !thread.getState().hasOlder
    }, 'the beginning')
    expect(texts(thread.getState().items)).toEqual(texts(await wholeThread(test, session.id)))
    client.close()
  },
)

it('reads the asks that its pages name, and no others', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const settle = async () => {
    const { ask } = await test.openAsk(agent)
    await test.api.answer(ask, { kind: 'deny' })
    return ask.id
  }
  const old = [await settle(), await settle()]
  await agent.start.emit(say(100))
  const recent = await settle()
  const open = (await test.openAsk(agent)).ask.id
  const transport = httpTransport(test.gateway.url)
  const asked: string[] = []
  const client = createGatewayClient({
    transport: {
      ...transport,
      call(call) {
        if (call.path.startsWith('/api/asks')) asked.push(call.path)
        return transport.call(call)
      },
    },
  })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  expect(asked).toEqual([`/api/asks?ids=${recent}`])
  expect([...thread.getState().asks.keys()].sort()).toEqual([recent, open].sort())
  await thread.loadOlder()
  await until(() => thread.getState().asks.size === 4, 'the asks of the older page')
  expect(asked.slice(1)).toEqual([`/api/asks?ids=${old.join()}`])
  client.close()
})

it('learns the outcome of an ask that was settled while nobody told it', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const meddling = meddleWith(httpTransport(test.gateway.url))
  const client = createGatewayClient({ transport: meddling.transport })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  expect(thread.getState().asks.get(ask.id)?.outcome).toBeUndefined()
  meddling.freeze()
  await test.api.answer(ask, { kind: 'deny' })
  await agent.start.emit(say(50))
  meddling.inject({ type: 'unreadable' })
  await until(() => thread.getState().asks.get(ask.id)?.outcome?.kind === 'denied', 'the outcome')
  client.close()
})

it('I10 lets go of the oldest items of a thread that goes on and on, and reads them again when they are wanted', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  await agent.start.emit(say(150))
  const { ask } = await test.openAsk(agent)
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const thread = client.thread(session.id)
  await ready(thread)
  await thread.loadOlder()
  await until(() => !thread.getState().hasOlder, 'the beginning')
  const last = () => texts(thread.getState().items).at(-1)
  for (let from = 150; from < 6_150; from += 500) {
    await agent.start.emit(say(500, from))
    await until(() => last() === `text ${from + 499}`, 'what came')
    expect(thread.getState().items.length).toBeLessThanOrEqual(KEPT_ITEMS + 700)
  }
  const { items, asks } = thread.getState()
  expect(items.length).toBeGreaterThanOrEqual(KEPT_ITEMS)
  expect(thread.getState().hasOlder).toBe(true)
  expect(asks.has(ask.id)).toBe(false)
  const whole = await wholeThread(test, session.id)
  expect(items).toEqual(whole.slice(-items.length))
  await until(async () => {
    await thread.loadOlder()
    return !thread.getState().hasOlder
  }, 'the beginning again')
  expect(thread.getState().items).toEqual(whole)
  expect(thread.getState().asks.get(ask.id)).toEqual(ask)
  client.close()
})

it('says that it could not be read, and reads when it can', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  await agent.say('hello')
  const transport = httpTransport(test.gateway.url)
  let isDown = true
  const client = createGatewayClient({
    transport: {
      ...transport,
      call: (call) => (isDown ? Promise.resolve({ status: 503, body: undefined }) : transport.call(call)),
    },
  })
  await live(client)
  const thread = client.thread(session.id)
  await until(() => thread.getState().state === 'failed', 'the failure')
  isDown = false
  await ready(thread)
  expect(texts(thread.getState().items)).toEqual(['hello'])
  const unknown = client.thread('ses_00000000000000000000000000')
  await until(() => unknown.getState().state === 'failed', 'a refusal')
  client.close()
})

it('T69 says that the record was changed, and does not try again', async () => {
  await using test = await startTestGateway()
  const { session } = await test.session()
  const transport = httpTransport(test.gateway.url)
  let reads = 0
  const client = createGatewayClient({
    transport: {
      ...transport,
      async call(call) {
        if (!call.path.includes('/items')) return transport.call(call)
        reads++
        return { status: 409, body: { error: { code: 'record_damaged', message: 'It was changed.' } } }
      },
    },
  })
  await live(client)
  const thread = client.thread(session.id)
  await until(() => thread.getState().state === 'damaged', 'the refusal')
  expect(reads).toBe(1)
  client.close()
})

it('is silent once it is closed', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const client = createGatewayClient({ transport: httpTransport(test.gateway.url) })
  await live(client)
  const [thread, other] = [client.thread(session.id), client.thread(session.id)]
  await Promise.all([ready(thread), ready(other)])
  let notices = 0
  thread.subscribe(() => notices++)
  thread.close()
  await agent.say('to the other')
  await until(() => other.getState().items.length === 1, 'the item')
  expect(notices).toBe(0)
  expect(thread.getState().items).toEqual([])
  client.close()
})
