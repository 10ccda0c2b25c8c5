import type { SendResult } from './channel.ts'
import type { OutboundReply } from './outbound.ts'

/** What a reply over HTTP means for a notice. The text of a reply is in no reason: it may repeat a secret (T44). */
export function resultOfReply(
  reply: OutboundReply,
  { receiver = 'the receiver', gone = [410] }: { readonly receiver?: string; readonly gone?: readonly number[] } = {},
): SendResult {
  if (!reply.ok) return reply
  const { status, retryAfterMs } = reply
  if (status >= 200 && status < 300) return { ok: true }
  const reason = `${receiver} replied with status ${status}`
  if (gone.includes(status)) return { ok: false, how: 'gone', reason }
  if (status !== 408 && status !== 429 && status < 500) return { ok: false, how: 'refused', reason }
  return { ok: false, how: 'failed', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
