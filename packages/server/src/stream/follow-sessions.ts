import { evolve, type SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Snapshot } from '@holdpoint/schema/stream'
import { sees } from '../auth/devices.ts'
import type { Log } from '../system/log.ts'
import type { Frame } from './fan-out.ts'
import { type Sink, type SubscriptionDeps, subscribe } from './subscription.ts'

/** One thing that happened to a session, and how the session stood before and after it. */
export interface Change {
  readonly event: DurableEvent
  /** Undefined when the session has just started. */
  readonly before: SessionView | undefined
  readonly after: SessionView
}

/** What a dialect makes of what happens. Called in order, without gap or repeat (I7). */
export interface Follower {
  /** First of all, once: how everything stands, those that ended lately included. Asks are oldest first. */
  onStart(views: readonly SessionView[], cursor: string): void
  /** `cursor` names the place in the log where it happened. */
  onChange(change: Change, cursor: string): void
  /** An ask that came and went before its turn. For who lists open asks elsewhere too: the client may know it from there. */
  onMissed?(ask: Ask, outcome: Outcome, cursor: string): void
  onLive?(event: LiveEvent): void
}

export interface FollowingDeps extends SubscriptionDeps {
  readonly log: Log
}

/** The client's end, whatever carries it. */
export interface FollowerConnection {
  readonly writable: boolean
  ready(): Promise<void>
  /** The client reads too slowly: it is let go, and comes again. */
  drop(): void
}

/**
 * Tells a dialect's client what happens, from the same stream that native clients get. An ask that is settled by the
 * time its turn comes (by a rule, as a rule) is not told at all: nobody has to answer it.
 */
export function followSessions(
  deps: FollowingDeps,
  options: {
    readonly device: Device
    readonly sessionId?: SessionId
    readonly channel: FollowerConnection
    readonly follower: Follower
    readonly signal: AbortSignal
  },
): { readonly started: Promise<void>; drained(): void } {
  const { device, sessionId, channel, follower, signal } = options
  const views = new Map<SessionId, SessionView>()
  const untold = new Map<AskId, Ask>()

  function take(event: DurableEvent, cursor: string) {
    if (isUntold(event, cursor)) return
    const before = views.get(event.sessionId)
    // A session that had ended comes back: the ledger has it again.
    const after = before || event.type === 'session-started' ? evolve(before, event) : current(event.sessionId)
    if (!after) return
    if (after.session.state === 'dead') views.delete(event.sessionId)
    else views.set(event.sessionId, after)
    follower.onChange({ event, before, after }, cursor)
  }

  const current = (id: SessionId) => deps.ledger.views().get(id)

  function isUntold(event: DurableEvent, cursor: string): boolean {
    if (event.type === 'ask-raised' && !current(event.sessionId)?.asks.has(event.ask.id))
      untold.set(event.ask.id, event.ask)
    if (event.type === 'ask-settled') return isMissed(event, cursor)
    return event.type === 'ask-raised' && untold.has(event.ask.id)
  }

  function isMissed({ askId, outcome }: Extract<DurableEvent, { type: 'ask-settled' }>, cursor: string): boolean {
    const ask = untold.get(askId)
    if (ask) follower.onMissed?.(ask, outcome, cursor)
    return untold.delete(askId)
  }

  const sink: Sink = {
    wants: (id) => (!sessionId || sessionId === id) && sees(device, id),
    get writable() {
      return channel.writable
    },
    write(frames) {
      try {
        for (const frame of frames) {
          if (signal.aborted) return
          if (isDurable(frame)) take(frame.event, frame.place.cursor)
          else follower.onLive?.(frame.event as LiveEvent)
        }
      } catch (error) {
        // Whoever publishes must not suffer for one client: it comes again and starts from how things stand.
        deps.log.error('dialect_failed', { error: String(error) })
        sink.drop()
      }
    },
    writeSnapshot(snapshot) {
      const all = viewsOf(snapshot)
      for (const view of all) if (view.session.state !== 'dead') views.set(view.session.id, view)
      follower.onStart(all, snapshot.cursor)
      return undefined
    },
    ready: () => channel.ready(),
    drop() {
      deps.fanOut.leave(sink)
      channel.drop()
    },
  }
  signal.addEventListener('abort', () => deps.fanOut.leave(sink), { once: true })
  const started = subscribe(deps, { sink, device, signal, ...(sessionId && { sessionId }) })
  return { started, drained: () => deps.fanOut.drained(sink) }
}

function isDurable(frame: Frame): frame is Frame & Required<Pick<Frame, 'place'>> & { event: DurableEvent } {
  return frame.place !== undefined
}

function viewsOf(snapshot: Snapshot): SessionView[] {
  return snapshot.sessions.map((session) => {
    const asks = snapshot.asks.filter((ask) => ask.sessionId === session.id)
    const queue = snapshot.queued.filter((entry) => entry.sessionId === session.id).map((entry) => entry.item)
    return { session, asks: byId(asks), undelivered: new Map(), rules: [], queue }
  })
}

function byId(asks: readonly Ask[]): ReadonlyMap<AskId, Ask> {
  return new Map(asks.map((ask) => [ask.id, ask]))
}
