import { notifiedOf } from '@holdpoint/core/history'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, DeviceId, SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { AskNotices, Notified } from '@holdpoint/schema/notification'
import { may } from '../auth/policy.ts'

/** Who was told of each open ask, and who has seen it. What is settled is in the history. */
export interface OpenAskNotices {
  of(askId: AskId): AskNotices | undefined
  /** One sighting of each device is evidence, a thousand would only fill the log (I10). */
  hasSeen(askId: AskId, deviceId: DeviceId): boolean
  /** By somebody who may answer: who can only look holds up nobody's notice. */
  isSeen(askId: AskId): boolean
  /** What happened before this start to asks that are still open is known, too. */
  readonly ready: Promise<void>
}

/** Whether this step says that this receiver was told. One that could not be reached was not. */
export function isTold({ to, step }: Notified, receiver: string): boolean {
  return to.id === receiver && step !== 'failed'
}

export function createOpenAskNotices(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly warn: LogFunction
}): OpenAskNotices {
  const { ledger, store } = deps
  const notices = new Map<AskId, AskNotices>()

  /** Beside the work: ten thousand asks may be open. */
  async function readPast() {
    const open = [...ledger.views().values()].flatMap(({ asks }) => [...asks.values()])
    for (const { id: askId, sessionId } of open) {
      const trail = await unlessDamaged(store.askTrail(askId))
      // Settled meanwhile: nobody would take it away again.
      if (!isOpen(sessionId, askId)) continue
      if (!trail || (trail.sightings.length === 0 && trail.notified.length === 0)) continue
      const known = ofAsk(askId)
      notices.set(askId, {
        askId,
        notified: [...trail.notified, ...known.notified.filter(({ at }) => at > (trail.notified.at(-1)?.at ?? 0))],
        seen: [...trail.sightings, ...known.seen.filter(({ at }) => at > (trail.sightings.at(-1)?.at ?? 0))],
      })
    }
  }

  function add(event: DurableEvent) {
    if (event.type === 'ask-settled') notices.delete(event.askId)
    if (event.type === 'ask-seen') {
      const known = ofAsk(event.askId)
      notices.set(event.askId, { ...known, seen: [...known.seen, { by: event.by, at: event.at }] })
    }
    if (event.type === 'asks-notified') {
      for (const askId of event.askIds) {
        // Told too late: it was settled meanwhile.
        if (!isOpen(event.sessionId, askId)) continue
        const known = ofAsk(askId)
        notices.set(askId, { ...known, notified: [...known.notified, notifiedOf(event)] })
      }
    }
  }

  function isOpen(sessionId: SessionId, askId: AskId): boolean {
    return ledger.views().get(sessionId)?.asks.has(askId) === true
  }

  function ofAsk(askId: AskId): AskNotices {
    return notices.get(askId) ?? { askId, notified: [], seen: [] }
  }

  ledger.subscribe((stored: readonly Stored[]) => {
    for (const { event } of stored) add(event)
  })

  const ready = readPast().catch((error: unknown) => deps.warn('record_not_read', { error: String(error) }))

  return {
    ready,
    of: (askId) => notices.get(askId),
    hasSeen: (askId, deviceId) => notices.get(askId)?.seen.some(({ by }) => by.device === deviceId) === true,
    isSeen: (askId) => notices.get(askId)?.seen.some(({ by }) => may(by, 'answer-ask')) === true,
  }
}
