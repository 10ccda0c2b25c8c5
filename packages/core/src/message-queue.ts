import type { DurableEvent } from '@holdpoint/schema/event'
import type { ItemId, NewId, SessionId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import type { SendMessage } from '@holdpoint/schema/session'
import type { AgentDriver } from './driver.ts'
import type { Ledger } from './ledger.ts'
import { LedgerConflict } from './ledger-error.ts'
import { notOurs, refusesCommands, type SessionResult, TYPED, takesNoMessages } from './session-refusal.ts'
import type { Store } from './store.ts'

export interface Sent {
  readonly messageId: ItemId
  readonly queued: number
}

export interface MessageQueue {
  /** A message as it goes into the queue. */
  newMessage(message: SendMessage, at: number, id?: ItemId): MessageItem
  /** Records a message and hands over what can be. With the id of one that was sent already, says so again. */
  send(id: SessionId, message: SendMessage, messageId?: ItemId): Promise<SessionResult<Sent>>
  cancel(id: SessionId, messageId: ItemId): Promise<SessionResult<undefined>>
}

const MAX_QUEUED = 100

/** Messages that wait for their agent's turn to listen, in order, each once. */
export function createMessageQueue(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly newId: NewId
  readonly newUuid: () => string
  readonly drivers: ReadonlyMap<string, AgentDriver>
  /** Gives the agent what it can take now. Does not wait for one that is out of reach. */
  readonly handOver: (id: SessionId) => Promise<void>
}): MessageQueue {
  const { ledger } = deps
  const queued = (id: SessionId) => ledger.views().get(id)?.queue.length ?? 0

  function newMessage(message: SendMessage, at: number, id: ItemId = deps.newId('itm')): MessageItem {
    return {
      id,
      at,
      type: 'message',
      role: 'user',
      text: message.text,
      ...(message.attachments?.length && { attachments: message.attachments }),
      status: 'queued',
      uuid: deps.newUuid(),
    }
  }

  /** A message that was sent before under the same id: as good as sent now, if it is the same. */
  function sentBefore(sessionId: SessionId, item: Item, message: SendMessage): SessionResult<Sent> {
    if (!isSameMessage(item, message)) return { ok: false, refusal: 'retry_mismatch' }
    return { ok: true, value: { messageId: item.id, queued: queued(sessionId) } }
  }

  function record(id: SessionId, message: SendMessage, messageId: ItemId | undefined) {
    return ledger.transact(id, (view, at): { events: DurableEvent[]; result: SessionResult<Sent> } => {
      const twin = view?.queue.find((item) => item.id === messageId)
      if (twin) return { events: [], result: sentBefore(id, twin, message) }
      if (view && takesNoMessages(view.session)) return { events: [], result: notOurs(view) }
      if (view && deps.drivers.get(view.session.agent)?.isTyped) return { events: [], result: TYPED }
      const full = (view?.queue.length ?? 0) >= MAX_QUEUED
      const refusal = refusesCommands(view) ?? (full ? 'too_many_queued' : undefined)
      if (refusal || !view) return { events: [], result: { ok: false, refusal: refusal ?? 'not_found' } }
      const item = newMessage(message, at, messageId)
      return {
        events: [{ type: 'item-added', sessionId: id, at, item }],
        result: { ok: true, value: { messageId: item.id, queued: view.queue.length + 1 } },
      }
    })
  }

  return {
    newMessage,

    async send(id, message, messageId) {
      const known = async () => messageId && deps.store.item({ sessionId: id, id: messageId })
      const before = await known()
      if (before) return sentBefore(id, before, message)
      const result = await record(id, message, messageId).catch(
        async (error: unknown): Promise<SessionResult<Sent>> => {
          // Its twin was first, and is on its way to the agent already: the log does not take the same message twice.
          const twin = error instanceof LedgerConflict ? await known() : undefined
          if (!twin) throw error
          return sentBefore(id, twin, message)
        },
      )
      if (!result.ok) return result
      await deps.handOver(id)
      return { ok: true, value: { messageId: result.value.messageId, queued: queued(id) } }
    },

    cancel: (id, messageId) =>
      ledger.transact(id, (view, at): { events: DurableEvent[]; result: SessionResult<undefined> } => {
        if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
        if (!view.queue.some((item) => item.id === messageId))
          return { events: [], result: { ok: false, refusal: 'not_queued' } }
        return {
          events: [{ type: 'item-changed', sessionId: id, at, itemId: messageId, changes: { status: 'cancelled' } }],
          result: { ok: true, value: undefined },
        }
      }),
  }
}

/** Whether a message that is on record is the one that somebody sends (again). */
export function isSameMessage(item: Item, message: SendMessage): boolean {
  const files = (attachments: readonly string[] = []) => attachments.join()
  return item.type === 'message' && item.text === message.text && files(item.attachments) === files(message.attachments)
}
