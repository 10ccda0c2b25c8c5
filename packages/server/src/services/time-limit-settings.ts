import type { Records } from '@holdpoint/core/store'
import { isAt } from '@holdpoint/core/time-limits'
import { type Limit, type LimitPlace, TimeLimit } from '@holdpoint/schema/time-limit'
import type { Log } from '../system/log.ts'
import { createTurn } from '../system/turns.ts'

const COLLECTION = 'time-limits'
export const MAX_TIME_LIMITS = 1000

/** How long asks may wait in sessions that are started without limits of their own. */
export interface TimeLimitSettings {
  /** Those that people have set. */
  list(): readonly TimeLimit[]
  /** For asks that none of them is for. */
  readonly ofGateway: Limit | undefined
  /** All of them, in the order in which they count where two are for the same asks. */
  inForce(): readonly TimeLimit[]
  /** Takes the place of the limit for the same asks. Says whether there was room for it. */
  set(limit: TimeLimit): Promise<boolean>
  /** Says whether there was one. */
  remove(place: LimitPlace): Promise<boolean>
}

export async function createTimeLimitSettings(deps: {
  readonly records: Records
  readonly log: Log
  readonly ofGateway: Limit | undefined
}): Promise<TimeLimitSettings> {
  const { records, ofGateway } = deps
  const stored = await records.list(COLLECTION)
  let limits = stored.flatMap(({ key, value }): TimeLimit[] => {
    const read = TimeLimit.safeParse(value)
    // Without it an ask waits longer, which allows nothing.
    if (!read.success) deps.log.warn('time_limit_not_read', { key })
    return read.success ? [read.data] : []
  })
  /** One change at a time: what is in force is what was stored last. */
  const inTurn = createTurn()

  const others = (place: LimitPlace) => limits.filter((limit) => !isAt(limit, place))

  return {
    list: () => limits,
    ofGateway,
    inForce: () => (ofGateway ? [...limits, ofGateway] : limits),
    set: (limit) =>
      inTurn(async () => {
        if (others(limit).length >= MAX_TIME_LIMITS) return false
        await records.put(COLLECTION, keyOf(limit), limit)
        limits = [...others(limit), limit]
        return true
      }),
    remove: (place) =>
      inTurn(async () => {
        const isThere = await records.remove(COLLECTION, keyOf(place))
        limits = others(place)
        return isThere
      }),
  }
}

function keyOf({ project, kind }: LimitPlace): string {
  return `${kind ?? ''} ${project ?? ''}`
}
