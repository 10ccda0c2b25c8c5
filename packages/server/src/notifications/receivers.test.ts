import { createMemoryStore } from '@holdpoint/store/memory-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { deviceId, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { createPresence } from '../attention/presence.ts'
import type { Devices } from '../auth/devices.ts'
import { createLog } from '../system/log.ts'
import { createDeviceSubscriptions } from './device-subscriptions.ts'
import { createOutbound } from './outbound.ts'
import { createReceivers } from './receivers.ts'

const PHONE = { id: deviceId(1), name: 'Pixel', role: 'owner' as const, createdAt: 0, lastSeenAt: 0 }
const settings = { kinds: ['ask' as const], content: 'names' as const }
const subscription = (endpoint: string) => ({ endpoint, keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } })

async function start(current: Devices['current'] = () => PHONE) {
  const { clock } = createManualClock()
  const devices = { current, knows: () => true, onRevoked: () => {} }
  const { records } = createMemoryStore()
  const log = createLog({ level: 'error', write: () => {}, now: clock.now })
  const subscriptions = await createDeviceSubscriptions({ records, devices, clock, log })
  const managers: boolean[] = []
  const receivers = createReceivers({
    devices,
    subscriptions,
    channels: { list: () => [] },
    presence: createPresence(),
    keys: { publicKey: '', privateKey: '' },
    subject: () => '',
    pushOutbound(isManager) {
      managers.push(isManager)
      return createOutbound({ allowed: [] })
    },
  })
  return { subscriptions, receivers, managers }
}

it('forgets the subscription that is gone, and not the one that took its place meanwhile', async () => {
  const { subscriptions, receivers } = await start()
  await subscriptions.set(PHONE, { subscription: subscription('https://push.example/old'), settings })
  const before = receivers.find(PHONE.id)
  await subscriptions.set(PHONE, { subscription: subscription('https://push.example/new'), settings })
  await before?.forget?.()
  expect(subscriptions.get(PHONE.id)?.subscription.endpoint).toBe('https://push.example/new')
  await receivers.find(PHONE.id)?.forget?.()
  expect(subscriptions.list()).toEqual([])
})

it('T5 shows a login that has run out no more sessions than it had, no text, and no buttons', async () => {
  const { subscriptions, receivers } = await start(() => undefined)
  const scoped = { ...PHONE, sessionIds: [sessionId(1)] }
  await subscriptions.set(scoped, { subscription: subscription('https://push.example/x'), settings })
  await subscriptions.setMayAllow(PHONE.id, true)
  const phone = receivers.find(PHONE.id)
  expect(phone).toMatchObject({ settings: { content: 'nothing' }, mayDeny: false, mayAllow: false })
  expect([1, 2].map((n) => phone?.sees(sessionId(n)))).toEqual([true, false])
})

it.each([
  ['of an owner', {}, true],
  ['of a viewer', { role: 'viewer' as const }, false],
  ['of an owner of some sessions', { sessionIds: [sessionId(1)] }, false],
])(
  'T51 counts a device %s by its credential, and by what that was when it has run out',
  async (_whose, grant, expected) => {
    const device = { ...PHONE, ...grant }
    for (const current of [() => device, () => undefined]) {
      const { subscriptions, receivers, managers } = await start(current)
      await subscriptions.set(device, { subscription: subscription('https://push.example/x'), settings })
      receivers.find(PHONE.id)
      expect(managers).toEqual([expected])
    }
  },
)
