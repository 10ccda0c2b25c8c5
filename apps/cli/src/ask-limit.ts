import type { Limit } from '@holdpoint/schema/time-limit'
import { TIME_PRESETS } from '@holdpoint/schema/time-presets'
import { duration } from './duration.ts'

/** A limit by a time such as `5m`, or by the name of the protocol whose document has it. */
export function askLimit(text: string): Limit {
  const preset = Object.entries(TIME_PRESETS).find(([name]) => name === text)?.[1]
  return preset ?? { afterMs: duration(text), onTimeout: 'deny' }
}
