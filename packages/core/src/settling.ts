import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import type { Decision } from './ledger.ts'
import type { SessionView } from './session-view.ts'

/** Settles an ask that is open; one that is not stays as it is (I1), and there is no result then. */
export function settleIfOpen(
  view: SessionView | undefined,
  askId: AskId,
  outcome: Outcome,
): Decision<Outcome | undefined> {
  if (!view?.asks.has(askId)) return { events: [], result: undefined }
  const { id: sessionId } = view.session
  return { events: [{ type: 'ask-settled', sessionId, at: outcome.at, askId, outcome }], result: outcome }
}

/** Open asks of the agent process itself, without those that programs raised over the API. */
export function openOf(view: SessionView | undefined, epoch: number): Ask[] {
  return [...(view?.asks.values() ?? [])].filter((ask) => ask.epoch === epoch && ask.raisedBy === undefined)
}

/** What it means that the agent was told something about these requests. */
export function deliveredEvents(
  view: SessionView | undefined,
  at: number,
  epoch: number,
  told: ReadonlySet<string>,
): DurableEvent[] {
  const settled = [...(view?.undelivered ?? [])].filter(
    ([, undelivered]) => undelivered.epoch === epoch && told.has(undelivered.requestId),
  )
  const delivered = settled.flatMap(([askId]): DurableEvent[] =>
    view ? [{ type: 'ask-delivered', sessionId: view.session.id, at, askId }] : [],
  )
  // Told, though nobody has answered: it was refused for a fault of ours, and nothing waits behind the card any more.
  const outcome: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'answered-elsewhere' }
  const refused = openOf(view, epoch).filter((ask) => told.has(ask.requestId))
  return [...delivered, ...refused.flatMap((ask) => settleIfOpen(view, ask.id, outcome).events)]
}

/** Withdraws everything that is open, for a session that is interrupted or over. */
export function withdrawAll(view: SessionView, at: number, reason: WithdrawReason): DurableEvent[] {
  return [...view.asks.keys()].flatMap((askId) => [
    ...settleIfOpen(view, askId, { kind: 'withdrawn', at, via: 'gateway', reason }).events,
  ])
}
