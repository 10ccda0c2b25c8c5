/** When a rule is to end. */
export type RuleEnding = 'never' | 'soon' | 'today'

export const SOON_MINUTES = 15

/** The moment in milliseconds; undefined for a rule that does not end by itself. */
export function endOf(ending: RuleEnding, now: number): number | undefined {
  if (ending === 'never') return undefined
  return ending === 'soon' ? now + SOON_MINUTES * 60_000 : new Date(now).setHours(24, 0, 0, 0)
}
