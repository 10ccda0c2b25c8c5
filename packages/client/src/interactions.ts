import type { CallInput, EndpointPath } from '@holdpoint/schema/endpoints/endpoints'
import { paths } from '@holdpoint/schema/paths'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { createCalls, resultOf } from './calls.ts'
import { addressOf } from './endpoint-call.ts'
import { followEvents } from './follow-events.ts'
import type { Refused, Result } from './gateway-client.ts'
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
  const calls = createCalls({ transport: wire, timers, random, closed, onUnauthorized: () => {} })

  async function interact<At extends EndpointPath>(
    place: At,
    given: CallInput<At>,
    { signal }: InteractionOptions,
  ): Promise<InteractionResult> {
    return interactionResult(await calls.retry(place, given, { signal, attempts: ATTEMPTS, deadlineMs: DEADLINE_MS }))
  }

  return {
    approveTool: (id, toolCallId, options = {}) =>
      interact(paths.turns.approve, { params: { id }, body: { toolCallId } }, options),
    denyTool: (id, toolCallId, { message, ...options } = {}) =>
      interact(
        paths.turns.deny,
        { params: { id }, body: { toolCallId, ...(message !== undefined && { message }) } },
        options,
      ),
    submitAnswers: (id, toolCallId, answers, options = {}) =>
      interact(paths.turns.submitAnswers, { params: { id }, body: { toolCallId, answers } }, options),
    submitForm: (id, toolCallId, content, options = {}) =>
      interact(paths.turns.submitForm, { params: { id }, body: { toolCallId, content } }, options),
    sendMessage: (id, content, options) =>
      follow(wire, { ...addressOf(paths.sessions.sendMessage, { id }), body: { content } }, options),
    joinTurn: (id, options) => follow(wire, addressOf(paths.turns.join, { id }), options),
  }
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
  let isDone = false
  const reply = await followEvents(wire, call, {
    ...(signal && { signal }),
    onEvent({ data }) {
      const event = readEvent(data)
      if (!event) return
      isDone ||= event.type === 'done'
      onEvent(event)
    },
  })
  const result = resultOf(reply)
  if (!result.ok) throw new TransportFault(faultOf(result), result.message)
  if (signal?.aborted) throw new TransportFault('aborted', 'The stream was cancelled.')
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
    throw new TransportFault('failed', 'The gateway sent data that cannot be read.', { cause })
  }
}
