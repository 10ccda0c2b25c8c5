import type { HistoryDetail } from '@holdpoint/schema/endpoints/history'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { NoticeSettings } from '@holdpoint/schema/notification'
import type { Snapshot } from '@holdpoint/schema/stream'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startPushService } from '@holdpoint/testing/push-service'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

const SETTINGS: NoticeSettings = { kinds: ['ask', 'finished', 'failed', 'message', 'alarm'], content: 'names' }

async function startPhone(
  settings: Partial<NoticeSettings> = {},
  options: Parameters<typeof startTestGateway>[0] = {},
) {
  const service = await startPushService()
  const test = await startTestGateway({ notifyAllow: [service.place], ...options })
  const phone = await test.credential({ role: 'owner' })
  const subscription = service.subscribe()
  const subscribe = () => ({ subscription, settings: { ...SETTINGS, ...settings } })
  await phone.api.ok('POST', '/api/notifications/device', subscribe())
  const { agent, session } = await test.session()
  return {
    service,
    test,
    phone,
    subscription,
    agent,
    session,
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

const trail = (test: TestGateway, id: string) => test.api.ok<HistoryDetail>('GET', `/api/history/${id}`)
const read = (test: TestGateway) => test.api.ok<Notifications>('GET', '/api/notifications')

describe('a push message', () => {
  it('is encrypted for the browser, signed for its push service, and names the tool and the session alone', async () => {
    await using world = await startPhone()
    const { service, test, agent } = world
    const { ask } = await test.openAsk(agent)
    const message = await service.message(({ tag }) => tag === ask.id)
    expect(message).toMatchObject({ path: `/asks/${ask.id}`, waiting: 1, silent: false, to: world.phone.device.id })
    const [{ headers }] = service.pushed as [(typeof service.pushed)[number]]
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' })
    expect(headers.authorization).toMatch(/^vapid t=.+, k=.+/)
    expect(JSON.stringify(message)).not.toContain(String(ask.tool?.input.command ?? 'no command'))
  })

  it('leaves its steps in the record: sent, shown, seen', async () => {
    await using world = await startPhone()
    const { service, test, phone, agent } = world
    const { ask } = await test.openAsk(agent)
    const { receipt, to } = await service.message(({ tag }) => tag === ask.id)
    const forged = `${String(receipt).slice(0, -1)}${String(receipt).endsWith('A') ? 'B' : 'A'}`
    const refused = await test.api.call('POST', '/api/notifications/receipts', { token: forged, to })
    expect(refused.status).toBe(404)
    for (let n = 0; n < 2; n++) await test.api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
    await until(async () => (await trail(test, ask.id)).notified.length === 2, 'both steps')
    await phone.api.ok('POST', `/api/asks/${ask.id}/seen`)
    const { notified, sightings } = await trail(test, ask.id)
    expect(notified.map(({ step, to: told }) => [step, told.id])).toEqual([
      ['sent', phone.device.id],
      ['shown', phone.device.id],
    ])
    expect(sightings).toMatchObject([{ by: { device: phone.device.id } }])
    expect((await read(test)).devices).toMatchObject([
      { deviceId: phone.device.id, state: { shownAt: expect.any(Number) } },
    ])
  })

  it('is replaced when the ask is answered elsewhere', async () => {
    await using world = await startPhone()
    const { service, test, agent } = world
    const { ask } = await test.openAsk(agent)
    await service.message(({ tag }) => tag === ask.id)
    await test.api.ok('POST', `/api/asks/${ask.id}/answer`, { kind: 'deny', digest: ask.digest })
    const last = await service.message(({ silent }) => silent)
    expect(last).toMatchObject({ tag: ask.id, body: expect.stringMatching(/^Answered/), waiting: 0 })
  })

  it('is not sent to a device whose page is in front', async () => {
    await using world = await startPhone()
    const { service, test, phone, agent } = world
    const socket = await openJsonSocket(test.gateway.url, '/api/stream', phone.headers)
    const say = async (inFront: boolean) => {
      socket.send({ type: 'attention', inFront })
      const from = socket.messages.length
      socket.send({ type: 'subscribe', ref: 'heard' })
      await socket.message(({ type }) => type === 'subscribed', 'the next reply', from)
    }
    await say(true)
    const seen = await test.openAsk(agent)
    await phone.api.ok('POST', `/api/asks/${seen.ask.id}/seen`)
    await say(false)
    const { ask } = await test.openAsk(agent)
    await service.message(({ tag }) => tag === ask.id)
    expect(service.requests()).toBe(1)
  })

  it('is sent when a page goes to the back and nobody has seen the ask there', async () => {
    await using world = await startPhone()
    const { service, test, phone, agent } = world
    const socket = await openJsonSocket(test.gateway.url, '/api/stream', phone.headers)
    socket.send({ type: 'attention', inFront: true })
    socket.send({ type: 'subscribe', ref: 'heard' })
    await socket.message(({ type }) => type === 'subscribed', 'the reply')
    const { ask } = await test.openAsk(agent)
    expect(service.requests()).toBe(0)
    socket.close()
    await service.message(({ tag }) => tag === ask.id)
  })

  it('is sent after a restart if there was no time before', async () => {
    const store = createMemoryStore()
    await using service = await startPushService()
    service.answer(503)
    const before = await startTestGateway({ store, notifyAllow: [service.place] })
    const phone = await before.credential({ role: 'owner' })
    await phone.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
    const { agent } = await before.session()
    const { ask } = await before.openAsk(agent)
    await service.until(1)
    await before.gateway.close()
    service.answer(201)
    await using _after = await startTestGateway({ store, notifyAllow: [service.place] })
    expect(await service.message(({ tag }) => tag === ask.id)).toMatchObject({ silent: false })
  })

  it('is known in the snapshot with who has got it and who has seen the ask, also after a restart', async () => {
    const store = createMemoryStore()
    await using service = await startPushService()
    const before = await startTestGateway({ store, notifyAllow: [service.place] })
    const phone = await before.credential({ role: 'owner' })
    await phone.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
    const { agent } = await before.session()
    const { ask } = await before.openAsk(agent)
    await phone.api.ok('POST', `/api/asks/${ask.id}/seen`)
    await until(async () => (await trail(before, ask.id)).notified.length === 1, 'the step')
    const notices = async (test: TestGateway) => {
      const { headers } = await test.credential({ role: 'owner' })
      const socket = await openJsonSocket(test.gateway.url, '/api/stream', headers)
      socket.send({ type: 'subscribe', ref: 'all' })
      const snapshot = await socket.message(({ type }) => type === 'snapshot', 'the snapshot')
      socket.close()
      return (snapshot as Partial<Snapshot>).notices?.[0]
    }
    const known = {
      askId: ask.id,
      notified: [{ step: 'sent', to: { id: phone.device.id } }],
      seen: [{ by: { device: phone.device.id } }],
    }
    expect(await notices(before)).toMatchObject(known)
    await before.gateway.close()
    await using after = await startTestGateway({ store, notifyAllow: [service.place] })
    expect(await until(() => notices(after), 'the notices of before')).toMatchObject(known)
  })
})

describe('who may not be told', () => {
  it('T12 ends with the credential: revoked or logged out, nothing is sent any more', async () => {
    await using world = await startPhone()
    const { service, test, phone, agent } = world
    const other = await test.credential({ role: 'owner' })
    const kept = service.subscribe()
    await other.api.ok('POST', '/api/notifications/device', { subscription: kept, settings: SETTINGS })
    await test.api.ok('DELETE', `/api/devices/${phone.device.id}`)
    expect((await read(test)).devices).toHaveLength(1)
    await test.openAsk(agent)
    await service.until(1)
    expect(service.pushed.map(({ path }) => path)).toEqual([new URL(kept.endpoint).pathname])
    await other.api.ok('POST', '/api/logout')
    expect((await read(test)).devices).toEqual([])
  })

  it('T5 is somebody with a credential for another session', async () => {
    await using world = await startPhone()
    const { service, test, phone } = world
    const { session: own, agent } = await test.session()
    const { agent: elsewhere } = await test.session()
    const scoped = await test.credential({ role: 'approver', sessionIds: [own.id] })
    // What is sent there is refused, and recorded.
    const subscription = { ...service.subscribe(), endpoint: 'https://localhost/x' }
    await scoped.api.ok('POST', '/api/notifications/device', { subscription, settings: SETTINGS })
    const { ask } = await test.openAsk(elsewhere)
    await service.message(({ tag }) => tag === ask.id)
    const { ask: seen } = await test.openAsk(agent)
    const failed = { step: 'failed', to: { id: scoped.device.id } }
    await until(async () => (await trail(test, seen.id)).notified.length > 0, 'the attempt')
    expect((await trail(test, seen.id)).notified).toMatchObject([failed])
    expect((await trail(test, ask.id)).notified).toMatchObject([{ step: 'sent', to: { id: phone.device.id } }])
    expect(await scoped.api.ok('GET', '/api/notifications')).not.toHaveProperty('devices')
  })

  it('is told, without any content, where a login has run out, and that it may log in', async () => {
    const { clock, advance } = createManualClock()
    const service = await startPushService()
    await using test = await startTestGateway({ notifyAllow: [service.place], clock })
    const phone = await test.credential({ role: 'owner' }, 'browser')
    const subscription = service.subscribe()
    const reply = await fetch(`${test.gateway.url}/api/notifications/device`, {
      method: 'POST',
      headers: { ...phone.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ subscription, settings: { ...SETTINGS, content: 'text' } }),
    })
    expect(reply.status).toBe(200)
    advance(13 * 60 * 60 * 1000)
    expect(test.gateway.devices.current(phone.device.id)).toBeUndefined()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const message = await service.message(({ tag }) => tag === ask.id)
    expect(message).toMatchObject({ title: 'Holdpoint', body: 'Something needs your answer.' })
    expect(message).not.toHaveProperty('deny')
    await service[Symbol.asyncDispose]()
  })

  it('is not sent what still waits for it when it wants no more', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({}, { clock })
    const { service, test, phone, agent } = world
    const other = await test.credential({ role: 'owner' })
    const kept = service.subscribe()
    await other.api.ok('POST', '/api/notifications/device', { subscription: kept, settings: SETTINGS })
    service.answer(503)
    await test.openAsk(agent)
    await service.until(2)
    await phone.api.ok('DELETE', '/api/notifications/device')
    service.answer(201)
    advance(1000)
    await service.until(3)
    expect(service.pushed.map(({ path }) => path)).toEqual([new URL(kept.endpoint).pathname])
  })

  it('is told no content where the login runs out while a notice waits', async () => {
    const { clock, advance } = createManualClock()
    await using service = await startPushService()
    await using test = await startTestGateway({ notifyAllow: [service.place], clock })
    const phone = await test.credential({ role: 'owner' }, 'browser')
    const body = JSON.stringify({ subscription: service.subscribe(), settings: { ...SETTINGS, content: 'text' } })
    const headers = { ...phone.headers, 'content-type': 'application/json' }
    await fetch(`${test.gateway.url}/api/notifications/device`, { method: 'POST', headers, body })
    advance(12 * 60 * 60 * 1000 - 60_000)
    service.answer(503)
    const { ask } = await test.openAsk((await test.session()).agent)
    await service.until(1)
    advance(60_000)
    expect(test.gateway.devices.current(phone.device.id)).toBeUndefined()
    service.answer(201)
    advance(5000)
    const message = await service.message(({ tag }) => tag === ask.id)
    expect(message).toMatchObject({ title: 'Holdpoint', body: 'Something needs your answer.' })
    expect(message).not.toHaveProperty('deny')
  })

  it('F54 keeps a subscription that took the place of one that has ended', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({}, { clock })
    const { service, test, phone, subscription, agent } = world
    service.answer(503)
    const { ask } = await test.openAsk(agent)
    await service.until(1)
    await phone.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
    service.end(subscription)
    service.answer(201)
    advance(1000)
    await service.message(({ tag }) => tag === ask.id)
    expect((await read(test)).devices).toHaveLength(1)
  })

  it('T12 is a device that was revoked, also when the gateway is killed at that moment', async () => {
    const store = createMemoryStore()
    const { records } = store
    await using service = await startPushService()
    const before = await startTestGateway({ store, notifyAllow: [service.place] })
    const phone = await before.credential({ role: 'owner' })
    await phone.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
    const [entry] = await records.list('push-subscriptions')
    await before.api.ok('DELETE', `/api/devices/${phone.device.id}`)
    await before.gateway.close()
    await records.put('push-subscriptions', phone.device.id, entry?.value)
    await using after = await startTestGateway({ store, notifyAllow: [service.place] })
    expect((await read(after)).devices).toEqual([])
    expect(await records.list('push-subscriptions')).toEqual([])
  })

  it('F54 forgets a subscription that the browser has ended', async () => {
    await using world = await startPhone()
    const { service, test, subscription, agent } = world
    service.end(subscription)
    const { ask } = await test.openAsk(agent)
    await until(async () => (await trail(test, ask.id)).notified.length === 1, 'the step')
    expect((await trail(test, ask.id)).notified).toMatchObject([
      { step: 'failed', reason: expect.stringContaining('ended') },
    ])
    expect((await read(test)).devices).toEqual([])
  })
})

