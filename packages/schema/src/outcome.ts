import { z } from 'zod'
import { AskId, RuleId } from './id.ts'

export const Role = z.enum(['owner', 'approver', 'viewer', 'raiser'])
export type Role = z.infer<typeof Role>

/** Who acted. Taken from the server's record of the credential, never from the message (I8). */
export const Actor = z.strictObject({ device: z.string(), name: z.string(), role: Role })
export type Actor = z.infer<typeof Actor>

export const WithdrawReason = z.enum([
  'agent-cancelled',
  'interrupted',
  'session-ended',
  'answered-elsewhere',
  'orphaned',
  /** What it showed is not so any more. The same call asks again, under a new id. */
  'changed',
])
export type WithdrawReason = z.infer<typeof WithdrawReason>

export const Outcome = z.strictObject({
  kind: z.enum(['allowed', 'denied', 'answered', 'expired', 'withdrawn']),
  at: z.int(),
  by: Actor.optional(),
  /**
   * `web`, `api`, `terminal`, `rule`, `push`, or a dialect's name; `appeal` where a yes to an appeal was used up;
   * `gateway` where no person and no rule decided.
   */
  via: z.string(),
  /** The person's answer as given, without the digest it was bound to. */
  answer: z.record(z.string(), z.unknown()).optional(),
  /** The remembered answer that allowed it, or that was made with it. */
  rule: RuleId.optional(),
  /** The rules of the policy that decided: the one that denied, or each that allowed a part. */
  rules: z.array(RuleId).max(100).optional(),
  /** The appeal whose yes this call has used up. */
  appeal: AskId.optional(),
  /** Why it was withdrawn, or what the policy says of it. */
  reason: z.string().optional(),
  /** Set when remembering was asked for but not allowed for this ask: it was allowed once. */
  notRemembered: z.string().optional(),
  /** Hash of the device and its idempotency key, so that a retry is told apart from a second answer. */
  retryKey: z.string().optional(),
})
export type Outcome = z.infer<typeof Outcome>
