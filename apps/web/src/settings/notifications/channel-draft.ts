import type { Channel, ChannelInput, ChannelTarget, NoticeSettings } from '@holdpoint/schema/notification'
import { DEFAULT_SETTINGS } from '../../push/push-settings.ts'

export type ChannelType = ChannelTarget['type']
export type Sender = Extract<ChannelTarget, { type: 'telegram' }>['senders'][number]

/** What a person types: the fields of every type, so that changing the type loses nothing. */
export interface ChannelDraft {
  readonly type: ChannelType
  readonly name: string
  readonly enabled: boolean
  readonly settings: NoticeSettings
  readonly url: string
  /** Of the webhook, of ntfy or of the bot. As the gateway shows it, it stays what it is. */
  readonly secret: string
  readonly server: string
  readonly topic: string
  readonly chatId: string
  readonly senders: readonly Sender[]
  readonly mayAllow: boolean
}

const EMPTY: ChannelDraft = {
  type: 'webhook',
  name: '',
  enabled: true,
  settings: DEFAULT_SETTINGS,
  url: '',
  secret: '',
  server: '',
  topic: '',
  chatId: '',
  senders: [],
  mayAllow: false,
}

export function draftOf(channel: Channel | undefined): ChannelDraft {
  if (!channel) return EMPTY
  const { name, enabled, settings, target } = channel
  const common = { ...EMPTY, type: target.type, name, enabled, settings }
  switch (target.type) {
    case 'webhook':
      return { ...common, url: target.url, secret: target.secret ?? '' }
    case 'ntfy':
      return { ...common, server: target.server, topic: target.topic, secret: target.token ?? '' }
    case 'telegram':
      return {
        ...common,
        server: target.server ?? '',
        secret: target.token,
        chatId: target.chatId,
        senders: target.senders,
        mayAllow: target.mayAllow === true,
      }
    default:
      return target satisfies never
  }
}

export function channelOf(draft: ChannelDraft): ChannelInput {
  return { name: draft.name.trim(), enabled: draft.enabled, settings: draft.settings, target: targetOf(draft) }
}

function targetOf(draft: ChannelDraft): ChannelTarget {
  const [secret, server] = [draft.secret.trim(), draft.server.trim()]
  switch (draft.type) {
    case 'webhook':
      return { type: 'webhook', url: draft.url.trim(), ...(secret && { secret }) }
    case 'ntfy':
      return { type: 'ntfy', server, topic: draft.topic.trim(), ...(secret && { token: secret }) }
    case 'telegram':
      return {
        type: 'telegram',
        token: secret,
        chatId: draft.chatId.trim(),
        senders: draft.senders.map(({ userId, deviceId }) => ({ userId: userId.trim(), deviceId })),
        ...(server && { server }),
        ...(draft.mayAllow && { mayAllow: true }),
      }
    default:
      return draft.type satisfies never
  }
}

/** Whether enough is there to be sent. The gateway checks the rest, and says what is wrong. */
export function isComplete({ name, target }: ChannelInput): boolean {
  if (name === '') return false
  switch (target.type) {
    case 'webhook':
      return target.url !== ''
    case 'ntfy':
      return target.server !== '' && target.topic !== ''
    case 'telegram':
      return target.token !== '' && target.chatId !== '' && target.senders.every(({ userId }) => userId !== '')
    default:
      return target satisfies never
  }
}
