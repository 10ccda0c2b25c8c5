import type { HistoryDetail } from '@holdpoint/schema/endpoints/history'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { ChannelInput, NoticeSettings, PushMessage } from '@holdpoint/schema/notification'
import type { Snapshot } from '@holdpoint/schema/stream'
import { apiClient } from '@holdpoint/testing/api-client'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { startPushService } from '@holdpoint/testing/push-service'
import { startStandInTelegram } from '@holdpoint/testing/stand-in-telegram'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

const SETTINGS: NoticeSettings = { kinds: ['ask', 'finished', 'failed', 'message', 'alarm'], content: 'names' }
const BOT_TOKEN = '110201543:words-that-look-like-no-secret'
const CHAT = -1001234567

/**
 * Gateways on one log, in the order of their ids, and a phone that all of them know. `prepare`: what is set up at the first one
 * before the others start.
 */
async function severalGateways({
  count = 2,
  settings = {},
  allow = [],
  prepare = async () => {},
}: {
  count?: number
  settings?: Partial<NoticeSettings>
  allow?: readonly string[]
  prepare?: (first: TestGateway, phone: Awaited<ReturnType<TestGateway['credential']>>) => Promise<void>
} = {}) {
  const { clock, advance } = createManualClock()
  const service = await startPushService()
  const shared = createMemoryCluster()
  const nodes = Array.from({ length: count }, (_, n) => shared.node(`machine ${n}`, clock.now))
  nodes.sort((a, b) => (a.cluster.node < b.cluster.node ? -1 : 1))
  const gateways: TestGateway[] = []
  const start = (n: number) =>
    startTestGateway({ ...(nodes[n] as (typeof nodes)[number]), notifyAllow: [service.place, ...allow], clock })
  const first = await start(0)
  gateways.push(first)
  const phone = await first.credential({ role: 'owner' })
  await phone.api.ok('POST', '/api/notifications/device', {
    subscription: service.subscribe(),
    settings: { ...SETTINGS, ...settings },
  })
  await prepare(first, phone)
  for (let n = 1; n < count; n++) gateways.push(await start(n))
  return {
    shared,
    service,
    gateways: gateways as [TestGateway, TestGateway, TestGateway],
    ids: nodes.map(({ cluster }) => cluster.node),
    phone,
    reach: (n: number, isReachable: boolean) => shared.reach(nodes[n]?.cluster.node as never, isReachable),
    /** An open ask of an agent of this gateway, once the others know of it. */
    async ask(at: TestGateway, request: Parameters<TestGateway['openAsk']>[1] = {}) {
      const { agent, session } = await at.session()
      const opened = await at.openAsk(agent, request)
      for (const { api } of gateways)
        await until(async () => (await api.openAsks()).some(({ id }) => id === opened.ask.id), 'the ask everywhere')
      return { ...opened, agent, session }
    },
    /** Time passes, and everybody looks at the log each second. */
    async pass(seconds: number) {
      for (let n = 0; n < seconds; n++) {
        advance(1_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    /** What was pushed, by tag. A test of each gateway comes last: what one of them had to send before has come by then. */
    async pushed() {
      const from = service.pushed.length
      for (const { gateway } of gateways) {
        const api = apiClient(gateway.url, phone.secret)
        const before = service.pushed.length
        const tested = api.ok('POST', '/api/notifications/test', { to: phone.device.id })
        await service.until(service.requests() + 1)
        await until(() => service.pushed.length > before, 'the test')
        const tests = service.pushed.flatMap(({ message }) => (message.tag === 'test' ? [message] : []))
        const { receipt, to } = tests.at(-1) as PushMessage
        await api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
        await tested
      }
      const tags = service.pushed.map(({ message }) => message.tag)
      expect(tags.slice(from).filter((tag) => tag === 'test')).toHaveLength(gateways.length)
      return tags.filter((tag) => tag !== 'test')
    },
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

const trail = (at: TestGateway, id: string) => at.api.ok<HistoryDetail>('GET', `/api/history/${id}`)

/** Waits until the log says so many times that somebody was told of it. */
const told = (at: TestGateway, id: string, count = 1) =>
  until(async () => (await trail(at, id)).notified.filter(({ step }) => step === 'sent').length === count, 'the step')

describe('of several gateways', () => {
  it('the one of the session’s machine pushes, and no other', async () => {
    await using world = await severalGateways()
    const { service, gateways } = world
    const asks = [await world.ask(gateways[0]), await world.ask(gateways[1])]
    await world.pass(4)
    for (const { ask } of asks) await told(gateways[0], ask.id)
    const { session, agent } = await gateways[1].session()
    agent.die()
    await service.message(({ tag }) => tag === `finished-${session.id}`)
    expect(await world.pushed()).toEqual([...asks.map(({ ask }) => ask.id), `finished-${session.id}`])
    expect(service.pushed.find(({ message }) => message.tag === asks[1]?.ask.id)?.message.waiting).toBe(2)
  })

  it('one makes no sound within a minute of another one’s, and rings at the end of it', async () => {
    await using world = await severalGateways()
    const { service, gateways } = world
    const { ask: first } = await world.ask(gateways[0])
    await service.message(({ tag }) => tag === first.id)
    const { ask } = await world.ask(gateways[1])
    await world.pass(3)
    expect(await service.message(({ tag }) => tag === ask.id)).toMatchObject({ silent: true })
    await world.pass(60)
    expect(await service.message(({ tag, silent }) => tag === ask.id && !silent)).toMatchObject({ tag: ask.id })
  })

  it('each counts the asks of its machine in a notice of its own', async () => {
    await using world = await severalGateways()
    const { service, gateways } = world
    for (const gateway of gateways) {
      const { agent } = await world.ask(gateway)
      await gateway.openAsk(agent)
    }
    await world.pass(3)
    const several = ({ tag, title }: PushMessage) => tag.startsWith('asks') && title === '2 asks need your answer'
    await until(
      () => new Set(service.pushed.flatMap(({ message }) => (several(message) ? message.tag : []))).size === 2,
      'both',
    )
  })

  it('another one takes over what was not told while a machine cannot be reached, and nothing comes twice when it is back', async () => {
    await using world = await severalGateways({ count: 3 })
    const { service, gateways } = world
    const owner = gateways[2]
    const { ask: known } = await world.ask(owner)
    await told(owner, known.id)
    service.answer(503)
    const { ask } = await world.ask(owner)
    await world.pass(3)
    await service.until(2)
    service.answer(201)
    world.reach(2, false)
    await world.pass(20)
    await told(gateways[1], ask.id)
    world.reach(2, true)
    await world.pass(20)
    expect(await world.pushed()).toEqual([known.id, ask.id])
  })

  it('one escalates, also when it takes over or is back', async () => {
    await using world = await severalGateways({
      settings: { kinds: ['alarm'] },
      prepare: (first, { device }) =>
        first.api.ok('POST', '/api/notifications/escalations', {
          escalations: [{ afterMinutes: 1, to: [device.id], inQuietHours: false }],
        }),
    })
    const { service, gateways } = world
    const { ask: one } = await world.ask(gateways[1])
    await world.pass(80)
    await told(gateways[0], one.id)
    // Due where nothing can be sent, and taken over after that.
    service.answer(503, { 'retry-after': '600' })
    const { ask: two } = await world.ask(gateways[1])
    await world.pass(80)
    await service.until(2)
    service.answer(201)
    world.reach(1, false)
    await world.pass(30)
    await told(gateways[0], two.id)
    world.reach(1, true)
    await world.pass(80)
    expect(await world.pushed()).toEqual([one.id, two.id])
  })

  it('none pushes to a device whose page at another one is in front, until that goes to the back', async () => {
    await using world = await severalGateways()
    const { service, gateways, phone } = world
    const page = await openJsonSocket(gateways[1].gateway.url, '/api/stream', phone.headers)
    page.send({ type: 'attention', inFront: true })
    page.send({ type: 'subscribe', ref: 'heard' })
    await page.message(({ type }) => type === 'subscribed', 'the reply')
    const { ask } = await world.ask(gateways[0])
    await world.pass(30)
    expect(await world.pushed()).toEqual([])
    page.close()
    await service.message(({ tag }) => tag === ask.id)
    await told(gateways[0], ask.id)
    expect(await world.pushed()).toEqual([ask.id])
  })

  it('all show the same: who was told, who has seen it, and how far notices came', async () => {
    await using world = await severalGateways()
    const { service, gateways, phone } = world
    const { ask } = await world.ask(gateways[0])
    const { receipt, to } = await service.message(({ tag }) => tag === ask.id)
    await gateways[1].api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
    await apiClient(gateways[1].gateway.url, phone.secret).ok('POST', `/api/asks/${ask.id}/seen`)
    const shownAt = async ({ gateway, api }: TestGateway) => {
      const socket = await openJsonSocket(gateway.url, '/api/stream', phone.headers)
      socket.send({ type: 'subscribe', ref: 'all' })
      const snapshot = (await socket.message(({ type }) => type === 'snapshot', 'it')) as Partial<Snapshot>
      socket.close()
      const { devices } = await api.ok<Notifications>('GET', '/api/notifications')
      return { notices: snapshot.notices, states: devices?.map(({ state }) => state) }
    }
    const steps = async (at: TestGateway) => (await shownAt(at)).notices?.[0]?.notified.length === 2
    for (const gateway of gateways) await until(() => steps(gateway), 'both steps')
    const [first, second] = [await shownAt(gateways[0]), await shownAt(gateways[1])]
    expect(first).toMatchObject({
      notices: [{ notified: [{ step: 'sent' }, { step: 'shown' }], seen: [{ by: { device: phone.device.id } }] }],
      states: [{ sentAt: expect.any(Number), shownAt: expect.any(Number) }],
    })
    expect(second).toEqual(first)
    service.answer(403)
    await gateways[0].api.ok('POST', '/api/notifications/test', { to })
    expect((await shownAt(gateways[1])).states).toEqual((await shownAt(gateways[0])).states)
    expect((await shownAt(gateways[1])).states).toMatchObject([{ failed: { reason: expect.stringContaining('403') } }])
  })

  it('each tests the way to a device, whichever one gets the receipt', async () => {
    await using world = await severalGateways()
    const { service, gateways, phone } = world
    const [a, b] = gateways
    const tested = b.api.ok<{ steps: unknown }>('POST', '/api/notifications/test', { to: phone.device.id })
    const { receipt, to } = await service.message(({ tag }) => tag === 'test')
    await a.api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
    expect((await tested).steps).toMatchObject([
      { step: 'sent', ok: true },
      { step: 'shown', ok: true },
    ])
  })
})

describe('T58 a button of a notice of another gateway', () => {
  const press = ({ api }: TestGateway, body: object) => api.call('POST', '/api/notifications/answers', body)

  async function button(world: Awaited<ReturnType<typeof severalGateways>>) {
    const opened = await world.ask(world.gateways[0])
    const { deny: token = '', to } = await world.service.message(({ tag }) => tag === opened.ask.id)
    return { ...opened, token, to }
  }

  it('answers once, as the device that it was sent to', async () => {
    await using world = await severalGateways()
    const [a, b] = world.gateways
    const { outcome, token, to } = await button(world)
    expect(token.length).toBeLessThanOrEqual(64)
    expect(await press(b, { token, to })).toMatchObject({
      status: 200,
      body: { outcome: { kind: 'denied', via: 'push', by: { device: world.phone.device.id } } },
    })
    expect(await outcome).toMatchObject({ kind: 'denied' })
    expect(await press(b, { token, to })).toMatchObject({ status: 409, body: { error: { code: 'already_settled' } } })
    expect((await press(a, { token, to })).status).toBe(409)
  })

  it('has no effect when it is forged, for another device, or names another gateway', async () => {
    await using world = await severalGateways()
    const [a, b] = world.gateways
    const other = await b.credential({ role: 'owner' })
    const { ask, token, to } = await button(world)
    const [head = '', subject, time, mac] = token.split('.')
    const attempts = [
      { token: `a${head.slice(1)}.${subject}.${time}.${mac}`, to },
      { token: `${head}.${subject}.${time}.${'A'.repeat(22)}`, to },
      { token: `${head}.${subject}.zzzzzz.${mac}`, to },
      { token: `d.${subject}.${time}.${mac}`, to },
      { token: `dzzzzz.${subject}.${time}.${mac}`, to },
      { token: `d${world.ids[1]?.slice(-5)}.${subject}.${time}.${mac}`, to },
      { token, to: other.device.id },
    ]
    for (const attempt of attempts) expect((await press(b, attempt)).status, JSON.stringify(attempt)).toBe(404)
    expect((await a.store.ask(ask.id))?.outcome).toBeUndefined()
  })

  it('[I8] has no effect where the gateway that made it knows that the device was revoked', async () => {
    await using world = await severalGateways()
    const [a, b] = world.gateways
    const { ask, token, to } = await button(world)
    await a.gateway.devices.revoke(world.phone.device.id)
    expect((await press(b, { token, to })).status).not.toBe(200)
    expect((await a.store.ask(ask.id))?.outcome).toBeUndefined()
  })

  it('is refused like one that is not known while that gateway is gone, and its receipt is lost', async () => {
    await using world = await severalGateways()
    const [a, b] = world.gateways
    const { ask, token, to } = await button(world)
    const { receipt } = await world.service.message(({ tag }) => tag === ask.id)
    world.reach(0, false)
    expect(await press(b, { token, to })).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('not valid any more') } },
    })
    const reported = await b.api.call('POST', '/api/notifications/receipts', { token: receipt, to })
    expect(reported.status).toBe(404)
    expect((await a.store.ask(ask.id))?.outcome).toBeUndefined()
  })
})

describe('a chat with a bot', () => {
  const SENDER = 42

  async function withChat() {
    const telegram = await startStandInTelegram({ token: BOT_TOKEN, chatId: CHAT })
    const world = await severalGateways({
      allow: [telegram.place],
      settings: { kinds: ['alarm'] },
      prepare: async (first, { device }) => {
        const channel: ChannelInput = {
          name: 'Ops',
          enabled: true,
          settings: SETTINGS,
          target: {
            type: 'telegram',
            token: BOT_TOKEN,
            chatId: String(CHAT),
            server: telegram.url,
            senders: [{ userId: String(SENDER), deviceId: device.id }],
          },
        }
        await first.api.ok('POST', '/api/notifications/channels', channel)
      },
    })
    return {
      ...world,
      telegram,
      /** The message about a new ask of the second machine. */
      async message() {
        const { ask } = await world.ask(world.gateways[1])
        await world.pass(4)
        await until(() => telegram.messages().length > 0, 'the message')
        const message = telegram.messages().at(-1)
        if (!message) throw new Error('no message')
        return { ask, message }
      },
      async [Symbol.asyncDispose]() {
        await world[Symbol.asyncDispose]()
        await telegram.close()
      },
    }
  }

  it('has one reader, and a press answers whichever gateway sent the message', async () => {
    await using world = await withChat()
    const { telegram, gateways } = world
    const { ask, message } = await world.message()
    await until(() => telegram.readers() === 1, 'the reader')
    expect(await telegram.press(message, 'Deny', { userId: SENDER })).toBe('Denied.')
    expect(await gateways[0].store.ask(ask.id)).toMatchObject({ outcome: { kind: 'denied', via: 'telegram' } })
    expect(telegram.readers()).toBeLessThanOrEqual(1)
    expect(telegram.texts).toHaveLength(1)
  })

  it('is read by another gateway when the reader is gone, and a press that was handled is not handled again', async () => {
    await using world = await withChat()
    const { telegram } = world
    const { message } = await world.message()
    await until(() => telegram.readers() === 1, 'the reader')
    const handled = telegram.nextUpdateId()
    const press = { userId: SENDER, data: message.buttons.find(({ text }) => text === 'Deny')?.callback_data ?? '' }
    expect(await telegram.press(message, 'Deny', press)).toBe('Denied.')
    const before = telegram.calls.length
    world.reach(0, false)
    await until(
      () => telegram.calls.slice(before).includes('getUpdates') && telegram.readers() === 1,
      'the next reader',
    )
    const callback = { id: 'again', from: { id: SENDER }, message: { chat: { id: CHAT } }, data: press.data }
    telegram.replay({ update_id: handled, callback_query: callback })
    // Handled in order: when this one is told, the one before it was passed over.
    expect(await telegram.press(message, 'Deny', press)).toContain('already')
    expect(telegram.calls.filter((method) => method === 'answerCallbackQuery')).toHaveLength(2)
    world.reach(0, true)
    await until(() => telegram.readers() === 1, 'the first reader again')
    expect(await telegram.press(message, 'Deny', press)).toContain('already')
  })

  it('answers nothing while the record cannot be written: the press is read again', async () => {
    await using world = await withChat()
    const { telegram, gateways } = world
    const { message } = await world.message()
    const { records } = gateways[0].store as { records: { put: (...of: unknown[]) => Promise<void> } }
    const { put } = records
    let refusals = 0
    records.put = async (collection, ...rest) => {
      if (collection === 'chats-read' && refusals++ === 0) throw new Error('cut off')
      return put.call(records, collection, ...rest)
    }
    const replied = telegram.press(message, 'Deny', { userId: SENDER })
    await until(() => refusals > 0, 'the refusal')
    await world.pass(3)
    expect(await replied).toBe('Denied.')
    expect(telegram.calls.filter((method) => method === 'answerCallbackQuery')).toHaveLength(1)
  })
})
