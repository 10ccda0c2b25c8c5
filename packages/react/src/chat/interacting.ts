import type { InteractionResult, Transport } from '@holdpoint/client/transport'
import { type InteractionEvent, type InteractionState, interactionReducer, type Sent } from './interaction-state.ts'

/** How many tool calls are kept per transport; the oldest one that is not shown is evicted first. */
const KEPT = 200

/** The answering of one tool call: one per transport, also while no component shows it. */
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
    /** Does nothing while an answer is being sent or was accepted. Sending continues when no component shows it any more. */
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

/** It was sent, perhaps several times: the last reply does not say what happened to the earlier tries. */
function wordsOf(fault: unknown): string {
  const { code } = (fault ?? {}) as { readonly code?: unknown }
  const words =
    code === 'failed' || code === 'unauthorized'
      ? 'Your answer may have counted.'
      : 'No reply: your answer may have counted.'
  return `${words} ${fault instanceof Error ? fault.message : String(fault)}`
}
