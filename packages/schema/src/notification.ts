import { z } from 'zod'
import { AskId, ChannelId, DeviceId } from './id.ts'
import { Actor } from './outcome.ts'

/** What a notification can be about. `message`: the agent has finished its turn and waits for the next message. */
export const NoticeKind = z.enum(['ask', 'finished', 'failed', 'message', 'alarm'])
export type NoticeKind = z.infer<typeof NoticeKind>

/**
 * What may be read on a locked screen. `nothing`: only that something waits. `names`: the tool and the session.
 * `text`: also what is asked, with secrets masked.
 */
export const NoticeContent = z.enum(['nothing', 'names', 'text'])
export type NoticeContent = z.infer<typeof NoticeContent>

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as 22:30')

const TimeZone = z
  .string()
  .max(64)
  .refine((name) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name })
      return true
    } catch {
      return false
    }
  }, 'expected the name of a time zone, such as Europe/Paris')

/** No notification between these times of the day, in the device's own time zone. `from` after `to`: over midnight. */
export const QuietHours = z
  .strictObject({ from: TimeOfDay, to: TimeOfDay, timeZone: TimeZone })
  .refine(({ from, to }) => from !== to, 'begins and ends at the same time')
export type QuietHours = z.infer<typeof QuietHours>

/** Which notifications a device or a channel gets, and what they say. */
export const NoticeSettings = z.strictObject({
  kinds: z.array(NoticeKind).max(NoticeKind.options.length),
  /** Folders of sessions. Left out: all of them. */
  projects: z.array(z.string().min(1).max(4096)).max(200).optional(),
  quietHours: QuietHours.optional(),
  content: NoticeContent,
})
export type NoticeSettings = z.infer<typeof NoticeSettings>

/** As a browser gives it (`PushSubscription.toJSON()`). */
export const PushSubscription = z.strictObject({
  endpoint: z.url().max(2048),
  keys: z.strictObject({
    p256dh: z.string().regex(/^[\w-]{87}=?$/, 'expected a public key of 65 bytes'),
    auth: z.string().regex(/^[\w-]{22}(==)?$/, 'expected 16 bytes'),
  }),
})
export type PushSubscription = z.infer<typeof PushSubscription>

/** The last of each step on the way to a device or channel. */
export const DeliveryState = z.object({
  sentAt: z.int().optional(),
  shownAt: z.int().optional(),
  failed: z.object({ at: z.int(), reason: z.string() }).optional(),
})
export type DeliveryState = z.infer<typeof DeliveryState>

/** Notifications of one device, as its owner sees them. */
export const DeviceNotices = z.object({
  deviceId: DeviceId,
  name: z.string(),
  settings: NoticeSettings,
  /** Whether its notifications may have the button *Allow*. Only an owner switches this on. */
  mayAllow: z.boolean(),
  /** The host of its push service. */
  service: z.string(),
  state: DeliveryState,
})
export type DeviceNotices = z.infer<typeof DeviceNotices>

const HttpUrl = z.url({ protocol: /^https?$/ }).max(2048)

/** Where a channel sends to. Secrets are write-only: a reply has them masked. */
export const ChannelTarget = z.discriminatedUnion('type', [
  /** Signed as Standard Webhooks say; `secret` is `whsec_` and base64, made by the gateway if left out. */
  z.strictObject({ type: z.literal('webhook'), url: HttpUrl, secret: z.string().max(200).optional() }),
  z.strictObject({
    type: z.literal('ntfy'),
    server: HttpUrl,
    topic: z.string().regex(/^[\w-]{1,64}$/, 'expected letters, digits, - and _'),
    token: z.string().max(200).optional(),
  }),
  /** A bot of Telegram. Who may answer in the chat is bound to a paired device. */
  z.strictObject({
    type: z.literal('telegram'),
    token: z.string().max(200),
    chatId: z.string().regex(/^-?\d{1,20}$/, 'expected the number of a chat'),
    /** Another server with the same interface. */
    server: HttpUrl.optional(),
    /** Telegram's id of a user, and the device that this person's answers count as. */
    senders: z.array(z.strictObject({ userId: z.string().regex(/^\d{1,20}$/), deviceId: DeviceId })).max(50),
    /** Whether its messages may have the button *Allow*. */
    mayAllow: z.boolean().optional(),
  }),
])
export type ChannelTarget = z.infer<typeof ChannelTarget>

export const ChannelInput = z.strictObject({
  name: z.string().min(1).max(120),
  enabled: z.boolean(),
  settings: NoticeSettings,
  target: ChannelTarget,
})
export type ChannelInput = z.infer<typeof ChannelInput>

export const Channel = ChannelInput.extend({ id: ChannelId, createdAt: z.int() }).strip()
export type Channel = z.infer<typeof Channel>

/** When nobody has seen an ask for so long, these are told as well. */
export const Escalation = z.strictObject({
  afterMinutes: z.int().min(1).max(10_080),
  to: z
    .array(z.union([DeviceId, ChannelId]))
    .min(1)
    .max(50),
  /** Folders of sessions. Left out: all of them. */
  projects: z.array(z.string().min(1).max(4096)).max(200).optional(),
  /** Whether it is sent in quiet hours, too. */
  inQuietHours: z.boolean(),
})
export type Escalation = z.infer<typeof Escalation>

/** To whom something was sent: a device or a channel, with the name that it had then. */
export const NoticeTarget = z.strictObject({ id: z.union([DeviceId, ChannelId]), name: z.string() })
export type NoticeTarget = z.infer<typeof NoticeTarget>

/** `sent`: the push service or channel took it. `shown`: the device reported that it is on its screen. */
export const NoticeStep = z.enum(['sent', 'shown', 'failed'])
export type NoticeStep = z.infer<typeof NoticeStep>

/** One step of a notification about an ask. */
export const Notified = z.strictObject({
  to: NoticeTarget,
  step: NoticeStep,
  at: z.int(),
  reason: z.string().optional(),
})
export type Notified = z.infer<typeof Notified>

/** Who was told of an open ask, and who has seen it, in the order it happened. */
export const AskNotices = z.strictObject({
  askId: AskId,
  notified: z.array(Notified),
  seen: z.array(z.strictObject({ by: Actor, at: z.int() })),
})
export type AskNotices = z.infer<typeof AskNotices>

/**
 * The text of a push message, which the push service cannot read. The service worker of the app shows it; a later one
 * with the same tag takes its place.
 */
export const PushMessage = z.strictObject({
  tag: z.string().max(64),
  title: z.string().max(200),
  body: z.string().max(1000),
  /** Where a tap leads: a path of the app. */
  path: z.string().startsWith('/').max(300),
  /** Open asks, for the badge. */
  waiting: z.int().min(0),
  /** Shown without a sound: it replaces one that is there, or comes within a minute of one that rang. */
  silent: z.boolean(),
  /** Tags of notifications to take away: this one takes their place. */
  replaces: z.array(z.string().max(64)).max(100).optional(),
  /** The device that it is for: sent back with each token. */
  to: DeviceId,
  /** Sent back when it is on the screen. */
  receipt: z.string().max(64).optional(),
  /** For the buttons. Each is bound to this device, the ask, and the digest of what this message shows. */
  deny: z.string().max(64).optional(),
  allow: z.string().max(64).optional(),
})
export type PushMessage = z.infer<typeof PushMessage>

/** One step of `notify test`. */
export const TestStep = z.object({ step: z.string(), ok: z.boolean(), detail: z.string() })
export type TestStep = z.infer<typeof TestStep>
