import type { Clock } from '@holdpoint/core/clock'
import { createTurn } from '@holdpoint/core/turns'
import type { Device } from '@holdpoint/schema/device'
import { DeviceId, SessionId } from '@holdpoint/schema/id'
import { NoticeSettings, PushSubscription } from '@holdpoint/schema/notification'
import { z } from 'zod'
import type { Devices } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'
import type { Log } from '../system/log.ts'

const COLLECTION = 'push-subscriptions'
/** A device whose login has run out is told that something waits for so long: then it is taken for gone. */
const WITHOUT_LOGIN_MS = 30 * 24 * 60 * 60 * 1000

/** Where notifications of one device go, and what it wants to be told. */
const DeviceSubscription = z.object({
  deviceId: DeviceId,
  name: z.string(),
  /** The sessions that its credential is for. It is kept here because a login that has run out says nothing any more. */
  sessionIds: z.array(SessionId).optional(),
  /** Whether its credential may manage notifications, kept for the same reason. */
  isManager: z.boolean().default(false),
  subscription: PushSubscription,
  settings: NoticeSettings,
  mayAllow: z.boolean(),
  /** When the browser last said that it still wants them. */
  renewedAt: z.int(),
})
export type DeviceSubscription = z.infer<typeof DeviceSubscription>

export interface DeviceSubscriptions {
  /** Those that may be sent to now. Of a device that was revoked or has logged out there is none. */
  list(): readonly DeviceSubscription[]
  get(deviceId: DeviceId): DeviceSubscription | undefined
  /** Takes the place of what the same browser had, also as another device, before it logged in again. */
  set(device: Device, wanted: Pick<DeviceSubscription, 'subscription' | 'settings'>): Promise<DeviceSubscription>
  setMayAllow(deviceId: DeviceId, mayAllow: boolean): Promise<DeviceSubscription | undefined>
  /** Says whether there was one. With `endpoint` only if it is still that one: a browser may have subscribed anew. */
  remove(deviceId: DeviceId, endpoint?: string): Promise<boolean>
}

export async function createDeviceSubscriptions(deps: {
  readonly records: FollowedRecords
  readonly devices: Pick<Devices, 'current' | 'knows' | 'onRevoked'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): Promise<DeviceSubscriptions> {
  const { records, devices, clock, log } = deps
  const byDevice = new Map<DeviceId, DeviceSubscription>()
  /** One change at a time: what is in memory is what was stored last. */
  const inTurn = createTurn()

  const kept = await keepRecords(records, COLLECTION, take)
  // Revoked when the gateway was killed, or the disk was full. Where there are several, one may be newer than what is known here
  // of devices.
  const gone = records.follow ? [] : [...byDevice.keys()].filter((id) => !devices.knows(id))
  for (const deviceId of gone) await drop(deviceId).catch(() => {})

  function take(now: readonly RecordNow[]) {
    for (const { key, value } of now) {
      const read = DeviceSubscription.safeParse(value)
      if (read.success) byDevice.set(read.data.deviceId, read.data)
      else {
        byDevice.delete(key as DeviceId)
        if (value !== undefined) log.warn('push_subscription_not_read', { key })
      }
    }
  }

  async function put(subscription: DeviceSubscription): Promise<DeviceSubscription> {
    await kept.put(subscription.deviceId, subscription)
    return subscription
  }

  async function drop(deviceId: DeviceId): Promise<boolean> {
    // Memory first: nothing is sent from here on, whether or not the disk takes the write.
    const wasThere = byDevice.delete(deviceId)
    const wasStored = await kept.remove(deviceId)
    return wasThere || wasStored
  }

  function isWanted({ deviceId, renewedAt }: DeviceSubscription): boolean {
    if (!devices.knows(deviceId)) return false
    return devices.current(deviceId) !== undefined || clock.now() - renewedAt < WITHOUT_LOGIN_MS
  }

  devices.onRevoked((deviceId) => {
    byDevice.delete(deviceId)
    void inTurn(() => drop(deviceId)).catch((error: unknown) =>
      log.warn('push_subscription_not_removed', { device: deviceId, error: String(error) }),
    )
  })

  return {
    list: () => [...byDevice.values()].filter(isWanted),
    get: (deviceId) => byDevice.get(deviceId),
    set: (device, { subscription, settings }) =>
      inTurn(async () => {
        const same = [...byDevice.values()].filter(
          (other) => isSameBrowser(other.subscription, subscription) && other.deviceId !== device.id,
        )
        for (const { deviceId } of same) await drop(deviceId)
        return put({
          deviceId: device.id,
          name: device.name,
          ...(device.sessionIds && { sessionIds: device.sessionIds }),
          isManager: may(device, 'manage-notifications'),
          subscription,
          settings,
          mayAllow: byDevice.get(device.id)?.mayAllow ?? false,
          renewedAt: clock.now(),
        })
      }),
    setMayAllow: (deviceId, mayAllow) =>
      inTurn(async () => {
        const known = byDevice.get(deviceId)
        return known && put({ ...known, mayAllow })
      }),
    remove: (deviceId, endpoint) =>
      inTurn(async () => {
        if (endpoint !== undefined && byDevice.get(deviceId)?.subscription.endpoint !== endpoint) return false
        return drop(deviceId)
      }),
  }
}

/** By its secret, too: who knows no more than the address of a browser cannot switch it off. */
function isSameBrowser(one: PushSubscription, other: PushSubscription): boolean {
  return one.endpoint === other.endpoint && one.keys.auth === other.keys.auth
}
