import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@holdpoint/core/clock'
import type { Notice, NoticeChannel } from './channel.ts'
import type { Outbound } from './outbound.ts'
import { resultOfReply } from './reply-result.ts'

const PREFIX = 'whsec_'

/** As Standard Webhooks say: 24 to 64 bytes in base64, behind a prefix. */
export function isWebhookSecret(text: string): boolean {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && text === PREFIX + bytes.toString('base64')
}

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * Sends notices as Standard Webhooks (https://www.standardwebhooks.com). The id is the notice's own: a receiver that gets it
 * twice has got a retry. Tokens of buttons are left out: nothing answers by a webhook.
 */
export function createWebhookChannel(deps: {
  readonly url: string
  readonly secret: string
  readonly outbound: Outbound
  readonly clock: Pick<Clock, 'now'>
}): NoticeChannel {
  const key = Buffer.from(deps.secret.slice(PREFIX.length), 'base64')

  return {
    async send(notice, { signal }) {
      const body = JSON.stringify(payload(notice))
      // The time of the attempt: receivers refuse old ones as replays.
      const timestamp = String(Math.floor(deps.clock.now() / 1000))
      const signature = createHmac('sha256', key).update(`${notice.id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': notice.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      }
      return resultOfReply(await deps.outbound.post({ url: deps.url, headers, body, signal }))
    },
  }
}

/** docs/guides/channels.md describes each field. */
function payload({ kind, at, tag, title, body, url, waiting, silent, askIds, replaces }: Notice) {
  return {
    type: `notice.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { tag, title, body, url, waiting, silent, askIds, replaces },
  }
}
