import { isAt } from '@holdpoint/core/time-limits'
import { createTurn } from '@holdpoint/core/turns'
import { type Limit, type LimitPlace, TimeLimit } from '@holdpoint/schema/time-limit'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords } from '../cluster/kept-records.ts'
import type { Log } from '../system/log.ts'

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
  readonly records: FollowedRecords
  readonly log: Log
  readonly ofGateway: Limit | undefined
}): Promise<TimeLimitSettings> {
  const { records, ofGateway } = deps
  let limits: readonly TimeLimit[] = []
  const byKey = new Map<string, TimeLimit>()
  const kept = await keepRecords(records, COLLECTION, (now) => {
    for (const { key, value } of now) {
      const read = TimeLimit.safeParse(value)
      byKey.delete(key)
      if (read.success) byKey.set(key, read.data)
      // Without it an ask waits longer, which allows nothing.
      else if (value !== undefined) deps.log.warn('time_limit_not_read', { key })
    }
    limits = [...byKey.values()]
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
        await kept.put(keyOf(limit), limit)
        return true
      }),
    remove: (place) => inTurn(() => kept.remove(keyOf(place))),
  }
}

function keyOf({ project, kind }: LimitPlace): string {
  return `${kind ?? ''} ${project ?? ''}`
}
