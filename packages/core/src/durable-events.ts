import type { DurableEvent } from '@holdpoint/schema/event'
import type { ItemId, NewId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { AgentEvent } from './driver.ts'
import type { SessionView } from './session-view.ts'
import { isSameContext, reportedUsage } from './usage.ts'

type AgentItem = Extract<AgentEvent, { type: 'item' }>

/** What an agent did, each item with the id that it has on record, however often it is tried. */
export type NumberedEvent = Exclude<AgentEvent, AgentItem> | (AgentItem & { readonly id: ItemId })

export function numbered(events: readonly AgentEvent[], newId: NewId): NumberedEvent[] {
  return events.map((event) => (event.type === 'item' ? { ...event, id: newId('itm') } : event))
}

/** What goes on record for what an agent did: nothing where the record says so already. */
export function durableEvents(event: NumberedEvent, view: SessionView, at: number): DurableEvent[] {
  const { id: sessionId } = view.session
  const change = (changes: Extract<DurableEvent, { type: 'session-changed' }>['changes']): DurableEvent[] => [
    { type: 'session-changed', sessionId, at, changes },
  ]
  switch (event.type) {
    case 'ready':
      return view.session.state === 'starting' && view.queue.length === 0 ? change({ state: 'user_turn' }) : []
    case 'identified': {
      const { vendorSessionId, model } = event
      const known = view.session.vendorSessionId === vendorSessionId && (!model || view.session.model === model)
      return known ? [] : change({ vendorSessionId, ...(model && { model }) })
    }
    case 'mode-changed':
      return view.session.permissionMode === event.permissionMode
        ? []
        : change({ permissionMode: event.permissionMode })
    case 'titled':
      return view.session.named || view.session.title === event.title ? [] : change({ title: event.title })
    case 'item': {
      // The id comes first in the text, where a check of the log finds it without parsing the rest.
      const item = { id: event.id, at, ...event.item } as Item
      return [{ type: 'item-added', sessionId, at, item }]
    }
    case 'turn-started':
      return view.session.state === 'assistant_turn' ? [] : change({ state: 'assistant_turn' })
    case 'turn-ended':
      return view.session.state === 'assistant_turn' ? change({ state: 'user_turn' }) : []
    case 'usage':
      return reportedUsage(view.session, event, at)
    case 'context':
      return isSameContext(view.session.context, event.context) ? [] : change({ context: event.context })
    case 'may-wait':
      return (view.session.mayWait ?? false) === event.mayWait ? [] : change({ mayWait: event.mayWait })
    default:
      return event satisfies never
  }
}
