import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { ChannelId, DeviceId } from '../id.ts'
import {
  Channel,
  ChannelInput,
  DeliveryState,
  DeviceNotices,
  Escalation,
  NoticeSettings,
  PushSubscription,
  TestStep,
} from '../notification.ts'
import { Outcome } from '../outcome.ts'
import { paths } from '../paths.ts'

/** What a caller may know of notifications: of its own device, and, as an owner, of all. */
export const Notifications = z.object({
  /** For `PushManager.subscribe`. */
  publicKey: z.string(),
  own: DeviceNotices.optional(),
  /** The rest is for owners. */
  devices: z.array(DeviceNotices).optional(),
  channels: z.array(Channel.extend({ state: DeliveryState })).optional(),
  escalations: z.array(Escalation).optional(),
  /** Folders of sessions that are open, to choose from. */
  projects: z.array(z.string()),
})
export type Notifications = z.infer<typeof Notifications>

const FromNotice = z.strictObject({ token: z.string().min(1).max(64), to: DeviceId })

export const notificationEndpoints = {
  read: {
    ...paths.notifications.read,
    summary: 'The notifications of this device; for owners also of all devices, the channels and the escalations',
    replies: { 200: Notifications },
  },
  subscribe: {
    ...paths.notifications.subscribe,
    summary: 'Send notifications to this browser. Called again, it changes the settings',
    body: z.strictObject({ subscription: PushSubscription, settings: NoticeSettings }),
    replies: { 200: DeviceNotices },
  },
  unsubscribe: {
    ...paths.notifications.unsubscribe,
    summary: 'Send this browser no more notifications',
    replies: { 204: 'none are sent any more' },
  },
  setMayAllow: {
    ...paths.notifications.setMayAllow,
    summary: 'Whether notifications on a device may have the button Allow',
    body: z.strictObject({ mayAllow: z.boolean() }),
    replies: { 200: DeviceNotices },
  },
  receipt: {
    ...paths.notifications.receipt,
    summary: 'Report that a notification is on the screen, with the token that came in it',
    body: FromNotice,
    replies: { 204: 'noted' },
  },
  answer: {
    ...paths.notifications.answer,
    summary:
      'Answer from a notification, with the token of its button. It counts for the ask that it showed, as it was shown',
    body: FromNotice,
    replies: { 200: z.object({ outcome: Outcome }) },
  },
  test: {
    ...paths.notifications.test,
    summary: 'Send a test notification, and say how far it came. Waits up to 15 seconds for the device to report',
    body: z.strictObject({ to: z.union([DeviceId, ChannelId]) }),
    replies: { 200: z.object({ steps: z.array(TestStep) }) },
  },
  addChannel: {
    ...paths.notifications.addChannel,
    summary: 'Add a channel: a webhook, ntfy, or a chat of Telegram',
    body: ChannelInput,
    /** The only reply that has the secret of a webhook. */
    replies: { 201: z.object({ channel: Channel, secret: z.string().optional() }) },
  },
  changeChannel: {
    ...paths.notifications.changeChannel,
    summary: 'Change a channel. A secret that is left out, or sent as it was shown, stays as it is',
    body: ChannelInput,
    replies: { 200: z.object({ channel: Channel }) },
  },
  removeChannel: {
    ...paths.notifications.removeChannel,
    summary: 'Remove a channel',
    replies: { 204: 'removed' },
  },
  setEscalations: {
    ...paths.notifications.setEscalations,
    summary: 'Whom to tell when nobody has seen an ask for a while. Replaces all of them',
    body: z.strictObject({ escalations: z.array(Escalation).max(50) }),
    replies: { 200: z.object({ escalations: z.array(Escalation) }) },
  },
} satisfies EndpointsOf<typeof paths.notifications>
