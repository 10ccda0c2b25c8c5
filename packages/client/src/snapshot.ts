import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'

/** Everything open, and the place in the log where it was taken. */
export interface Snapshot {
  readonly seq: number
  readonly sessions: readonly Session[]
  /** Open ones, oldest first. */
  readonly asks: readonly Ask[]
  /** Messages that wait for their agent, in order. */
  readonly queued: readonly { readonly sessionId: SessionId; readonly item: MessageItem }[]
}
