import { rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { sizeOf } from '@holdpoint/core/size-of'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openEventSource } from '@holdpoint/testing/event-source'
import { overrideStore } from '@holdpoint/testing/override-store'
import { UPGRADE } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { MAX_LAG_SIZE } from '../stream/fan-out.ts'
import { LARGE } from '../stream/light.ts'
import { createPartialTexts } from '../stream/partial-texts.ts'
import { PIECE } from '../stream/snapshot.ts'
import { serveEvents } from '../stream/sse.ts'
import { HIGH_WATER } from '../transport/drained.ts'
import type { TextSink } from '../transport/text-sink.ts'
import { SMALL_REPLY } from '../transport/unread.ts'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const MEGABYTE = 1_000_000

const writing = (length: number, n = 0) => ({
  tool: { name: 'Write', input: { file_path: `/repo/${n}.txt`, content: 'x'.repeat(length) } },
  title: `Write: /repo/${n}.txt`,
})

/** Raises asks and waits until they are open. Whatever is refused is counted. */
async function raise(test: TestGateway, options: { sessions: number; each: number; length: number }) {
  let refused = 0
  const { ledger } = test.gateway
  const open = () => [...ledger.views().values()].reduce((sum, { asks }) => sum + asks.size, 0)
  const before = open()
  for (let session = 0; session < options.sessions; session++) {
    const { agent } = await test.session()
    for (let n = 0; n < options.each; n++) agent.ask(writing(options.length, n)).catch(() => refused++)
  }
  await until(() => open() - before + refused === options.sessions * options.each, 'every ask to be open or refused')
  return { open: open() - before, refused }
}

/** A client that is connected and reads nothing. */
function stuckClient(test: TestGateway) {
  let held = 0
  const leaving = new AbortController()
  const out: TextSink = {
    write(text) {
      held += text.length
    },
    get writable() {
      return held < HIGH_WATER
    },
    ready: () => (held < HIGH_WATER ? Promise.resolve() : new Promise(() => {})),
    onDrain: () => {},
    end: () => {},
    destroy: () => leaving.abort(),
  }
  const device = { id: 'dev', role: 'owner' } as unknown as Device
  const { ledger, fanOut } = test.gateway
  const deps = {
    ledger,
    fanOut,
    store: test.store,
    partialTexts: createPartialTexts(),
    askNotices: { of: () => undefined },
  }
  void serveEvents(deps, { out, device, signal: leaving.signal })
  return { held: () => held, leave: () => leaving.abort() }
}

it('F58 keeps what 24 clients that read nothing hold small, whatever is open', async () => {
  await using test = await startTestGateway()
  // Not large by themselves: 7.5 MB of them.
  await raise(test, { sessions: 3, each: 100, length: 25_000 })
  const clients = Array.from({ length: 24 }, () => stuckClient(test))
  // And these come while they are connected.
  const { open, refused } = await raise(test, { sessions: 4, each: 10, length: MEGABYTE })
  expect({ open, refused }).toEqual({ open: 28, refused: 12 })
  for (const client of clients) {
    expect(client.held()).toBeGreaterThan(HIGH_WATER)
    expect(client.held()).toBeLessThan(HIGH_WATER + 2 * PIECE)
  }
  expect(test.gateway.fanOut.keptSize()).toBeLessThan(2 * MAX_LAG_SIZE + 2 * MEGABYTE)
  for (const client of clients) client.leave()

  const reader = await openStream(test.gateway.url, BEARER)
  reader.send({ type: 'subscribe', ref: 'r' })
  await until(() => reader.messages.some(({ type }) => type === 'subscribed'), 'the word')
  const parts = reader.messages.filter(({ type }) => type === 'snapshot-part')
  expect(parts.flatMap(({ asks }) => asks as Ask[])).toHaveLength(300 + open)
  expect(Math.max(...parts.map((part) => JSON.stringify(part).length))).toBeLessThan(2 * PIECE)
  expect(parts.map(({ seq }) => seq !== undefined).indexOf(true)).toBe(parts.length - 1)
  reader.close()
})

