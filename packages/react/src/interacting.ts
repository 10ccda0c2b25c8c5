import type { InteractionResult, Transport } from '@holdpoint/client/transport'
import { type InteractionEvent, type InteractionState, interactionReducer, type Sent } from './interaction-state.ts'

/** How many tool calls are remembered per transport; the oldest that nobody shows goes first. */
const KEPT = 200

/** The answering of one tool call: one per transport, across the coming and going of what shows it. */
export type Interacting = ReturnType<typeof createInteracting>

const byTransport = new WeakMap<Transport, Map<string, Interacting>>()

/** `asked`: which time it is that this id is asked about. */
export function interactingOf(transport: Transport, sessionId: string, toolCallId: string, asked = 1): Interacting {
  const all = byTransport.get(transport) ?? new Map<string, Interacting>()
  byTransport.set(transport, all)
  const key = JSON.stringify([sessionId, toolCallId, asked])
  const known = all.get(key)
  if (known) return known
  const made = createInteracting(transport, sessionId, toolCallId)
  all.set(key, made)
  for (const [old, entry] of all) {
    if (all.size <= KEPT) break
    if (entry !== made && entry.isIdle()) all.delete(old)
  }
  return made
}

function createInteracting(transport: Transport, sessionId: string, toolCallId: string) {
  let state: InteractionState = { kind: 'pending' }
  const listeners = new Set<() => void>()

  function dispatch(event: InteractionEvent) {
    const next = interactionReducer(state, event)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  function send(sent: Sent): Promise<InteractionResult> {
    switch (sent.kind) {
      case 'approve':
        return transport.approveTool(sessionId, toolCallId)
      case 'deny':
        return transport.denyTool(sessionId, toolCallId)
      case 'answers':
        return transport.submitAnswers(sessionId, toolCallId, sent.answers)
      default:
        return sent satisfies never
    }
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    getState: () => state,
    isIdle: () => listeners.size === 0 && state.kind !== 'submitting',
    /** Nothing while an answer is under way or was taken. It is sent to its end, also when nobody shows it any more. */
    submit(sent: Sent) {
      if (state.kind !== 'pending') return
      dispatch({ type: 'pressed', sent })
      send(sent).then(
        (result) => dispatch({ type: 'replied', result }),
        (fault: unknown) => dispatch({ type: 'faulted', message: wordsOf(fault) }),
      )
    },
  }
}

/** It was sent, several times perhaps: what came back last does not say what became of the others. */
function wordsOf(fault: unknown): string {
  const { code } = (fault ?? {}) as { readonly code?: unknown }
  const words = code === 'failed' || code === 'unauthorized' ? 'It may have counted.' : 'No reply: it may have counted.'
  return `${words} ${fault instanceof Error ? fault.message : String(fault)}`
}
