import type { Limit, OnTimeout } from '@holdpoint/schema/time-limit'
import { TIME_PRESETS } from '@holdpoint/schema/time-presets'
import { limitWords, timeWords } from './limit-words.ts'

/** A limit as a person picks it: a time and what happens then, or a preset that says both. */
export interface LimitChoice {
  readonly time: string
  readonly onTimeout: OnTimeout
}

/** As Settings have it: the session says nothing of its own. */
export const AS_SET: LimitChoice = { time: 'as-set', onTimeout: 'deny' }
export const FOREVER: LimitChoice = { time: 'forever', onTimeout: 'deny' }

export const TIMES = [
  { value: FOREVER.time, label: 'Forever' },
  ...[60_000, 300_000, 3_600_000, 86_400_000].map((time) => ({ value: String(time), label: timeWords(time) })),
]
export const PRESETS = Object.entries(TIME_PRESETS).map(([name, limit]) => ({
  value: name,
  label: `${name}: ${limitWords(limit)}`,
}))

/** Undefined where nothing was picked. */
export function limitOf({ time, onTimeout }: LimitChoice): Limit | undefined {
  if (time === AS_SET.time) return undefined
  if (time === FOREVER.time) return { afterMs: null, onTimeout: 'deny' }
  return presetOf(time) ?? { afterMs: Number(time), onTimeout }
}

function presetOf(name: string): Limit | undefined {
  return Object.entries(TIME_PRESETS).find(([preset]) => preset === name)?.[1]
}

/** Whether a person still has to say what happens then. */
export function isOpenEnded({ time }: LimitChoice): boolean {
  return limitOf({ time, onTimeout: 'deny' })?.afterMs != null && presetOf(time) === undefined
}