describe('F54 a push service that is down', () => {
  it('holds up neither asks nor answers, and is tried again', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({}, { clock })
    const { service, test, agent } = world
    service.answer(503)
    const { ask, outcome } = await test.openAsk(agent)
    await service.until(1)
    service.answer(201)
    advance(1000)
    await service.message(({ tag }) => tag === ask.id)
    await test.api.ok('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
  })
})

describe('a notice that could not be sent', () => {
  it('is not sent of an ask that was settled meanwhile, also where a page is open and no other takes its place', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({}, { clock })
    const { service, test, phone, agent } = world
    const socket = await openJsonSocket(test.gateway.url, '/api/stream', phone.headers)
    socket.send({ type: 'attention', inFront: false })
    socket.send({ type: 'subscribe', ref: 'heard' })
    await socket.message(({ type }) => type === 'subscribed', 'the reply')
    service.answer(503)
    const { ask } = await test.openAsk(agent)
    await service.until(1)
    await test.api.answer(ask, { kind: 'deny' })
    service.answer(201)
    const { ask: later } = await test.openAsk(agent)
    advance(3000)
    await service.message(({ tag }) => tag === later.id)
    expect(service.requests()).toBe(2)
    socket.close()
  })
})

describe('T58 an answer from a notification', () => {
  async function button(
    world: Awaited<ReturnType<typeof startPhone>>,
    which: 'deny' | 'allow',
    request: Parameters<TestGateway['openAsk']>[1] = {},
  ) {
    const { ask, outcome } = await world.test.openAsk(world.agent, request)
    const message = await world.service.message(({ tag }) => tag === ask.id)
    return { ask, outcome, token: message[which], to: message.to }
  }
  const press = (test: TestGateway, body: object) => test.api.call('POST', '/api/notifications/answers', body)

  it('denies once, as the device that it was sent to', async () => {
    await using world = await startPhone()
    const { ask, outcome, token, to } = await button(world, 'deny')
    expect(await press(world.test, { token, to })).toMatchObject({
      status: 200,
      body: { outcome: { kind: 'denied', via: 'push' } },
    })
    expect(await outcome).toMatchObject({ kind: 'denied' })
    expect(await press(world.test, { token, to })).toMatchObject({
      status: 409,
      body: { error: { code: 'already_settled' } },
    })
    const record = await world.test.store.ask(ask.id)
    expect(record?.outcome?.by?.device).toBe(world.phone.device.id)
  })

  it('has no effect when it is forged, for another device, too old, or the device is gone', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({}, { clock })
    const other = await world.test.credential({ role: 'owner' })
    const { ask, token, to } = await button(world, 'deny')
    const [, subject, time, mac] = String(token).split('.')
    const attempts = [
      { token: `a.${subject}.${time}.${mac}`, to },
      { token: `d.${subject}.${time}.${'A'.repeat(22)}`, to },
      { token: `d.${subject}.zzzzzz.${mac}`, to },
      { token, to: other.device.id },
    ]
    for (const attempt of attempts) expect((await press(world.test, attempt)).status, JSON.stringify(attempt)).toBe(404)
    advance(25 * 60 * 60 * 1000)
    expect((await press(world.test, { token, to })).status).toBe(404)
    expect((await world.test.store.ask(ask.id))?.outcome).toBeUndefined()
  })

  it('has no effect after the device was revoked', async () => {
    await using world = await startPhone()
    const { ask, token, to } = await button(world, 'deny')
    await world.test.api.ok('DELETE', `/api/devices/${world.phone.device.id}`)
    expect((await press(world.test, { token, to })).status).toBe(401)
    expect((await world.test.store.ask(ask.id))?.outcome).toBeUndefined()
  })

  it('cannot be made from what is on the disk, so no button outlives the gateway that made it', async () => {
    const store = createMemoryStore()
    await using service = await startPushService()
    const before = await startTestGateway({ store, notifyAllow: [service.place] })
    const phone = await before.credential({ role: 'owner' })
    await phone.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
    const { ask } = await before.openAsk((await before.session()).agent)
    const { deny: token, to } = await service.message(({ tag }) => tag === ask.id)
    await before.gateway.close()
    expect(Object.keys((await store.records.get('gateway', 'notification-keys')) as object).sort()).toEqual([
      'privateKey',
      'publicKey',
    ])
    await using after = await startTestGateway({ store, notifyAllow: [service.place] })
    expect((await press(after, { token, to })).status).toBe(404)
  })

  const WHOLE = { tool: { name: 'Bash', input: { command: 'ls' } }, context: { cwd: '/project', command: 'ls' } }

  it('allows only while an owner has that switched on, and only what the notice shows whole', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({ content: 'text' }, { clock })
    const { test, phone } = world
    const setMayAllow = (mayAllow: boolean, as = test.api) =>
      as.call('POST', `/api/notifications/devices/${phone.device.id}/may-allow`, { mayAllow })
    const approver = await test.credential({ role: 'approver' })
    expect((await setMayAllow(true, approver.api)).status).toBe(403)
    const before = await button(world, 'allow', WHOLE)
    expect(before.token).toBeUndefined()
    await test.api.ok('POST', `/api/asks/${before.ask.id}/answer`, { kind: 'deny', digest: before.ask.digest })
    await setMayAllow(true)
    advance(61_000)
    const { token, to, outcome } = await button(world, 'allow', WHOLE)
    await setMayAllow(false)
    expect((await press(test, { token, to })).status).toBe(403)
    await setMayAllow(true)
    expect(await press(test, { token, to })).toMatchObject({ status: 200, body: { outcome: { kind: 'allowed' } } })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
  })
})

