import { duration } from '@holdpoint/react/time/ago'
import type { DeliveryState } from '@holdpoint/schema/notification'

/** The last that is known of the way to a device or channel. */
export function deliveryWords({ sentAt, shownAt, failed }: DeliveryState, now: number): string {
  const ago = (at: number) => `${duration(now - at)} ago`
  const parts = [
    sentAt !== undefined && `sent ${ago(sentAt)}`,
    shownAt !== undefined && `shown ${ago(shownAt)}`,
    failed && failed.at >= (sentAt ?? 0) && `failed ${ago(failed.at)}: ${failed.reason}`,
  ].filter((part) => part !== undefined && part !== false)
  return parts.length === 0 ? 'nothing sent since the gateway was started' : parts.join(', ')
}