it('F58 lists and streams a large ask without what is large in it, and without the digest that answers it', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const streams = [await openStream(test.gateway.url, BEARER), await openStream(test.gateway.url, BEARER)]
  streams[0]?.send({ type: 'subscribe', ref: 'r' })
  await until(() => streams[0]?.messages.some(({ type }) => type === 'subscribed'), 'the word')
  const request = writing(MEGABYTE, 7)
  await agent.start.emit([
    { type: 'item', item: { type: 'tool-call', toolUseId: 't', name: 'Write', input: request.tool.input } },
  ])
  const outcome = agent.ask(request)
  const [listed] = await until(async () => {
    const asks = await test.api.openAsks(session.id)
    return asks.length > 0 && asks
  }, 'the ask')
  streams[1]?.send({ type: 'subscribe' })
  const raised = await until(
    () => streams[0]?.messages.find(({ event }) => event?.type === 'ask-raised')?.event?.ask as Ask,
    'the event',
  )
  const [snapshot] = await until(() => {
    const frame = streams[1]?.messages.find(({ type }) => type === 'snapshot')
    return frame && (frame.asks as Ask[])
  }, 'the snapshot')
  const whole = await test.api.ok<Ask>('GET', `/api/asks/${listed?.id}`)
  expect(whole.tool?.input).toEqual(request.tool.input)
  expect(whole.omitted).toBeUndefined()
  for (const light of [listed, raised, snapshot]) {
    expect(JSON.stringify(light).length).toBeLessThan(LARGE)
    expect(light).toMatchObject({
      id: whole.id,
      title: whole.title,
      digest: '',
      omitted: { digest: whole.digest },
      tool: { name: 'Write', input: { file_path: '/repo/7.txt', content: '' } },
    })
    expect(light?.omitted?.characters).toBeGreaterThan(MEGABYTE)
  }

  // Whoever answers what the list shows answers nothing.
  expect((await test.api.answer({ id: whole.id, digest: listed?.digest ?? '' }, { kind: 'allow' })).status).toBe(409)
  const { items } = await test.api.ok<{ items: { id: string; type: string; omitted?: number }[] }>(
    'GET',
    `/api/sessions/${session.id}/items`,
  )
  const call = items.find(({ type }) => type === 'tool-call')
  expect(call?.omitted).toBeGreaterThan(MEGABYTE)
  expect(JSON.stringify(items).length).toBeLessThan(LARGE)
  expect(await test.api.ok('GET', `/api/sessions/${session.id}/items/${call?.id}`)).toMatchObject({
    input: request.tool.input,
  })
  expect((await test.api.answer(whole, { kind: 'allow' })).status).toBe(200)
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  for (const stream of streams) stream.close()
})

it('F58 lists many asks in pages, each once', async () => {
  await using test = await startTestGateway()
  await raise(test, { sessions: 2, each: 100, length: 25_000 })
  const ids: string[] = []
  let pages = 0
  for (let next = ''; ; pages++) {
    const path = `/api/asks${next && `?next=${next}`}`
    const page = await test.api.ok<{ asks: Ask[]; next?: string }>('GET', path)
    expect(JSON.stringify(page).length).toBeLessThan(5 * MEGABYTE)
    ids.push(...page.asks.map(({ id }) => id))
    if (!page.next) break
    next = page.next
  }
  expect(new Set(ids).size).toBe(200)
  expect(ids).toHaveLength(200)
  expect(pages).toBeGreaterThan(0)
})

it('F58 the permission dialect carries inputs whole, in a list that is bounded', async () => {
  await using test = await startTestGateway()
  await raise(test, { sessions: 4, each: 4, length: 1_900_000 })
  const { requests, more } = await test.api.ok<{ requests: unknown[]; more?: number }>('GET', '/permission/pending')
  expect(requests.length).toBeGreaterThan(0)
  expect(requests.length + (more ?? 0)).toBe(16)
  expect(JSON.stringify(requests).length).toBeLessThan(10 * MEGABYTE)
  const events = await openEventSource<unknown>(`${test.gateway.url}/event`, BEARER)
  const { agent } = await test.session()
  agent.ask(writing(MEGABYTE)).catch(() => {})
  await until(() => events.messages.length > 0, 'the event')
  expect(JSON.stringify(events.messages).length).toBeGreaterThan(MEGABYTE)
  events.close()
})

