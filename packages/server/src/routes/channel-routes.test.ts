import type { Device } from '@holdpoint/schema/device'
import { notificationEndpoints } from '@holdpoint/schema/endpoints/notifications'
import { idMaker } from '@holdpoint/schema/id'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDevices } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import { createChannelConfigs } from '../notifications/channel-configs.ts'
import { ALWAYS_OUR_TURN } from '../notifications/chat-turns.ts'
import { createOutbound } from '../notifications/outbound.ts'
import { createLog } from '../system/log.ts'
import { pooledRandomBytes } from '../system/pooled-random.ts'
import { refusal } from '../transport/errors.ts'
import type { Call, Route } from '../transport/route.ts'
import { channelRoutes } from './channel-routes.ts'

const INPUT = {
  name: 'Ops',
  enabled: true,
  settings: { kinds: ['ask'], content: 'names' },
  target: { type: 'webhook', url: 'https://a.example/hook' },
}
const { clock } = createManualClock()
const newId = idMaker({ now: clock.now, randomBytes: pooledRandomBytes() })

let routes: readonly Route[]
let device: Device
let logged: string
beforeEach(async () => {
  const { records } = createMemoryStore()
  const devices = await createDevices({ records, clock, newId })
  const paired = await devices.redeem(devices.newCode({ role: 'owner' }).code, { name: 'Laptop', kind: 'bearer' })
  if (!paired) throw new Error('not paired')
  device = paired.device
  logged = ''
  const log = createLog({ level: 'info', write: (line) => (logged += line), now: clock.now })
  const outbound = createOutbound({ allowed: [] })
  const answer = async () => refusal('not_found')
  const channels = await createChannelConfigs({ records, clock, log, newId, outbound, answer, turns: ALWAYS_OUR_TURN })
  routes = channelRoutes({ channels, devices, log })
})

/** As the dispatcher calls it: with a body that fits its schema. */
async function call(name: 'addChannel' | 'changeChannel' | 'removeChannel', body: object = {}, id = '') {
  const { method, path } = notificationEndpoints[name]
  const route = routes.find((entry) => entry.method === method && entry.path === path)
  const read = name === 'removeChannel' ? undefined : notificationEndpoints[name].body.parse(body)
  const given: Partial<Call<unknown, unknown>> = { params: { id }, body: read, device }
  const reply = await route?.handle(given as Call<unknown, unknown>)
  return reply as { status: number; body: { channel: { id: string }; secret?: string; error?: object } }
}

const withTarget = (target: object) => ({ ...INPUT, target })

describe('channels over the API', () => {
  it.each([
    ['without TLS', { type: 'webhook', url: 'http://a.example/hook' }, 'https://'],
    ['of this machine', { type: 'webhook', url: 'https://127.0.0.1/hook' }, 'private network'],
    ['of a server of ntfy without TLS', { type: 'ntfy', server: 'http://ntfy.example', topic: 'x' }, 'https://'],
  ])('are not taken with an address %s', async (_what, target, why) => {
    const { status, body } = await call('addChannel', withTarget(target))
    expect(status).toBe(422)
    expect(JSON.stringify(body.error)).toContain(why)
  })

  it('are added with a secret that is told once, changed and removed', async () => {
    const added = await call('addChannel', INPUT)
    expect(added.status).toBe(201)
    expect(added.body.secret).toMatch(/^whsec_/)
    const { id } = added.body.channel
    const changed = await call('changeChannel', { ...INPUT, name: 'New' }, id)
    expect(changed).toMatchObject({ status: 200, body: { channel: { id, name: 'New' } } })
    expect(changed.body).not.toHaveProperty('secret')
    expect(notificationEndpoints.changeChannel.replies[200].parse(changed.body)).toEqual(changed.body)
    expect((await call('removeChannel', {}, id)).status).toBe(204)
    expect((await call('removeChannel', {}, id)).status).toBe(404)
    expect((await call('changeChannel', INPUT, id)).status).toBe(404)
    expect(logged.match(/channel_\w+/g)).toEqual(['channel_added', 'channel_changed', 'channel_removed'])
    expect(logged).not.toContain(added.body.secret)
  })

  it('are refused in words', async () => {
    const reply = await call('addChannel', withTarget({ ...INPUT.target, secret: 'password' }))
    expect(reply).toMatchObject({ status: 422, body: { error: { issues: [expect.stringContaining('whsec_')] } } })
  })

  it('T58 take only paired devices for whoever answers in a chat', async () => {
    const target = { type: 'telegram', token: '1:aaaaaaaaaaaaaaaaaaaa', chatId: '7' }
    const from = (deviceId: string) => withTarget({ ...target, senders: [{ userId: '42', deviceId }] })
    const stranger = newId('dev')
    const reply = await call('addChannel', from(stranger))
    expect(reply).toMatchObject({ status: 422, body: { error: { issues: [expect.stringContaining(stranger)] } } })
    const added = await call('addChannel', { ...from(device.id), enabled: false })
    expect(added.status).toBe(201)
    expect((await call('changeChannel', from(stranger), added.body.channel.id)).status).toBe(422)
  })

  it('T10 are for owners of the whole gateway', () => {
    expect(routes.map(({ action }) => action)).toEqual(Array(3).fill('manage-notifications'))
    expect(may({ role: 'owner' }, 'manage-notifications')).toBe(true)
    expect(may({ role: 'approver' }, 'manage-notifications')).toBe(false)
    expect(may({ role: 'owner', sessionIds: [] }, 'manage-notifications')).toBe(false)
  })
})
