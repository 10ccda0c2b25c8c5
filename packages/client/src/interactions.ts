import { createCalls, resultOf } from './calls.ts'
import { createEventFrames } from './event-frames.ts'
import type { Refused, Result } from './gateway-client.ts'
import { createRetrying } from './retrying.ts'
import type { StreamEvent } from './stream-event.ts'
import { systemTimers, type Timers } from './timers.ts'
import {
  type Call,
  type FollowOptions,
  type InteractionOptions,
  type InteractionResult,
  type Transport,
  TransportFault,
  type Wire,
} from './transport.ts'

const ATTEMPTS = 3
/** For each: a second try does no harm, and somebody is waiting. */
const DEADLINE_MS = 10_000

/** What a `Transport` has over its wire, written once for all of them. */
export function createInteractions(
  wire: Pick<Wire, 'call'>,
  { timers = systemTimers, random = Math.random }: { timers?: Timers; random?: () => number } = {},
): Omit<Transport, keyof Wire> {
  // A transport is never closed: whoever waits has a signal of their own.
  const closed = new AbortController().signal
  const calls = createCalls({ transport: wire, timers, closed, onUnauthorized: () => {} })
  const retrying = createRetrying({ calls, timers, random, closed })

  async function interact(path: string, body: object, { signal }: InteractionOptions): Promise<InteractionResult> {
    const call: Call = { method: 'POST', path, body, ...(signal && { signal }) }
    return interactionResult(await retrying.call(call, { attempts: ATTEMPTS, deadlineMs: DEADLINE_MS }))
  }

  return {
    approveTool: (sessionId, toolCallId, options = {}) =>
      interact(`${pathOf(sessionId)}/approve`, { toolCallId }, options),
    denyTool: (sessionId, toolCallId, { message, ...options } = {}) =>
      interact(`${pathOf(sessionId)}/deny`, { toolCallId, ...(message !== undefined && { message }) }, options),
    submitAnswers: (sessionId, toolCallId, answers, options = {}) =>
      interact(`${pathOf(sessionId)}/submit-answers`, { toolCallId, answers }, options),
    submitForm: (sessionId, toolCallId, content, options = {}) =>
      interact(`${pathOf(sessionId)}/submit-form`, { toolCallId, content }, options),
    sendMessage: (sessionId, content, options) =>
      follow(wire, { method: 'POST', path: `${pathOf(sessionId)}/messages`, body: { content } }, options),
    joinTurn: (sessionId, options) => follow(wire, { method: 'GET', path: `${pathOf(sessionId)}/stream` }, options),
  }
}

function pathOf(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`
}

function interactionResult(result: Result<unknown>): InteractionResult {
  if (result.ok) return { ok: true }
  const fault = faultOf(result)
  if (fault !== 'refused') throw new TransportFault(fault, result.message)
  return { ok: false, code: refusalOf(result), message: result.message }
}

function faultOf({ status }: Refused) {
  if (status === 0) return 'unreachable'
  if (status === 401) return 'unauthorized'
  return status >= 500 ? 'failed' : 'refused'
}

function refusalOf({ status, code }: Refused) {
  if (status === 404) return 'not_found'
  if (status === 409 && (code === 'already_settled' || code === 'unknown')) return 'already_settled'
  return status === 400 || status === 413 || status === 422 ? 'invalid' : 'refused'
}

/** Resolves with the turn's end. Whatever `onEvent` throws ends the following, and is thrown here. */
async function follow(wire: Pick<Wire, 'call'>, call: Call, { onEvent, signal }: FollowOptions): Promise<void> {
  const over = new AbortController()
  let isDone = false
  let thrown: { readonly error: unknown } | undefined
  const onText = createEventFrames((data) => {
    if (over.signal.aborted || signal?.aborted) return
    try {
      const event = readEvent(data)
      if (!event) return
      isDone ||= event.type === 'done'
      onEvent(event)
    } catch (error) {
      thrown = { error }
      over.abort()
    }
  })
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  try {
    const reply = await wire.call({ ...call, accept: 'text/event-stream', onText, signal: either })
    const result = resultOf(reply)
    if (!result.ok) throw new TransportFault(faultOf(result), result.message)
  } catch (fault) {
    throw thrown ? thrown.error : fault
  }
  if (thrown) throw thrown.error
  if (signal?.aborted) throw new TransportFault('aborted', 'The stream was left.')
  if (!isDone) throw new TransportFault('unreachable', 'The stream ended before the turn did.')
}

const TYPES = new Set<StreamEvent['type']>([
  'text_delta',
  'tool_call_start',
  'tool_call_delta',
  'tool_call_end',
  'tool_result',
  'approval_required',
  'question_prompt',
  'form_prompt',
  'interaction_settled',
  'error',
  'done',
  'session_status',
])

/** Undefined for types that this client does not know: a newer gateway may say more. */
function readEvent(data: string): StreamEvent | undefined {
  const event = parsed(data) as StreamEvent | null
  return typeof event === 'object' && event !== null && TYPES.has(event.type) ? event : undefined
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new TransportFault('failed', 'The gateway sent what cannot be read.', { cause })
  }
}
