import { NO_USAGE, plusUsage } from '@holdpoint/core/usage'
import { addedUp, byCost, USAGE_SLOT_MS, type UsageCounts } from '@holdpoint/core/usage-counts'
import type { UsageReport } from '@holdpoint/schema/endpoints/usage'

const HOUR_MS = 3_600_000

type DayOf = (at: number) => string

/** How the days of a time zone are called, as `2026-11-19`. Undefined where there is no such zone. */
export function dayNames(timeZone: string): DayOf | undefined {
  try {
    const { format } = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
    const known = new Map<number, string>()
    return (at) => {
      const name = known.get(at) ?? format(at)
      known.set(at, name)
      return name
    }
  } catch {
    return undefined
  }
}

/** The first slot of the first of so many days, of which the last is today. Days have 23, 24 or 25 hours. */
export function startOfDays(now: number, days: number, dayOf: DayOf): number {
  const names = new Set<string>()
  let at = Math.floor(now / USAGE_SLOT_MS) * USAGE_SLOT_MS
  while (names.add(dayOf(at)).size <= days) at -= HOUR_MS
  const before = dayOf(at)
  while (dayOf(at) === before) at += USAGE_SLOT_MS
  return at
}

export function usageReport({ slots }: UsageCounts, dayOf: DayOf): Omit<UsageReport, 'sessions'> {
  const days = addedUp(slots, ({ at }) => dayOf(at))
  const projects = addedUp(slots, ({ project }) => project)
  return {
    total: [...projects.values()].reduce(plusUsage, NO_USAGE),
    days: [...days].map(([day, used]) => ({ day, used })).sort((a, b) => (a.day < b.day ? -1 : 1)),
    projects: [...projects].map(([project, used]) => ({ project, used })).sort(byCost),
  }
}
