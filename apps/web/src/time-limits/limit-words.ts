import type { AskKind } from '@holdpoint/schema/ask'
import type { Limit } from '@holdpoint/schema/time-limit'

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const

/** As long as it is, in the largest unit that fits: `5 minutes`. */
export function timeWords(time: number): string {
  const [length, unit] = UNITS.find(([each]) => time % each === 0) ?? [1, 'millisecond']
  const count = time / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** `forever`, `5 minutes, then it expires`, `55 seconds, then the agent is interrupted`. */
export function limitWords({ afterMs, onTimeout }: Limit): string {
  if (afterMs === null) return 'forever'
  return `${timeWords(afterMs)}, then ${onTimeout === 'interrupt' ? 'the agent is interrupted' : 'it expires'}`
}

export const KIND_WORDS: Readonly<Record<AskKind, string>> = {
  approval: 'Approvals',
  question: 'Questions',
  plan: 'Plans',
  form: 'Forms',
}
