import type { Ask } from '@holdpoint/schema/ask'
import type { AskNotices } from '@holdpoint/schema/notification'

/** Two devices were told; one of them has reported it. */
export function noticesOf({ id, raisedAt }: Ask): AskNotices {
  const [phone, mac] = [
    { id: 'dev_01kdzzzzzzgallery0000000001', name: 'Chrome on Android' },
    { id: 'dev_01kdzzzzzzgallery0000000002', name: 'Safari on Mac' },
  ] as const
  const at = raisedAt
  return {
    askId: id,
    notified: [
      { to: phone, step: 'sent', at },
      { to: mac, step: 'sent', at },
      { to: phone, step: 'shown', at },
    ],
    seen: [],
  }
}
