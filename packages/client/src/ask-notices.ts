import { notifiedOf } from '@holdpoint/core/history'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { AskNotices } from '@holdpoint/schema/notification'
import type { Snapshot } from '@holdpoint/schema/stream'

export type AskNoticesById = ReadonlyMap<AskId, AskNotices>

export function noticesOf({ notices = [] }: Snapshot): AskNoticesById {
  return new Map(notices.map((notice) => [notice.askId, notice]))
}

/** The same map where the event changes nothing. What is settled is forgotten, as the gateway does. */
export function withEvent(
  notices: AskNoticesById,
  event: DurableEvent,
  isOpen: (askId: AskId) => boolean,
): AskNoticesById {
  const of = (askId: AskId): AskNotices => notices.get(askId) ?? { askId, notified: [], seen: [] }
  switch (event.type) {
    case 'ask-settled':
      return notices.has(event.askId) ? new Map([...notices].filter(([askId]) => askId !== event.askId)) : notices
    case 'ask-seen': {
      if (!isOpen(event.askId)) return notices
      const known = of(event.askId)
      return new Map(notices).set(event.askId, { ...known, seen: [...known.seen, { by: event.by, at: event.at }] })
    }
    case 'asks-notified': {
      const told = event.askIds.filter(isOpen).map((askId): [AskId, AskNotices] => {
        const known = of(askId)
        return [askId, { ...known, notified: [...known.notified, notifiedOf(event)] }]
      })
      return told.length === 0 ? notices : new Map([...notices, ...told])
    }
    default:
      return notices
  }
}