it('F58 gives a thread of large messages in pages that are bounded, each message once', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const texts = Array.from({ length: 12 }, (_, n) => `${n} ${'x'.repeat(MEGABYTE)}`)
  for (const text of texts) await agent.say(text)
  const found: string[] = []
  let pages = 0
  for (let before = ''; ; pages++) {
    const path = `/api/sessions/${session.id}/items?limit=500${before}`
    const page = await test.api.ok<{ items: { text: string }[]; nextBefore?: number }>('GET', path)
    expect(JSON.stringify(page).length).toBeLessThan(6 * MEGABYTE)
    found.unshift(...page.items.map(({ text }) => text))
    if (page.nextBefore === undefined) break
    before = `&before=${page.nextBefore}`
  }
  expect(found.map((text) => text.slice(0, 2))).toEqual(texts.map((text) => text.slice(0, 2)))
  expect(pages).toBeGreaterThan(0)
})

it('F58 gives the history of large asks in pages that are bounded, each once, also to a narrow credential', async () => {
  const read: number[] = []
  const memory = createMemoryStore()
  const store = overrideStore(memory, {
    async asks(query) {
      const page = await memory.asks(query)
      read.push(page.reduce((sum, { ask }) => sum + sizeOf(ask), 0))
      return page
    },
  })
  await using test = await startTestGateway({ store })
  const sessions = [await test.session(), await test.session()]
  const ids: string[] = []
  for (let n = 0; n < 14; n++) {
    // Of one session more, and larger, than of the other.
    const { agent } = sessions[n % 3 === 0 ? 1 : 0] ?? (await test.session())
    const { ask } = await test.openAsk(agent, { ...writing(n % 3 === 0 ? 200_000 : MEGABYTE), requestId: `r${n}` })
    expect((await test.api.answer(ask, { kind: 'deny' })).status).toBe(200)
    ids.unshift(ask.id)
  }
  const narrow = await test.credential({ role: 'viewer', sessionIds: sessions.map(({ session }) => session.id) })
  for (const api of [test.api, narrow.api]) {
    const found: string[] = []
    for (let next = ''; ; ) {
      const page = await api.ok<{ asks: Ask[]; next?: string }>('GET', `/api/asks?status=settled${next}`)
      found.push(...page.asks.map(({ id }) => id))
      if (!page.next) break
      next = `&next=${page.next}`
    }
    expect(found).toEqual(ids)
  }
  expect(read.length).toBeGreaterThan(6)
  expect(Math.max(...read)).toBeLessThan(6 * MEGABYTE)
})

it('F58 lets others have their turn while it reads asks by their ids', async () => {
  const turns: boolean[] = []
  let isNextTurn = false
  const turned = () => {
    isNextTurn = true
  }
  const memory = createMemoryStore()
  const store = overrideStore(memory, {
    ask(id) {
      if (turns.length === 0) setImmediate(turned)
      turns.push(isNextTurn)
      return memory.ask(id)
    },
  })
  await using test = await startTestGateway({ store })
  const { agent } = await test.session()
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    const { ask } = await test.openAsk(agent, { requestId: `r${n}` })
    expect((await test.api.answer(ask, { kind: 'deny' })).status).toBe(200)
    ids.push(ask.id)
  }
  isNextTurn = false
  turns.splice(0)
  const { asks } = await test.api.ok<{ asks: Ask[] }>('GET', `/api/asks?ids=${ids.join()}`)
  expect(asks.map(({ id }) => id)).toEqual(ids)
  expect(turns).toEqual([false, true, true])
})

