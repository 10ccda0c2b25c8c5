import type { Query } from '@anthropic-ai/claude-agent-sdk'
import type { AgentEvent } from '@holdpoint/core/driver'
import { ContextUse, type Usage } from '@holdpoint/schema/usage'
import { inTime } from '../asks/in-time.ts'
import { runningTotal } from './running-total.ts'

/** Nobody waits longer for a session that goes on. */
const BEFOREHAND_MS = 1_000

/** Readings that the agent gives at any time. Where its answer is not what it was when it was measured, there is none. */
export function createUsageReadings(query: Query) {
  async function total(): Promise<Usage> {
    const { session } = await inTime(
      query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
    )
    const said = runningTotal({ costUsd: session.total_cost_usd, models: session.model_usage })
    if (!said) throw new Error('the agent does not say what it has used')
    return said
  }

  return {
    total,
    /** A conversation that goes on counts on: what it came to before this life is not used once more. */
    async beforehand(isResumed: boolean): Promise<AgentEvent[]> {
      if (!isResumed) return []
      const late = new Promise<undefined>((resolve) => setTimeout(resolve, BEFOREHAND_MS, undefined).unref())
      const reported = await Promise.race([total(), late]).catch(() => undefined)
      return reported ? [{ type: 'usage', reported, begins: true }] : []
    },
    /** The window is the one in which Claude Code compacts by itself. */
    async context(): Promise<AgentEvent[]> {
      const said = await inTime(query.getContextUsage({ detail: 'summary' })).catch(() => undefined)
      const context = ContextUse.safeParse({ tokens: said?.totalTokens, window: said?.maxTokens })
      return context.success ? [{ type: 'context', context: context.data }] : []
    },
  }
}
