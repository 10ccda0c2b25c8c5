import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Actor, Outcome } from '@holdpoint/schema/outcome'
import type { Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'
import { broughtBack } from './archiving.ts'
import { isOfLife, lifeOf } from './remembering.ts'
import { afterSent, afterSettled } from './unanswered.ts'
import { plusUsage } from './usage.ts'

/** What has to be known of an outcome until it is delivered. What was asked and what was answered are in the store. */
export interface Undelivered {
  readonly epoch: number
  readonly requestId: string
  readonly kind: Outcome['kind']
}

/** A session as its events tell it. Small on purpose: what is settled and delivered is in the store, not in here. */
export interface SessionView {
  readonly session: Session
  /** Open asks, oldest first. */
  readonly asks: ReadonlyMap<AskId, Ask>
  /** Settled, but the agent has not been seen to get the outcome. */
  readonly undelivered: ReadonlyMap<AskId, Undelivered>
  readonly rules: readonly Rule[]
  /** Messages that wait for the agent, in order. */
  readonly queue: readonly MessageItem[]
  /** The last message handed to the agent. */
  readonly sent?: MessageItem
  /**
   * Appeals that a person has said yes to, and that no call has used up. They end with the turn, and with the gateway:
   * a restart begins without them, and people are asked again.
   */
  readonly grants?: ReadonlySet<AskId>
}

/** Same events, same view: on the server after a restart and in a browser after a reconnect. */
export function evolve(view: SessionView | undefined, event: DurableEvent): SessionView {
  if (event.type === 'session-started') {
    return { session: event.session, asks: new Map(), undelivered: new Map(), rules: [], queue: [] }
  }
  if (!view) throw new Error(`${event.type} for ${event.sessionId}, which has not started`)
  const { session } = view
  switch (event.type) {
    case 'session-changed': {
      const moved = event.changes.state !== undefined && event.changes.state !== session.state
      const revived = event.changes.epoch !== undefined && event.changes.epoch !== session.epoch
      const { error, endReason, frozen, mayWait, retired, parkedAt, lifeEpoch, ...rest } = session
      const returns = moved || revived || event.changes.mayWait === true
      const known = revived ? rest : session
      const kept = returns ? broughtBack(known) : known
      const { grants, ...ungranted } = view
      const { sent, ...lasting } = ungranted
      // Another turn, another life or another mode: nobody has said yes to the call in it.
      const isLasting = !moved && !revived && event.changes.permissionMode === undefined
      const changed: Session = { ...kept, ...event.changes, ...(moved && { stateChangedAt: event.at }) }
      return {
        ...(isLasting && grants && { grants }),
        ...(revived ? { ...lasting, undelivered: new Map() } : ungranted),
        // Of a life before this one there are none.
        rules: lifeOf(changed) === lifeOf(session) ? view.rules : view.rules.filter((rule) => isOfLife(rule, changed)),
        session: changed,
      }
    }
    case 'session-ended': {
      const { parkedAt, ...rest } = session
      return {
        ...view,
        session: {
          ...rest,
          state: 'dead',
          stateChangedAt: event.at,
          endReason: event.reason,
          ...(event.error && { error: event.error }),
        },
      }
    }
    case 'session-retired':
      return { ...view, session: { ...session, retired: { at: event.at, archive: event.archive } } }
    case 'session-deleted':
      return {
        session: deletedSession(session, event),
        asks: new Map(),
        undelivered: new Map(),
        rules: [],
        queue: [],
      }
    case 'item-added':
      return event.item.type === 'message' && event.item.status === 'queued'
        ? withQueue({ ...view, session: broughtBack(session) }, [...view.queue, event.item])
        : view
    case 'item-changed': {
      const changed = view.queue.find((item) => item.id === event.itemId)
      if (!changed) return view
      const next = withQueue(
        view,
        view.queue.filter((item) => item !== changed),
      )
      if (event.changes.status !== 'sent') return next
      return { ...next, session: afterSent(next.session, changed), sent: { ...changed, status: 'sent' } }
    }
    case 'ask-raised':
      return withAsks({ ...view, session: broughtBack(session) }, new Map(view.asks).set(event.ask.id, event.ask))
    case 'ask-settled': {
      const ask = view.asks.get(event.askId)
      if (!ask) throw new Error(`${event.askId} settled, but it is not open`)
      const asks = new Map(view.asks)
      asks.delete(event.askId)
      const settled = withAsks({ ...view, session: afterSettled(session, ask, event.outcome) }, asks)
      const next = withGrants(settled, ask, event.outcome)
      if (!awaitsDelivery(event.outcome)) return next
      const undelivered = new Map(view.undelivered).set(event.askId, undeliveredOf(ask, event.outcome))
      return { ...next, undelivered }
    }
    case 'ask-delivered': {
      const undelivered = new Map(view.undelivered)
      undelivered.delete(event.askId)
      return { ...view, undelivered }
    }
    case 'rule-added':
      return { ...view, rules: [...view.rules, event.rule] }
    case 'rule-removed':
      return { ...view, rules: view.rules.filter((rule) => rule.id !== event.ruleId) }
    case 'usage-reported': {
      const { used, reported } = event
      const total = session.usage ? plusUsage(session.usage.total, used) : used
      return { ...view, session: { ...session, usage: { total, reported, epoch: session.epoch } } }
    }
    case 'alarm':
      return { ...view, session: { ...broughtBack(session), frozen: true } }
    case 'ask-seen':
    case 'asks-notified':
      return view
    default:
      return event satisfies never
  }
}

/** What is left says whose it was, where and when, and that it was deleted: nothing that was said in it. */
function deletedSession(session: Session, { at, by }: { readonly at: number; readonly by: Actor }): Session {
  const { id, node, agent, projectId, cwd, permissionMode, gate, startedAt, stateChangedAt, epoch, onTimeout } = session
  return {
    id,
    ...(node && { node }),
    agent,
    projectId,
    cwd,
    title: 'Deleted session',
    state: 'dead',
    permissionMode,
    gate,
    startedAt,
    stateChangedAt,
    epoch,
    openAsks: 0,
    queuedMessages: 0,
    onTimeout,
    trusted: false,
    deleted: { at, by },
  }
}

export function undeliveredOf({ epoch, requestId }: Ask, { kind }: Outcome): Undelivered {
  return { epoch, requestId, kind }
}

/** Nobody waits for what was withdrawn. */
export function awaitsDelivery(outcome: Outcome): boolean {
  return outcome.kind !== 'withdrawn'
}

/** Withdrawn because what it showed is not so any more: the same call asks again, under a new id. */
export function isChanged(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'withdrawn' && outcome.reason === 'changed'
}

/** A yes to an appeal is there for one call. One that a program raised is about no call of the agent. */
function withGrants(view: SessionView, ask: Ask, outcome: Outcome): SessionView {
  const isGrant = ask.appeal !== undefined && ask.raisedBy === undefined && outcome.kind === 'allowed'
  if (!isGrant && outcome.appeal === undefined) return view
  const grants = new Set(view.grants)
  if (isGrant) grants.add(ask.id)
  if (outcome.appeal !== undefined) grants.delete(outcome.appeal)
  return { ...view, grants }
}

function withAsks(view: SessionView, asks: ReadonlyMap<AskId, Ask>): SessionView {
  return { ...view, asks, session: { ...view.session, openAsks: asks.size } }
}

function withQueue(view: SessionView, queue: readonly MessageItem[]): SessionView {
  return { ...view, queue, session: { ...view.session, queuedMessages: queue.length } }
}
