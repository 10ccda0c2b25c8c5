import type { SessionCount, SlotUsage } from '@holdpoint/core/usage-counts'
import type { SessionId } from '@holdpoint/schema/id'
import type { Usage } from '@holdpoint/schema/usage'

/** A row of sums, as both databases give it. */
export interface UsageSums {
  readonly project: string
  readonly cost: number | null
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** The sums of a statement that groups rows of `usage`. */
export const SUMS = `sum(cost) AS cost, sum(input) AS input, sum(output) AS output,
  sum(cache_read) AS "cacheRead", sum(cache_write) AS "cacheWrite"`

export const MOST_EXPENSIVE = 'coalesce(sum(cost), 0) DESC, sum(input + output + cache_read + cache_write) DESC'

/** Numbers of PostgreSQL's sums come as text. The project is JSON text: a folder's name may hold what a database cannot. */
export function slotUsage({ at, ...row }: UsageSums & { readonly at: number }): SlotUsage {
  return { at: Number(at), project: JSON.parse(row.project) as string, used: usedOf(row) }
}

export function sessionCount({ id, ...row }: UsageSums & { readonly id: SessionId }): SessionCount {
  return { id, project: JSON.parse(row.project) as string, used: usedOf(row) }
}

function usedOf({ cost, input, output, cacheRead, cacheWrite }: UsageSums): Usage {
  return {
    ...(cost !== null && { costUsd: cost }),
    inputTokens: Number(input),
    outputTokens: Number(output),
    cacheReadTokens: Number(cacheRead),
    cacheWriteTokens: Number(cacheWrite),
  }
}
