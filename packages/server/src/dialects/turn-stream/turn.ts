import type { SessionView } from '@holdpoint/core/session-view'
import type { LiveEvent } from '@holdpoint/schema/event'
import type { ItemId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import type { Change } from '../../stream/follow-sessions.ts'
import { endedEvent, interactionEvent, settledEvent, statusOf } from './mapping.ts'

/**
 * Which turn a stream tells: that of one message, which may have to wait for others first, or may be over already; or
 * whatever the agent is at, until it has nothing more to do.
 */
export type Which =
  | { readonly messageId: ItemId; readonly stands: 'waiting' | 'running' | 'over' }
  | { readonly messageId?: undefined; readonly stands: 'running' }

/** Tells one turn to one client. Asks are told while the message waits, too: they are what it waits for. */
export interface Turn {
  start(view: SessionView): StreamEvent[]
  change(change: Change): StreamEvent[]
  live(event: LiveEvent): StreamEvent[]
  readonly isOver: boolean
}

/** `tools` are the names of the calls that were made before, by their ids. */
export function createTurn(which: Which, tools: ReadonlyMap<string, string> = new Map()): Turn {
  let isRunning = which.stands === 'running'
  let isOver = false
  let told = ''
  /** Text that was sent as it came, and whose finished message has not come yet. */
  let ahead = ''
  const names = new Map(tools)
  const begun = new Set<string>()
  /** Calls of whose input a part was sent as it came. */
  const streamed = new Set<string>()

  function status(view: SessionView): StreamEvent[] {
    const data = statusOf(view)
    const text = JSON.stringify(data)
    if (text === told) return []
    told = text
    return [{ type: 'session_status', data }]
  }

  function end(view: SessionView, why: StreamEvent[] = []): StreamEvent[] {
    isOver = true
    return [...why, { type: 'done', data: { sessionId: view.session.id } }]
  }

  function endIf(isTurnOver: boolean, view: SessionView): StreamEvent[] {
    if (view.session.state === 'dead') return end(view, [endedEvent(view.session)])
    return isTurnOver ? end(view) : []
  }

  function isTurnOver({ event, after }: Change): boolean {
    if (which.messageId !== undefined)
      return isRunning && event.type === 'session-changed' && event.changes.state === 'user_turn'
    // Handed over, but the agent's turn is the next event: it is not idle in between.
    const isHandedOver = event.type === 'item-changed' && event.changes.status === 'sent'
    return !isHandedOver && isIdle(after)
  }

  /** The agent has finished saying this: what of it was not sent yet. */
  function finished(text: string): StreamEvent[] {
    if (ahead.startsWith(text)) {
      ahead = ahead.slice(text.length)
      return []
    }
    const rest = text.startsWith(ahead) ? text.slice(ahead.length) : ''
    ahead = ''
    return rest === '' ? [] : [{ type: 'text_delta', data: { text: rest } }]
  }

  function begin(toolCallId: string, toolName: string): StreamEvent[] {
    names.set(toolCallId, toolName)
    if (begun.has(toolCallId)) return []
    begun.add(toolCallId)
    return [{ type: 'tool_call_start', data: { toolCallId, toolName, status: 'running' } }]
  }

  function piece(toolCallId: string, toolName: string, input: string): StreamEvent[] {
    if (input === '') return []
    streamed.add(toolCallId)
    return [{ type: 'tool_call_delta', data: { toolCallId, toolName, input, status: 'running' } }]
  }

  function itemEvents(item: Item): StreamEvent[] {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' && item.subagent === undefined ? finished(item.text) : []
      case 'tool-call': {
        const { toolUseId: toolCallId, name: toolName } = item
        const input = JSON.stringify(item.input ?? {})
        return [
          ...begin(toolCallId, toolName),
          // Many clients read the input from its pieces alone.
          ...(streamed.has(toolCallId) ? [] : piece(toolCallId, toolName, input)),
          { type: 'tool_call_end', data: { toolCallId, toolName, input, status: 'running' } },
        ]
      }
      case 'tool-result': {
        const { toolUseId: toolCallId, text: result, isError } = item
        const toolName = names.get(toolCallId) ?? ''
        return [{ type: 'tool_result', data: { toolCallId, toolName, result, status: isError ? 'error' : 'complete' } }]
      }
      case 'notice':
        return item.level === 'error' ? [{ type: 'error', data: { message: item.text, code: 'notice' } }] : []
      case 'thinking':
      case 'ask':
        return []
      default:
        return item satisfies never
    }
  }

  function changeEvents({ event, before }: Change): StreamEvent[] {
    switch (event.type) {
      case 'item-added':
        return isRunning ? itemEvents(event.item) : []
      case 'item-changed':
        if (event.itemId === which.messageId && event.changes.status === 'sent') isRunning = true
        return []
      case 'session-changed':
        // Whatever was cut off stays so: the next message has nothing to do with it.
        ahead = ''
        return []
      case 'ask-raised':
        return listOf(interactionEvent(event.ask))
      case 'ask-settled': {
        const ask = before?.asks.get(event.askId)
        return ask ? listOf(settledEvent(ask, event.outcome)) : []
      }
      default:
        return []
    }
  }

  return {
    get isOver() {
      return isOver
    },
    start(view) {
      const asks = [...view.asks.values()].flatMap((ask) => listOf(interactionEvent(ask)))
      // Whoever joins wants to know first what waits for an answer; whoever sends, that the message was taken.
      const events = which.messageId === undefined ? [...asks, ...status(view)] : [...status(view), ...asks]
      return [...events, ...endIf(which.messageId === undefined ? isIdle(view) : which.stands === 'over', view)]
    },
    change(change) {
      const { event, after } = change
      const events = [...changeEvents(change), ...status(after)]
      if (event.type === 'item-changed' && event.itemId === which.messageId && event.changes.status === 'cancelled')
        return [...events, ...end(after, [TAKEN_BACK])]
      return [...events, ...endIf(isTurnOver(change), after)]
    },
    live(event) {
      if (!isRunning) return []
      if (event.type === 'text-delta' && event.subagent === undefined) {
        ahead += event.text
        return [{ type: 'text_delta', data: { text: event.text } }]
      }
      if (event.type !== 'tool-input-delta') return []
      return [...begin(event.toolUseId, event.name), ...piece(event.toolUseId, event.name, event.json)]
    },
  }
}

const TAKEN_BACK: StreamEvent = {
  type: 'error',
  data: { message: 'The message was cancelled before the agent received it.', code: 'message_cancelled' },
}

function isIdle({ session, queue, asks }: SessionView): boolean {
  return session.state === 'user_turn' && queue.length === 0 && asks.size === 0
}

function listOf(event: StreamEvent | undefined): StreamEvent[] {
  return event ? [event] : []
}
