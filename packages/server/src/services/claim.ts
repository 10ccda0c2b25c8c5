import type { Clock } from '@holdpoint/core/clock'
import type { Records } from '@holdpoint/core/store'

const COLLECTION = 'claims'
/** A gateway that is gone holds it no longer. */
const HELD_MS = 5 * 60_000

/** What one gateway at a time does, for work that would do no harm if two did it. */
export interface Claim {
  /** Takes it, or holds it for longer. False while another gateway has it. */
  hold(): Promise<boolean>
}

export const ALONE: Claim = { hold: async () => true }

interface Held {
  readonly by: string
  readonly until: number
}

export function createClaim(deps: {
  readonly records: Pick<Records, 'get' | 'put' | 'replace'>
  readonly clock: Pick<Clock, 'now'>
  readonly name: string
  /** This life of this gateway. */
  readonly by: string
}): Claim {
  const { records, clock, name, by } = deps
  let mine: Held | undefined

  async function take(): Promise<boolean> {
    const now = clock.now()
    const found = (await records.get(COLLECTION, name)) as Held | undefined
    if (!found) {
      // The same for whoever comes first: then one of them takes it.
      await records.put(COLLECTION, name, { by: '', until: 0 } satisfies Held)
      return take()
    }
    if (found.by !== by && found.until > now) return false
    const next = { by, until: now + HELD_MS }
    if (!(await records.replace(COLLECTION, name, next, found))) return false
    mine = next
    return true
  }

  return {
    async hold() {
      if (mine && mine.until - clock.now() > HELD_MS / 2) return true
      mine = undefined
      return take()
    },
  }
}
