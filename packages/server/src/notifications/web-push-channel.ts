import { createHash } from 'node:crypto'
import type { DeviceId } from '@holdpoint/schema/id'
import type { PushMessage, PushSubscription } from '@holdpoint/schema/notification'
import webPush from 'web-push'
import type { Notice, NoticeChannel } from './channel.ts'
import type { NoticeKeys } from './notice-keys.ts'
import type { Outbound } from './outbound.ts'
import { resultOfReply } from './reply-result.ts'

/** How long a push service keeps a message for a phone that is off. */
const TTL_S = 24 * 60 * 60
/** Characters. Push services take 4 KB, encrypted. */
const LONGEST_TITLE = 150
const LONGEST_BODY = 500
/** How push services say that a browser has ended its subscription. */
const GONE = [404, 410]

/** The way to one browser: encrypted for it alone, by way of its vendor's push service. */
export function createWebPushChannel(options: {
  readonly to: DeviceId
  readonly subscription: PushSubscription
  readonly keys: Pick<NoticeKeys, 'publicKey' | 'privateKey'>
  /** Who the push service can turn to: an address of ours. */
  readonly subject: () => string
  readonly outbound: Outbound
}): NoticeChannel {
  const { to, subscription, outbound } = options

  function request(notice: Notice) {
    const { publicKey, privateKey } = options.keys
    return webPush.generateRequestDetails(subscription, JSON.stringify(messageOf(notice, to)), {
      vapidDetails: { subject: options.subject(), publicKey, privateKey },
      TTL: TTL_S,
      urgency: notice.silent ? 'normal' : 'high',
      // A message that waits for a phone is replaced by a later one about the same.
      topic: createHash('sha256').update(notice.tag).digest('base64url').slice(0, 32),
    })
  }

  return {
    async send(notice, { signal }) {
      try {
        const { endpoint, headers, body } = request(notice)
        const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
        const reply = await outbound.post({ url: endpoint, headers: texts, body: body ?? '', signal })
        const result = resultOfReply(reply, { receiver: 'the push service', gone: GONE })
        const isGone = !result.ok && result.how === 'gone'
        return isGone ? { ...result, reason: 'the browser has ended its subscription' } : result
      } catch (error) {
        // The keys of the subscription are not valid ones.
        return { ok: false, how: 'refused', reason: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

function messageOf(notice: Notice, to: DeviceId): PushMessage {
  const { tag, title, body, path, waiting, silent, replaces, receipt, deny, allow } = notice
  return {
    tag,
    title: title.slice(0, LONGEST_TITLE),
    body: body.slice(0, LONGEST_BODY),
    path,
    waiting,
    silent,
    to,
    ...(replaces.length > 0 && { replaces: replaces.slice(0, 30) }),
    ...(receipt !== undefined && { receipt }),
    ...(deny !== undefined && { deny }),
    ...(allow !== undefined && { allow }),
  }
}
