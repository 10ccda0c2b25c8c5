import { tokensOf } from '@holdpoint/core/usage'
import type { Session } from '@holdpoint/schema/session'
import type { ContextUse, Usage } from '@holdpoint/schema/usage'

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** From how much on compacting is offered. */
export const FULL_PERCENT = 80

export function costWords({ costUsd }: Pick<Usage, 'costUsd'>): string {
  if (costUsd === undefined) return 'not reported'
  if (costUsd > 0 && costUsd < 0.01) return '< $0.01'
  return `$${costUsd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** `1.2M`. */
export function shortCount(count: number): string {
  return SHORT.format(count).replace('K', 'k')
}

/** `1.2M tokens`. */
export function tokenWords(usage: Usage): string {
  return `${shortCount(tokensOf(usage))} tokens`
}

export function contextPercent({ tokens, window }: ContextUse): number {
  return Math.min(100, Math.round((tokens / window) * 100))
}

/** In few words, for a line of facts. Nothing where the agent has reported nothing. */
export function usageFacts({ context, usage }: Pick<Session, 'context' | 'usage'>): {
  readonly context: string | undefined
  readonly used: string | undefined
} {
  const words = usage?.total.costUsd === undefined ? tokenWords : costWords
  return {
    context: context && `${contextPercent(context)} % context`,
    used: usage && words(usage.total),
  }
}
