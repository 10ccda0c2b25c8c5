import type { Records } from '@holdpoint/core/store'
import webPush from 'web-push'
import { z } from 'zod'
import { madeOnce } from '../cluster/made-once.ts'
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
  const made = webPush.generateVAPIDKeys()
  try {
    return NoticeKeys.parse(await madeOnce(records, COLLECTION, KEY, () => made))
  } catch (error) {
    log.warn('notification_keys_not_stored', { error: String(error) })
    return made
  }
}
