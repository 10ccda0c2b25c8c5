import type { ChannelId, DeviceId, SessionId } from '@holdpoint/schema/id'
import type { NoticeSettings } from '@holdpoint/schema/notification'
import type { Presence } from '../attention/presence.ts'
import { type Devices, sees } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import type { ChannelConfigs } from './channel-configs.ts'
import type { Receiver } from './delivery-queue.ts'
import type { DeviceSubscription, DeviceSubscriptions } from './device-subscriptions.ts'
import type { NoticeKeys } from './notice-keys.ts'
import type { PushOutbound } from './push-outbound.ts'
import { createWebPushChannel } from './web-push-channel.ts'

/** A device or a channel, and what it may be told now. */
export interface NoticeReceiver extends Receiver {
  readonly id: DeviceId | ChannelId
  readonly name: string
  /** `content` is less than what was set where a login has run out. */
  readonly settings: NoticeSettings
  sees(sessionId: SessionId): boolean
  /** Somebody looks at a page of ours there. */
  isInFront(): boolean
  /** A page of ours is open there, and takes away what is settled. */
  hasPage(): boolean
  /** Whether its notices have these buttons. */
  readonly mayDeny: boolean
  readonly mayAllow: boolean
  /** Removes the subscription that this receiver has, after its push service said that it is gone. Channels stay. */
  forget?(): Promise<unknown>
}

/** Everybody who may be told something, as it is at the moment of the call (I8). */
export interface Receivers {
  list(): readonly NoticeReceiver[]
  find(id: string): NoticeReceiver | undefined
}

export function createReceivers(deps: {
  readonly devices: Pick<Devices, 'current'>
  readonly subscriptions: Pick<DeviceSubscriptions, 'list' | 'remove'>
  readonly channels: Pick<ChannelConfigs, 'list'>
  readonly presence: Presence
  readonly keys: NoticeKeys
  readonly subject: () => string
  readonly pushOutbound: PushOutbound
}): Receivers {
  const { devices, subscriptions, channels, presence, keys, subject, pushOutbound } = deps

  function ofDevice(known: DeviceSubscription): NoticeReceiver {
    const { deviceId, subscription, mayAllow } = known
    const device = devices.current(deviceId)
    const mayAnswer = device !== undefined && may(device, 'answer-ask')
    const outbound = pushOutbound(device ? may(device, 'manage-notifications') : known.isManager)
    return {
      id: deviceId,
      name: device?.name ?? known.name,
      // A login that has run out may not read anything: it is told that something waits, and leads to the login.
      settings: device ? known.settings : { ...known.settings, content: 'nothing' },
      channel: createWebPushChannel({ to: deviceId, subscription, keys, subject, outbound }),
      sees: (sessionId) => (device ? sees(device, sessionId) : (known.sessionIds?.includes(sessionId) ?? true)),
      isInFront: () => presence.isInFront(deviceId),
      hasPage: () => presence.isOpen(deviceId),
      mayDeny: mayAnswer,
      mayAllow: mayAnswer && mayAllow,
      forget: () => subscriptions.remove(deviceId, subscription.endpoint),
    }
  }

  function ofChannel({ config, channel }: ReturnType<ChannelConfigs['list']>[number]): NoticeReceiver {
    const { id, name, settings, target } = config
    const canAnswer = target.type === 'telegram' && target.senders.length > 0
    return {
      id,
      name,
      settings,
      channel,
      sees: () => true,
      isInFront: () => false,
      hasPage: () => false,
      mayDeny: canAnswer,
      mayAllow: canAnswer && target.mayAllow === true,
    }
  }

  const list = () => [...subscriptions.list().map(ofDevice), ...channels.list().map(ofChannel)]
  return { list, find: (id) => list().find((receiver) => receiver.id === id) }
}
