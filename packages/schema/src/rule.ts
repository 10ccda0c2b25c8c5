import { z } from 'zod'
import { AskId, RuleId, SessionId } from './id.ts'
import { Actor } from './outcome.ts'

/** A remembered answer: always an allow, for exactly the same call, in one session until it ends. */
export const Rule = z.strictObject({
  id: RuleId,
  scope: z.literal('session'),
  sessionId: SessionId,
  /** The life of the session that it holds for. Rules of older versions have none, and match nothing any more. */
  epoch: z.int().optional(),
  tool: z.string(),
  key: z.string(),
  /** What people read. */
  rule: z.string(),
  /** Of a file that is written whole: what was in it when the rule was made. Null when there was no such file. */
  replaces: z.string().nullable().optional(),
  askId: AskId,
  by: Actor.optional(),
  at: z.int(),
})
export type Rule = z.infer<typeof Rule>

/** A rule as it is listed. */
export const ListedRule = Rule.extend({
  /** Why it matches nothing any more, if it does not: one plain sentence. */
  ended: z.string().optional(),
})
export type ListedRule = z.infer<typeof ListedRule>
