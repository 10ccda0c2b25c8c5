import type { Ask } from '@holdpoint/schema/ask'

/** What an agent waits on: the same for an ask and for the one that takes its place. */
export function requestKey({ sessionId, epoch, requestId }: Pick<Ask, 'sessionId' | 'epoch' | 'requestId'>): string {
  return `${sessionId} ${epoch} ${requestId}`
}
