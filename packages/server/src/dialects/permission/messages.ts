import { PERMISSION_REPLIES, type PermissionReply, type PermissionRequest } from '@holdpoint/core/permission-request'
import { z } from 'zod'

/** As long as what an agent can be told with a denial. */
const MESSAGE_LIMIT = 65_536

/** `POST /permission/:requestId/reply`. */
export const ReplyBody = z.strictObject({
  /** `always` allows, and remembers exactly this call until the session ends. */
  reply: z.enum(PERMISSION_REPLIES),
  /** What the agent is told with `deny`; of no effect with the others. Some clients write `null` for "none". */
  message: z.string().max(MESSAGE_LIMIT).nullish(),
})
export type ReplyBody = z.infer<typeof ReplyBody>

/** A reply that counts. */
export const ReplySuccess = z.object({
  success: z.literal(true),
  /** With `always`: whether it was remembered. Where it was not, the request was allowed this once. */
  remembered: z.boolean().optional(),
  /** Why it was not remembered. */
  reason: z.string().optional(),
})
export type ReplySuccess = z.infer<typeof ReplySuccess>

/** Every refusal of these routes. */
export interface Failure {
  readonly success: false
  readonly error: string
}

/** `GET /permission/pending`. */
export interface PendingList {
  /** The agents', then those of programs; oldest first. */
  readonly requests: readonly PermissionRequest[]
  /** How many wait besides, where they are too large for one reply: they follow when these are replied to. */
  readonly more?: number
}

/** One frame of `GET /event`. */
export type PermissionEvent = PermissionAsked | PermissionReplied

export interface PermissionAsked {
  readonly type: 'permission.asked'
  readonly properties: { readonly request: PermissionRequest }
}

/** The request is over, however it ended: whoever shows it takes it away. */
export interface PermissionReplied {
  readonly type: 'permission.replied'
  readonly properties: {
    readonly sessionId: string
    readonly requestId: string
    /** `always` only where it was remembered. Everything that was no permission is a `deny`. */
    readonly reply: PermissionReply
    /** Why, where no client of this protocol has replied. */
    readonly reason?: ReplyReason
  }
}

export type ReplyReason =
  /** Nobody replied in time. */
  | 'timeout'
  /** The turn was interrupted, or the session ended. */
  | 'aborted'
  /** The agent took it back. */
  | 'cancelled'
  /** The agent is gone. */
  | 'orphaned'
  /** What the request showed has changed. The same call asks again, under a new id. */
  | 'changed'
  /** A person replied by other means; the reply is theirs. Or the agent was told no, for a fault of ours. */
  | 'answered-elsewhere'
  /** An earlier `always` covers it. In the log alone: nobody is asked, so nobody is told. */
  | 'rule'
