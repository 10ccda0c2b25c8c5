import type { SettledAsk } from '@holdpoint/client/gateway-client'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'

/**
 * An index of the asks, built once for each list: every row and every card looks up its own asks whenever something
 * changes.
 */
const openIndex = perList((asks: readonly Ask[]) => ({
  byId: new Map(asks.map((ask) => [ask.id, ask])),
  bySession: bySession(asks),
}))
const settledIndex = perList((settled: readonly SettledAsk[]) => new Map(settled.map((entry) => [entry.ask.id, entry])))

export function openAsk(asks: readonly Ask[], id: AskId): Ask | undefined {
  return openIndex(asks).byId.get(id)
}

const NONE: readonly Ask[] = []

/** Those of one session, in the order of the list. */
export function openAsksOf(asks: readonly Ask[], sessionId: SessionId): readonly Ask[] {
  return openIndex(asks).bySession.get(sessionId) ?? NONE
}

export function settledAsk(settled: readonly SettledAsk[], id: AskId): SettledAsk | undefined {
  return settledIndex(settled).get(id)
}

function bySession(asks: readonly Ask[]): ReadonlyMap<SessionId, readonly Ask[]> {
  const groups = new Map<SessionId, Ask[]>()
  for (const ask of asks) {
    const group = groups.get(ask.sessionId)
    if (group) group.push(ask)
    else groups.set(ask.sessionId, [ask])
  }
  return groups
}

function perList<Entry, Made>(make: (list: readonly Entry[]) => Made): (list: readonly Entry[]) => Made {
  const made = new WeakMap<readonly Entry[], Made>()
  return (list) => {
    const known = made.get(list) ?? make(list)
    made.set(list, known)
    return known
  }
}