describe('the settings', () => {
  it('of one device are not taken away by another that knows its address alone', async () => {
    await using world = await startPhone()
    const { service, test, phone, subscription } = world
    const other = await test.credential({ role: 'owner' })
    const { keys } = service.subscribe()
    const body = { subscription: { ...subscription, keys }, settings: SETTINGS }
    await other.api.ok('POST', '/api/notifications/device', body)
    expect((await read(test)).devices?.map(({ deviceId }) => deviceId)).toContain(phone.device.id)
  })

  it('T51 of a device that may not manage notifications name no place that --notify-allow lists', async () => {
    await using world = await startPhone()
    const { service, test, session } = world
    const { keys } = service.subscribe()
    const at = (endpoint: string) => ({ subscription: { endpoint, keys }, settings: SETTINGS })
    const scoped = { role: 'owner', sessionIds: [session.id] } as const
    for (const grant of [{ role: 'viewer' }, { role: 'approver' }, scoped] as const) {
      const { api } = await test.credential(grant)
      expect(
        await api.call('POST', '/api/notifications/device', at(`http://${service.place}/any/path`)),
        JSON.stringify(grant),
      ).toMatchObject({
        status: 422,
        body: { error: { message: expect.stringMatching(/^The push service .+ https:.+ for owners\.$/) } },
      })
      expect(await api.ok('GET', '/api/notifications')).not.toHaveProperty('own')
      await api.ok('POST', '/api/notifications/device', at('https://push.example/x'))
    }
    expect(service.requests()).toBe(0)
  })

  it('stay over a restart, with the keys, and a browser that logs in again is one receiver', async () => {
    const store = createMemoryStore()
    const service = await startPushService()
    const subscription = service.subscribe()
    let publicKey = ''
    {
      const test = await startTestGateway({ store, notifyAllow: [service.place] })
      const first = await test.credential({ role: 'owner' })
      await first.api.ok('POST', '/api/notifications/device', { subscription, settings: SETTINGS })
      publicKey = (await read(test)).publicKey
      await test.gateway.close()
    }
    await using test = await startTestGateway({ store, notifyAllow: [service.place] })
    expect(await read(test)).toMatchObject({ publicKey, devices: [{ service: service.place }] })
    const again = await test.credential({ role: 'owner' })
    await again.api.ok('POST', '/api/notifications/device', { subscription, settings: SETTINGS })
    expect((await read(test)).devices?.map(({ deviceId }) => deviceId)).toEqual([again.device.id])
    await again.api.ok('DELETE', '/api/notifications/device')
    expect((await read(test)).devices).toEqual([])
    await service[Symbol.asyncDispose]()
  })

  it.each([
    ['a time that is none', { quietHours: { from: '25:00', to: '07:00', timeZone: 'UTC' } }],
    ['a time zone that is none', { quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars/North' } }],
    ['quiet hours without an end', { quietHours: { from: '22:00', to: '22:00', timeZone: 'UTC' } }],
    ['a kind that is none', { kinds: ['everything'] }],
  ])('are refused with %s', async (_what, changes) => {
    await using world = await startPhone()
    const body = { subscription: world.subscription, settings: { ...SETTINGS, ...changes } }
    expect((await world.phone.api.call('POST', '/api/notifications/device', body)).status).toBe(422)
  })
})

describe('an escalation', () => {
  it('tells others when nobody has seen an ask for so long, and not when somebody has', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({ kinds: ['alarm'] }, { clock })
    const { service, test, phone, agent } = world
    const escalation = { afterMinutes: 5, to: [phone.device.id], inQuietHours: false }
    await test.api.ok('POST', '/api/notifications/escalations', { escalations: [escalation] })
    const seen = await test.openAsk(agent)
    await test.api.ok('POST', `/api/asks/${seen.ask.id}/seen`)
    const { ask } = await test.openAsk(agent)
    advance(4 * 60_000)
    advance(60_000)
    advance(15_000)
    const message = await service.message(() => true)
    expect(message.tag).toBe(ask.id)
    advance(60_000)
    advance(60_000)
    expect(service.requests()).toBe(1)
  })

  it('is not held up by somebody who can only look', async () => {
    const { clock, advance } = createManualClock()
    await using world = await startPhone({ kinds: ['alarm'] }, { clock })
    const { service, test, phone, agent } = world
    const escalation = { afterMinutes: 5, to: [phone.device.id], inQuietHours: false }
    await test.api.ok('POST', '/api/notifications/escalations', { escalations: [escalation] })
    const { ask } = await test.openAsk(agent)
    const viewer = await test.credential({ role: 'viewer' })
    await viewer.api.ok('POST', `/api/asks/${ask.id}/seen`)
    advance(5 * 60_000)
    expect(await service.message(() => true)).toMatchObject({ tag: ask.id })
  })
})

it('takes ten tests at once and ten a minute of one credential, says when the next one is taken, and sends no more', async () => {
  const { clock, advance } = createManualClock()
  await using world = await startPhone({}, { clock })
  const { service, test, phone } = world
  service.answer(403)
  const send = (api = test.api) => api.call('POST', '/api/notifications/test', { to: phone.device.id })
  for (let n = 0; n < 10; n++) expect((await send()).status).toBe(200)
  expect(await send()).toMatchObject({
    status: 429,
    body: {
      error: { code: 'too_fast', message: expect.stringMatching(/^Too many test .+ Try again in [1-6] seconds?\.$/) },
    },
  })
  expect(service.requests()).toBe(10)
  // Others are not held up by it.
  expect((await send(phone.api)).status).toBe(200)
  advance(6000)
  expect([(await send()).status, (await send()).status]).toEqual([200, 429])
})

it('tests the way to a device, step by step', async () => {
  await using world = await startPhone()
  const { service, test, phone } = world
  const tested = test.api.ok<{ steps: unknown }>('POST', '/api/notifications/test', { to: phone.device.id })
  const { receipt, to } = await service.message(({ tag }) => tag === 'test')
  await test.api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
  expect((await tested).steps).toMatchObject([
    { step: 'sent', ok: true },
    { step: 'shown', ok: true },
  ])
  service.answer(403)
  expect(await test.api.ok('POST', '/api/notifications/test', { to: phone.device.id })).toMatchObject({
    steps: [{ step: 'sent', ok: false, detail: 'the push service replied with status 403' }],
  })
})
