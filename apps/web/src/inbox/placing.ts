import type { SettledAsk } from '@holdpoint/client/gateway-client'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'

/** By session is the order on arrival: the session with the oldest ask first. */
export type InboxSort = 'session' | 'oldest' | 'newest'

/** How long the line of a settled ask stays at least. */
export const KEEP_MS = 30_000

export interface Placed {
  readonly askId: AskId
  readonly sessionId: SessionId
  /** Its group, named after the group's first ask. The name stays, also when the line of that ask is removed. */
  readonly groupId: AskId
}

export interface PlacedGroup {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly askIds: readonly AskId[]
}

interface Known {
  readonly asks: readonly Ask[]
  readonly settled: readonly SettledAsk[]
}

/** The order that was chosen, of all that is there now; what was settled a moment ago keeps its line. */
export function arrange({ asks, settled }: Known, now: number, sort: InboxSort = 'session'): readonly Placed[] {
  const replaced = new Set(asks.map((ask) => ask.replaces))
  const recent = settled
    .filter(({ ask, outcome }) => now - outcome.at < KEEP_MS && !replaced.has(ask.id))
    .map(({ ask }) => ask)
  const all = [...recent, ...asks].sort((one, other) => one.raisedAt - other.raisedAt)
  if (sort !== 'session') return inGroups((sort === 'oldest' ? all : all.reverse()).map(newlyPlaced))
  const bySession = new Map<SessionId, Ask[]>()
  for (const ask of all) {
    const group = bySession.get(ask.sessionId)
    if (group) group.push(ask)
    else bySession.set(ask.sessionId, [ask])
  }
  return inGroups([...bySession.values()].flat().map(newlyPlaced))
}

/**
 * The next order. Nothing ever moves up or down because something new came: a new ask goes to the end, also when its
 * session has a group further up. One for a call whose ask was withdrawn as changed takes the place of that one. What is
 * settled stays; what is unknown goes, and `mayTidy` lets old lines go, too. Where the newest come first, the end is no
 * place for a new one: it is left out until the person wants a new order.
 */
export function place(
  placed: readonly Placed[],
  { asks, settled }: Known,
  { now, mayTidy, sort = 'session' }: { now: number; mayTidy: boolean; sort?: InboxSort },
): readonly Placed[] {
  const open = new Set(asks.map((ask) => ask.id))
  const settledAt = new Map(settled.map(({ ask, outcome }) => [ask.id, outcome.at]))
  const again = successors([...settled.map(({ ask }) => ask), ...asks])
  const followed = new Map(placed.map((entry) => [lastOf(entry.askId, again), entry]))
  const kept = [...followed]
    .map(([askId, entry]) => ({ ...entry, askId }))
    .filter(({ askId }) => {
      if (open.has(askId)) return true
      const at = settledAt.get(askId)
      return at !== undefined && !(mayTidy && now - at >= KEEP_MS)
    })
  const there = new Set(kept.map(({ askId }) => askId))
  const added = sort === 'newest' ? [] : asks.filter((ask) => !there.has(ask.id)).map(newlyPlaced)
  const isSame = kept.length === placed.length && kept.every(({ askId }, index) => askId === placed[index]?.askId)
  return added.length === 0 && isSame ? placed : inGroups([...kept, ...added])
}

function successors(asks: readonly Ask[]): ReadonlyMap<AskId, AskId> {
  return new Map(asks.flatMap(({ id, replaces }) => (replaces === undefined ? [] : [[replaces, id] as const])))
}

/** The ask that has replaced this one for the same call. */
function lastOf(askId: AskId, again: ReadonlyMap<AskId, AskId>): AskId {
  let last = askId
  for (let next = again.get(last); next !== undefined; next = again.get(last)) last = next
  return last
}

function newlyPlaced({ id, sessionId }: Ask): Placed {
  return { askId: id, sessionId, groupId: id }
}

/** Neighbours of one session come under one heading. */
function inGroups(placed: readonly Placed[]): readonly Placed[] {
  const grouped: Placed[] = []
  for (const entry of placed) {
    const before = grouped.at(-1)
    grouped.push(before?.sessionId === entry.sessionId ? { ...entry, groupId: before.groupId } : entry)
  }
  return grouped
}

/** The first entries that contain this number of open asks; lines of settled asks do not count. */
export function upToOpen<Entry extends Placed>(
  placed: readonly Entry[],
  asks: readonly Ask[],
  count: number,
): readonly Entry[] {
  const open = new Set(asks.map((ask) => ask.id))
  let left = count
  const end = placed.findIndex(({ askId }) => open.has(askId) && left-- === 0)
  return end === -1 ? placed : placed.slice(0, end)
}

/** The open asks that have no place yet. */
export function unplaced(placed: readonly Placed[], asks: readonly Ask[]): readonly Ask[] {
  const there = new Set(placed.map(({ askId }) => askId))
  return asks.filter((ask) => !there.has(ask.id))
}

/** Whether there are lines that `place` would let go. */
export function hasOld(placed: readonly Placed[], { settled }: Pick<Known, 'settled'>, now: number): boolean {
  const old = new Set(settled.filter(({ outcome }) => now - outcome.at >= KEEP_MS).map(({ ask }) => ask.id))
  return placed.some(({ askId }) => old.has(askId))
}

export function sameGroup(one: PlacedGroup, other: PlacedGroup): boolean {
  return (
    one.id === other.id &&
    one.askIds.length === other.askIds.length &&
    one.askIds.every((id, index) => id === other.askIds[index])
  )
}

export function groupsOf(placed: readonly Placed[]): readonly PlacedGroup[] {
  const groups: { id: AskId; sessionId: SessionId; askIds: AskId[] }[] = []
  for (const { askId, sessionId, groupId } of placed) {
    const last = groups.at(-1)
    if (last?.id === groupId) last.askIds.push(askId)
    else groups.push({ id: groupId, sessionId, askIds: [askId] })
  }
  return groups
}