it('F58 makes the lists of a credential one after another, others meanwhile, and none for who has gone', async () => {
  const memory = createMemoryStore()
  const asked: string[] = []
  let goOn = () => {}
  let held: Promise<void> | undefined
  const store = overrideStore(memory, {
    async ask(id) {
      asked.push(id)
      await held
      return memory.ask(id)
    },
  })
  await using test = await startTestGateway({ store })
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  await test.api.answer(ask, { kind: 'deny' })
  const [one, other] = [await test.credential({ role: 'viewer' }), await test.credential({ role: 'viewer' })]
  const path = `/api/asks?ids=${ask.id}`
  const hold = () => {
    asked.splice(0)
    held = new Promise((resolve) => {
      goOn = resolve
    })
  }

  hold()
  const replies = [one.api.call('GET', path)]
  await until(() => asked.length === 1, 'the first to be read')
  replies.push(one.api.call('GET', path), one.api.call('GET', path))
  for (let n = 0; n < 3; n++) expect((await one.api.call('GET', '/api/health')).status).toBe(200)
  replies.push(other.api.call('GET', path))
  await until(() => asked.length > 1, 'the other one to be read')
  for (let n = 0; n < 3; n++) expect((await one.api.call('GET', '/api/health')).status).toBe(200)
  expect(asked).toHaveLength(2)
  goOn()
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(asked).toHaveLength(4)

  hold()
  const direct = test.gateway.direct(one.device.id)
  const leaving = new AbortController()
  const first = direct.call({ method: 'GET', path })
  const second = direct.call({ method: 'GET', path, signal: leaving.signal })
  await until(() => asked.length === 1, 'the first to be read')
  leaving.abort()
  goOn()
  await Promise.all([first, second])
  expect(asked).toHaveLength(1)
})

it('F58 reads the past for a client piece by piece, however large it is', async () => {
  const read: number[] = []
  const memory = createMemoryStore()
  const store = overrideStore(memory, {
    async events(query) {
      const page = await memory.events(query)
      read.push(page.reduce((sum, { event }) => sum + sizeOf(event), 0))
      return page
    },
  })
  await using test = await startTestGateway({ store })
  const { agent } = await test.session()
  for (let n = 0; n < 12; n++) await agent.say(`${n} ${'x'.repeat(MEGABYTE)}`)
  const reader = await openStream(test.gateway.url, BEARER)
  reader.send({ type: 'subscribe', ref: 'r', after: 0 })
  await until(() => reader.messages.some(({ type }) => type === 'subscribed'), 'the word')
  const seqs = () => reader.messages.flatMap(({ type, seq }) => (type === 'event' ? [seq] : []))
  // What was said last may be committed only now.
  await until(async () => seqs().length === (await test.events()), 'all that was said')
  expect(seqs()).toEqual(seqs().map((_, n) => n + 1))
  expect(seqs().length).toBeGreaterThan(12)
  expect(Math.max(...read)).toBeLessThan(6 * MEGABYTE)
  reader.close()
})

interface UnreadCalls {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly count: number
  /** Calls in one packet. */
  readonly inEach?: number
  /** What the packet asks for before. */
  readonly first?: string
}

/** Connections that ask and read nothing of what they are sent; `read` makes one read on. */
function unreadCalls(url: string, request: UnreadCalls) {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, ...request.headers }).map(([name, value]) => `${name}: ${value}`)
  const paths = [...(request.first ? [request.first] : []), ...Array(request.inEach ?? 1).fill(request.path)]
  const packet = paths.map((path) => `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`).join('')
  const sockets = Array.from({ length: request.count }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(packet)
    return socket.pause()
  })
  return { sockets, close: () => sockets.map((socket) => socket.destroy()) }
}

/**
 * Calls until the budget is used up. What was granted counts in full until the system has taken its part of it, and calls
 * that come meanwhile are refused: so it calls again, until nothing is taken any more.
 */
async function useUpBudget(test: TestGateway, request: UnreadCalls) {
  const calls: ReturnType<typeof unreadCalls>[] = []
  const { unread } = test.gateway
  await until(async () => {
    const before = unread.size()
    if (before < UNREAD_LIMIT) calls.push(unreadCalls(test.gateway.url, request))
    for (let n = 0; n < 10; n++) await test.api.call('GET', '/api/health')
    return unread.size() >= UNREAD_LIMIT && unread.size() === before
  }, 'the budget to be used up')
  return {
    close() {
      for (const call of calls) call.close()
    },
  }
}

function headOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (data) => resolve(data.toString('latin1').slice(0, 2000))))
}

const UNREAD_LIMIT = 16 * 1024 * 1024
const LARGEST_REPLY = 10 * MEGABYTE

