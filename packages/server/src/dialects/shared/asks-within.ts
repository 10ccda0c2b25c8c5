import { askerOf } from '@holdpoint/core/open-room'
import type { Ask } from '@holdpoint/schema/ask'

/** Of what the agents may take of a message, what programs may take beside it. */
const SHARE_OF_PROGRAMS = 1 / 4

/**
 * As many of the asks as fit into one message: the agents' first, then those that programs have raised, each in the order
 * given and with room of its own. However much programs raise, what the agents ask is shown. The first of each is shown
 * however large it is.
 */
export function asksWithin(limit: number, asks: readonly Ask[], lengthOf: (ask: Ask) => number): Ask[] {
  const agents = asks.filter((ask) => askerOf(ask) === 'agent')
  const programs = asks.filter((ask) => askerOf(ask) === 'program')
  return [...fitting(limit, agents, lengthOf), ...fitting(limit * SHARE_OF_PROGRAMS, programs, lengthOf)]
}

/**
 * Up to the first that does not fit, and none after it: clients take a request that is not there any more for settled, so
 * what was shown once must fit until it is, whatever comes and goes before it.
 */
function fitting(limit: number, asks: readonly Ask[], lengthOf: (ask: Ask) => number): readonly Ask[] {
  let length = 0
  const tooMuch = asks.findIndex((ask, place) => {
    length += lengthOf(ask)
    return place > 0 && length > limit
  })
  return tooMuch < 0 ? asks : asks.slice(0, tooMuch)
}
