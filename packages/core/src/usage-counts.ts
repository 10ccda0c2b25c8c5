import type { SessionId } from '@holdpoint/schema/id'
import type { Usage } from '@holdpoint/schema/usage'
import { NO_USAGE, plusUsage, tokensOf } from './usage.ts'

/** What was used is added up by quarters of an hour: every time zone's days begin with one. */
export const USAGE_SLOT_MS = 15 * 60_000

export interface UsageQuery {
  /** In milliseconds, each the beginning of a slot. */
  readonly from: number
  readonly to: number
  /** In these sessions alone. */
  readonly sessionIds?: readonly SessionId[]
}

export interface SlotUsage {
  /** When it begins. */
  readonly at: number
  readonly project: string
  readonly used: Usage
}

export interface SessionCount {
  readonly id: SessionId
  readonly project: string
  readonly used: Usage
}

export interface UsageCounts {
  /** By slot and folder. */
  readonly slots: readonly SlotUsage[]
  /** Most expensive first, at most `MOST_SESSIONS`. */
  readonly sessions: readonly SessionCount[]
}

export const MOST_SESSIONS = 50

/** Most expensive first; without cost, by tokens. */
export function byCost(a: { readonly used: Usage }, b: { readonly used: Usage }): number {
  return (b.used.costUsd ?? 0) - (a.used.costUsd ?? 0) || tokensOf(b.used) - tokensOf(a.used)
}

/** Adds up what has the same key, in the order in which the keys first came. */
export function addedUp<Row extends { readonly used: Usage }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Map<Key, Usage> {
  const sums = new Map<Key, Usage>()
  for (const row of rows) {
    const key = keyOf(row)
    sums.set(key, plusUsage(sums.get(key) ?? NO_USAGE, row.used))
  }
  return sums
}
