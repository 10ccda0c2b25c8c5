import type { NodeId } from '@holdpoint/schema/id'

/** What one life of a gateway tells its parent. */
export type FromLife =
  | { readonly type: 'ready'; readonly url: string; readonly node: NodeId }
  /** In the order in which it published them. */
  | { readonly type: 'published'; readonly events: readonly { readonly seq: number; readonly hash: string }[] }

/** How one ends by itself, where that is no bug. */
export const EXIT = {
  /** Another life of its node has begun. */
  displaced: 3,
  /** The database could not be used when it started. */
  unreachable: 4,
} as const
