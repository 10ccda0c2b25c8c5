import type { Ask } from '@holdpoint/schema/ask'

const PREFIX = 'before-'

/** The request of a hook before a call. The permission request of the same call has another one. */
export function beforeId(requestId: string): string {
  return `${PREFIX}${requestId}`
}

/** Whether a hook before a call brought this ask. No dialog belongs to it. */
export function isBefore({ requestId }: Pick<Ask, 'requestId'>): boolean {
  return requestId.startsWith(PREFIX)
}
