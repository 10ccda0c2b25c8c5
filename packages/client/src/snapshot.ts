import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'

/** Everything open, and the place in the log where it was taken. */
export interface Snapshot extends SnapshotPart {
  readonly seq: number
  /** What to name to go on from here; an older gateway has none. */
  readonly cursor?: string
}

/** A snapshot that is long comes in pieces. */
export interface SnapshotPart {
  readonly sessions: readonly Session[]
  /** Open ones, oldest first. */
  readonly asks: readonly Ask[]
  /** Messages that wait for their agent, in order. */
  readonly queued: readonly { readonly sessionId: SessionId; readonly item: MessageItem }[]
}
