import { z } from 'zod'
import { AskId, RuleId, SessionId } from './id.ts'
import { Actor } from './outcome.ts'

/** A remembered answer. For now always an allow, for one session, for exactly the same patterns of the same tool. */
export const Rule = z.strictObject({
  id: RuleId,
  scope: z.literal('session'),
  sessionId: SessionId,
  tool: z.string(),
  key: z.string(),
  /** What people read. */
  rule: z.string(),
  askId: AskId,
  by: Actor.optional(),
  at: z.int(),
})
export type Rule = z.infer<typeof Rule>
