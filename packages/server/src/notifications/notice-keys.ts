import type { Records } from '@holdpoint/core/store'
import webPush from 'web-push'
import { z } from 'zod'
import type { Log } from '../system/log.ts'

const COLLECTION = 'gateway'
const KEY = 'notification-keys'

const NoticeKeys = z.object({ publicKey: z.string(), privateKey: z.string() })

/** Who we are to push services (VAPID). */
export type NoticeKeys = z.infer<typeof NoticeKeys>

/**
 * Made on first use, and kept with everything else: subscriptions of browsers are bound to the public key, and end with it.
 * Where the disk takes nothing they are for this run alone, and so is every subscription.
 */
export async function loadNoticeKeys({ records, log }: { records: Records; log: Log }): Promise<NoticeKeys> {
  const stored = NoticeKeys.safeParse(await records.get(COLLECTION, KEY))
  if (stored.success) return stored.data
  const made = webPush.generateVAPIDKeys()
  await records
    .put(COLLECTION, KEY, made)
    .catch((error: unknown) => log.warn('notification_keys_not_stored', { error: String(error) }))
  return made
}
