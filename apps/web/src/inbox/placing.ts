import type { SettledAsk } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'

/** How long the line of a settled ask stays at least. */
export const KEEP_MS = 30_000

export interface Placed {
  readonly askId: AskId
  readonly sessionId: SessionId
}

export interface PlacedGroup {
  readonly sessionId: SessionId
  /** The first ask's: stays the same while the group is there. */
  readonly key: AskId
  readonly askIds: readonly AskId[]
}

interface Known {
  readonly asks: readonly Ask[]
  readonly settled: readonly SettledAsk[]
}

/** The order on arrival: by session, the one with the oldest ask first; what was settled a moment ago keeps its line. */
export function arrange({ asks, settled }: Known, now: number): readonly Placed[] {
  const recent = settled.filter(({ outcome }) => now - outcome.at < KEEP_MS).map(({ ask }) => ask)
  const all = [...recent, ...asks].sort((one, other) => one.raisedAt - other.raisedAt)
  const bySession = new Map<SessionId, Placed[]>()
  for (const { id, sessionId } of all) {
    const group = bySession.get(sessionId)
    if (group) group.push({ askId: id, sessionId })
    else bySession.set(sessionId, [{ askId: id, sessionId }])
  }
  return [...bySession.values()].flat()
}

/**
 * The next order. Nothing ever moves up or down because something new came: a new ask goes to the end, also when its
 * session has a group further up. What is settled stays; what is unknown goes, and `mayTidy` lets old lines go, too.
 */
export function place(
  placed: readonly Placed[],
  { asks, settled }: Known,
  { now, mayTidy }: { now: number; mayTidy: boolean },
): readonly Placed[] {
  const open = new Set(asks.map((ask) => ask.id))
  const settledAt = new Map(settled.map(({ ask, outcome }) => [ask.id, outcome.at]))
  const kept = placed.filter(({ askId }) => {
    if (open.has(askId)) return true
    const at = settledAt.get(askId)
    return at !== undefined && !(mayTidy && now - at >= KEEP_MS)
  })
  const there = new Set(kept.map(({ askId }) => askId))
  const added = asks.filter((ask) => !there.has(ask.id)).map(({ id, sessionId }) => ({ askId: id, sessionId }))
  return added.length === 0 && kept.length === placed.length ? placed : [...kept, ...added]
}

/** As many from the start as hold this number of open asks: lines of settled ones take up nobody's place. */
export function upToOpen(placed: readonly Placed[], asks: readonly Ask[], count: number): readonly Placed[] {
  const open = new Set(asks.map((ask) => ask.id))
  let left = count
  const end = placed.findIndex(({ askId }) => open.has(askId) && left-- === 0)
  return end === -1 ? placed : placed.slice(0, end)
}

/** Neighbours of one session under one heading. */
export function groupsOf(placed: readonly Placed[]): readonly PlacedGroup[] {
  const groups: { sessionId: SessionId; key: AskId; askIds: AskId[] }[] = []
  for (const { askId, sessionId } of placed) {
    const last = groups.at(-1)
    if (last?.sessionId === sessionId) last.askIds.push(askId)
    else groups.push({ sessionId, key: askId, askIds: [askId] })
  }
  return groups
}
