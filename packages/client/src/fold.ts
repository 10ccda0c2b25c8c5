import { evolve, type SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Snapshot } from '@holdpoint/schema/stream'

/** Everything that follows from an event is known to these; another kind comes from a later gateway. */
const KNOWN_TYPES: Readonly<Record<DurableEvent['type'], true>> = {
  'session-started': true,
  'session-changed': true,
  'session-ended': true,
  'session-retired': true,
  'session-deleted': true,
  'item-added': true,
  'item-changed': true,
  'ask-raised': true,
  'ask-seen': true,
  'asks-notified': true,
  'ask-settled': true,
  'ask-delivered': true,
  'rule-added': true,
  'rule-removed': true,
  'usage-reported': true,
  alarm: true,
}

/** Views to fold on from. What settled asks and rules were before is not in a snapshot, and nothing here needs it. */
export function viewsOf(snapshot: Snapshot): Map<SessionId, SessionView> {
  const asks = new Map(snapshot.sessions.map(({ id }) => [id, new Map<AskId, Ask>()]))
  const queues = new Map(snapshot.sessions.map(({ id }) => [id, [] as MessageItem[]]))
  for (const ask of snapshot.asks) of(asks, ask.sessionId).set(ask.id, ask)
  for (const { sessionId, item } of snapshot.queued) of(queues, sessionId).push(item)
  return new Map(
    snapshot.sessions.map((session) => [
      session.id,
      { session, asks: of(asks, session.id), undelivered: new Map(), rules: [], queue: of(queues, session.id) },
    ]),
  )
}

function of<Value>(bySession: ReadonlyMap<SessionId, Value>, sessionId: SessionId): Value {
  const found = bySession.get(sessionId)
  if (!found) throw new Error(`the snapshot mentions ${sessionId}, which is not in it`)
  return found
}

/** The same step that the gateway takes. Throws where it cannot be taken: then only a snapshot helps. */
export function fold(view: SessionView | undefined, event: DurableEvent): SessionView {
  if (!Object.hasOwn(KNOWN_TYPES, event.type)) throw new Error(`${String(event.type)} is not a known event`)
  // An ended session comes without its queue: once it is resumed the messages that still wait have to be known.
  const isPartial = view !== undefined && view.session.queuedMessages !== view.queue.length
  if (isPartial && touchesQueue(event)) throw new Error(`the queue of ${event.sessionId} is not known`)
  return evolve(view, event)
}

function touchesQueue(event: DurableEvent): boolean {
  if (event.type === 'session-changed') return event.changes.epoch !== undefined
  return event.type === 'item-changed' || (event.type === 'item-added' && event.item.type === 'message')
}

/** Open ones over all sessions, oldest first. */
export function openAsks(views: ReadonlyMap<SessionId, SessionView>): readonly Ask[] {
  const asks = [...views.values()].flatMap((view) => [...view.asks.values()])
  return asks.sort((a, b) => a.raisedAt - b.raisedAt || compareIds(a.id, b.id))
}

function compareIds(a: AskId, b: AskId): number {
  return a < b ? -1 : a > b ? 1 : 0
}
