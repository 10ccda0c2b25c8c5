import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import type { ContextUse, Usage } from '@holdpoint/schema/usage'

const TOKENS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export function tokensOf(usage: Usage): number {
  return TOKENS.reduce((sum, kind) => sum + usage[kind], 0)
}

export function plusUsage(a: Usage, b: Usage): Usage {
  return combined(a, b, (x, y) => x + y)
}

export function isSameContext(a: ContextUse | undefined, b: ContextUse): boolean {
  return a?.tokens === b.tokens && a.window === b.window
}

/**
 * What goes on record of a running total that the agent has told. In one life it only grows, so one that is smaller than
 * what is known comes late, and counts nothing. With a life it may go on or begin anew.
 */
export function reportedUsage(
  { id: sessionId, cwd, epoch, usage }: Session,
  { reported, begins }: { readonly reported: Usage; readonly begins?: true },
  at: number,
): DurableEvent[] {
  const known = usage?.reported ?? NO_USAGE
  const isSmaller = TOKENS.some((kind) => reported[kind] < known[kind])
  const isSame =
    !isSmaller && tokensOf(reported) === tokensOf(known) && (reported.costUsd ?? 0) === (known.costUsd ?? 0)
  const isLate = isSmaller && usage?.epoch === epoch
  if (isSame || (isLate && !begins)) return []
  const grown = isSmaller ? undefined : combined(reported, known, (now, before) => now - before)
  // What it came to where nothing of it is known, or after it was put back, was counted by nobody here, or already.
  const used = begins ? ((usage && grown) ?? NO_USAGE) : (grown ?? reported)
  return [{ type: 'usage-reported', sessionId, at, cwd, used, reported }]
}

/** Costs are sums of many fractions: what is behind the ninth digit is noise, and must not make one negative. */
function combined(a: Usage, b: Usage, how: (a: number, b: number) => number): Usage {
  const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = TOKENS.map((kind) =>
    how(a[kind], b[kind]),
  ) as [number, number, number, number]
  const cost = Math.max(0, Math.round(how(a.costUsd ?? 0, b.costUsd ?? 0) * 1e9) / 1e9)
  const isKnown = a.costUsd !== undefined || b.costUsd !== undefined
  return { ...(isKnown && { costUsd: cost }), inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
}
