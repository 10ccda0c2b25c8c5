import { z } from 'zod'

const count = z.int().min(0)

/** What calls of the model came to, as the agent reports it. */
export const Usage = z.strictObject({
  /** In US dollars, as the agent estimates it. Left out where the agent says nothing of cost. */
  costUsd: z.number().min(0).optional(),
  /** Those that were neither read from the cache nor written to it. */
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
})
export type Usage = z.infer<typeof Usage>

/** How full the agent's context is, as the agent says itself. */
export const ContextUse = z.strictObject({ tokens: count, window: z.int().min(1) })
export type ContextUse = z.infer<typeof ContextUse>

export const SessionUsage = z.strictObject({
  /** In all lives of the session's agent. */
  total: Usage,
  /** The running total as the agent last said it: what comes next is counted from there. It may begin anew with an epoch. */
  reported: Usage,
  epoch: z.int(),
})
export type SessionUsage = z.infer<typeof SessionUsage>

/** What a session may use before a person is asked. Without either there is no limit. */
export const Budget = z.strictObject({
  /** Of the cost that the agent reports. */
  usd: z.number().positive().max(1_000_000).optional(),
  /** Of all tokens, those of the cache included. */
  tokens: z.int().positive().max(1_000_000_000_000).optional(),
})
export type Budget = z.infer<typeof Budget>