it('F58 counts replies that a credential does not take, and refuses it large ones beyond a budget', async () => {
  await using test = await startTestGateway()
  const { unread } = test.gateway
  await raise(test, { sessions: 2, each: 4, length: 1_900_000 })
  const viewer = await test.credential({ role: 'viewer' })
  const calls = await useUpBudget(test, { path: '/permission/pending', headers: viewer.headers, count: 12 })
  const refused = await until(async () => {
    const reply = await fetch(`${test.gateway.url}/permission/pending`, { headers: viewer.headers })
    const body = await reply.text()
    return reply.status === 503 && { retryAfter: reply.headers.get('retry-after'), body }
  }, 'a refusal')
  expect(refused).toEqual({ retryAfter: '5', body: expect.stringContaining('not read yet') })
  expect(unread.size()).toBeLessThan(UNREAD_LIMIT + LARGEST_REPLY)
  // What is small goes, and so does what others want.
  expect((await viewer.api.call('GET', '/api/health')).status).toBe(200)
  expect((await viewer.api.call('GET', '/api/asks')).status).toBe(200)
  const other = await test.credential({ role: 'viewer' })
  expect((await other.api.call('GET', '/permission/pending')).status).toBe(200)
  // Who takes what was sent may have more.
  calls.close()
  await until(() => unread.size() === 0, 'nothing to be unread')
  expect((await viewer.api.call('GET', '/permission/pending')).status).toBe(200)
})

it('F58 I10 has room for a file before it reads it: without room it is refused unread', async () => {
  await using test = await startTestGateway()
  const upload = { method: 'POST', headers: { ...BEARER, 'content-type': 'image/png' }, body: Buffer.alloc(8_000_000) }
  const reply = await fetch(`${test.gateway.url}/api/attachments`, upload)
  const { id } = (await reply.json()) as { id: string }
  const path = `/api/attachments/${id}`
  const viewer = await test.credential({ role: 'viewer' })
  const calls = await useUpBudget(test, { path, headers: viewer.headers, count: 40 })
  // Whoever tries to read it now fails.
  await rm(join(test.dataDir, 'attachments', id))
  const refused = { status: 503, body: { error: { code: 'too_much_unread' } } }
  expect(await viewer.api.call('GET', path)).toMatchObject(refused)
  expect(await test.api.call('GET', path)).toMatchObject({ status: 500, body: { error: { code: 'internal' } } })
  expect(test.gateway.unread.size()).toBeLessThan(UNREAD_LIMIT + LARGEST_REPLY)
  calls.close()
  await until(() => test.gateway.unread.size() === 0, 'nothing to be unread')
})

it('F58 gives one large reply to many calls of one packet, refuses nobody else, and ends it with its credential', async () => {
  // Only the end of the credential ends a reply here.
  const patience = { head: 10_000, request: 10_000, goodbye: 1000, taking: 600_000 }
  await using test = await startTestGateway({ patience })
  const { unread } = test.gateway
  await raise(test, { sessions: 2, each: 4, length: 1_900_000 })
  const [viewer, owner] = [await test.credential({ role: 'viewer' }), await test.credential({ role: 'owner' })]
  const packet = { path: '/permission/pending', headers: viewer.headers, inEach: 24 }
  const calls = unreadCalls(test.gateway.url, { ...packet, count: 1 })
  await until(() => unread.size() > 0, 'a reply that is not taken')
  // By then every call of the packet has its reply.
  for (let n = 0; n < 3; n++) expect((await viewer.api.call('GET', '/api/health')).status).toBe(200)
  expect(unread.size()).toBeLessThan(LARGEST_REPLY)
  // Many packets, beyond what this credential may leave.
  const more = await useUpBudget(test, { ...packet, count: 12 })
  for (let n = 0; n < 3; n++) expect((await viewer.api.call('GET', '/api/health')).status).toBe(200)
  expect(unread.size()).toBeLessThan(UNREAD_LIMIT + LARGEST_REPLY)
  expect((await viewer.api.call('GET', '/permission/pending')).status).toBe(503)
  expect((await owner.api.call('GET', '/permission/pending')).status).toBe(200)

  expect((await owner.api.call('DELETE', `/api/devices/${viewer.device.id}`)).status).toBe(204)
  await until(() => unread.size() === 0, 'what it left to be let go')
  for (const socket of calls.sockets) await new Promise((resolve) => socket.once('close', resolve).resume())
  more.close()
})

