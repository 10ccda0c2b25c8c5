import { NO_USAGE, plusUsage } from '@holdpoint/core/usage'
import { Usage } from '@holdpoint/schema/usage'
import { z } from 'zod'

const ModelUsages = z.record(
  z.string(),
  z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadInputTokens: z.number(),
    cacheCreationInputTokens: z.number(),
  }),
)

/**
 * Claude Code's running total over all of its models, subagents and compaction included, as a result and its `/usage` have
 * it. `usage` of a result is left aside: that is of one turn, without subagents. Undefined where it is not what it was when
 * it was measured.
 */
export function runningTotal({ costUsd, models }: { costUsd: unknown; models: unknown }): Usage | undefined {
  const parsed = ModelUsages.safeParse(models)
  if (!parsed.success) return undefined
  const tokens = Object.values(parsed.data).map((model) => ({
    inputTokens: model.inputTokens,
    outputTokens: model.outputTokens,
    cacheReadTokens: model.cacheReadInputTokens,
    cacheWriteTokens: model.cacheCreationInputTokens,
  }))
  const total = Usage.safeParse({ ...tokens.reduce(plusUsage, NO_USAGE), costUsd })
  return total.success ? total.data : undefined
}