it('F58 counts each small reply of a packet before it looks whether there is room for the next', async () => {
  await using test = await startTestGateway()
  const { unread } = test.gateway
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent, writing(60_000))
  const viewer = await test.credential({ role: 'viewer' })
  // The first call waits: nothing behind it can be sent.
  const first = `/api/asks/${ask.id}?wait=60`
  const packet = { first, path: '/permission/pending', headers: viewer.headers, inEach: 400 }
  const calls = unreadCalls(test.gateway.url, { ...packet, count: 1 })
  await until(() => unread.size() >= UNREAD_LIMIT, 'the budget to be used up')
  for (let n = 0; n < 3; n++) expect((await viewer.api.call('GET', '/api/health')).status).toBe(200)
  expect(unread.size()).toBeLessThan(UNREAD_LIMIT + SMALL_REPLY + 400 * 1000)
  calls.close()
  await until(() => unread.size() === 0, 'nothing to be unread')
})

it('F58 answers every call of a packet in order: what is small, and that what is large has to wait', async () => {
  await using test = await startTestGateway()
  await raise(test, { sessions: 1, each: 4, length: 1_900_000 })
  const packet = { headers: { ...BEARER, connection: 'keep-alive' }, count: 1, inEach: 3 }
  const replies = async (path: string) => {
    const [socket] = unreadCalls(test.gateway.url, { ...packet, path }).sockets
    if (!socket) throw new Error('no socket')
    let text = ''
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.resume()
    const found = () => text.match(/HTTP\/1\.1 \d+/g) ?? []
    await until(() => found().length === 3, 'three replies')
    socket.destroy()
    return found().map((line) => line.slice(-3))
  }
  expect(await replies('/api/health')).toEqual(['200', '200', '200'])
  expect(await replies('/permission/pending')).toEqual(['200', '503', '503'])
})

it.each([
  ['the sessions of the process protocol', '/ws/', UPGRADE],
  ['what is open, after a place that is not known', '/event', { 'last-event-id': 'gone' }],
])('F58 lets go of streams that do not take %s, beyond the same budget', async (_, path, headers) => {
  await using test = await startTestGateway()
  const { unread } = test.gateway
  await raise(test, { sessions: 2, each: 4, length: 1_900_000 })
  const viewer = await test.credential({ role: 'viewer' })
  const calls = unreadCalls(test.gateway.url, { path, headers: { ...headers, ...viewer.headers }, count: 20 })
  await until(() => unread.size() >= UNREAD_LIMIT, 'the budget to be used up')
  for (let n = 0; n < 3; n++) expect((await viewer.api.call('GET', '/api/health')).status).toBe(200)
  expect(unread.size()).toBeLessThan(UNREAD_LIMIT + LARGEST_REPLY)
  // The first message is not even written down where there is no room for it.
  const late = unreadCalls(test.gateway.url, { path: '/ws/', headers: { ...UPGRADE, ...viewer.headers }, count: 1 })
  for (const socket of late.sockets) {
    await new Promise((resolve) => socket.resume().once('close', resolve))
    expect(socket.bytesRead).toBeLessThan(SMALL_REPLY)
  }
  calls.close()
  await until(() => unread.size() === 0, 'nothing to be unread')
})

it('F58 lets go of whoever takes nothing of a large reply for a while', async () => {
  await using test = await startTestGateway({ patience: { head: 10_000, request: 10_000, goodbye: 1000, taking: 200 } })
  const { unread } = test.gateway
  await raise(test, { sessions: 2, each: 4, length: 1_900_000 })
  const calls = unreadCalls(test.gateway.url, { path: '/permission/pending', headers: BEARER, count: 1 })
  await until(() => unread.size() > 0, 'a reply that is not taken')
  await until(() => unread.size() === 0, 'it to be let go')
  const [socket] = calls.sockets
  if (!socket) throw new Error('no socket')
  expect(await headOf(socket.resume())).toContain('200 OK')
  await new Promise((resolve) => socket.once('close', resolve))
  expect((await test.api.call('GET', '/permission/pending')).status).toBe(200)
})
