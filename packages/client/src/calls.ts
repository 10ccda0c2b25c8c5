import type { CallInput, EndpointPath, ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import { normalCode } from '@holdpoint/schema/error-code'
import type { Outcome } from '@holdpoint/schema/outcome'
import { backOffMs } from './back-off.ts'
import { callOf } from './endpoint-call.ts'
import type { Refused, Result } from './gateway-client.ts'
import type { Timers } from './timers.ts'
import { type Call, type Reply, TransportFault, type Wire } from './transport.ts'

const DEADLINE_MS = 30_000

const UNREACHABLE: Refused = {
  ok: false,
  status: 0,
  code: 'unreachable',
  message: 'The gateway cannot be reached just now.',
}

export interface RetryOptions<Value> {
  readonly signal?: AbortSignal | undefined
  /** For each try. */
  readonly deadlineMs?: number
  /** Whether the gateway has said what it must say; a reply without that is none. */
  readonly isComplete?: (value: Value) => boolean
  /** How often it is tried; then the last failure is the result. Left out, until it succeeds. */
  readonly attempts?: number
}

/** Makes calls and words what comes of them. Every call has an end: a reply, a deadline, or the client's own close. */
export function createCalls(options: {
  transport: Pick<Wire, 'call'>
  timers: Timers
  random: () => number
  /** Aborts everything under way. */
  closed: AbortSignal
  onUnauthorized: () => void
}) {
  const { transport, timers, random, closed } = options
  const pauses = new Set<() => void>()

  /** Throws a `TransportFault` when it was called off, by the caller or by the client's close. */
  async function send<Value>(call: Call, deadlineMs = DEADLINE_MS): Promise<Result<Value>> {
    const late = new AbortController()
    const callOff = timers.after(deadlineMs, () => late.abort(new TransportFault('unreachable', 'no reply in time')))
    try {
      const signal = AbortSignal.any([closed, late.signal, ...(call.signal ? [call.signal] : [])])
      const result = resultOf<Value>(await transport.call({ ...call, signal }))
      if (!result.ok && result.code === 'unauthorized') options.onUnauthorized()
      return result
    } catch (error) {
      if (closed.aborted || call.signal?.aborted) throw new TransportFault('aborted', 'The call was cancelled.')
      if (isFault(error)) return UNREACHABLE
      if (codeOf(error) === 'not_the_gateway') return { ...UNREACHABLE, message: String((error as Error).message) }
      throw error
    } finally {
      callOff()
    }
  }

  /** Waits; less long when the gateway is there again. */
  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = () => {
        callOff()
        pauses.delete(over)
        signal.removeEventListener('abort', over)
        if (signal.aborted) reject(new TransportFault('aborted', 'The call was cancelled. It may have taken effect.'))
        else resolve()
      }
      const callOff = timers.after(ms, over)
      pauses.add(over)
      signal.addEventListener('abort', over)
      if (signal.aborted) over()
    })
  }

  return {
    send,
    /** Sends to an endpoint of the native API. */
    call: <At extends EndpointPath>(place: At, given: CallInput<At>, deadlineMs?: number) =>
      send<ReplyOf<At>>(callOf(place, given), deadlineMs),
    /** For calls whose reply must not be guessed: under one idempotency key, until the gateway says what it did. */
    async retry<At extends EndpointPath>(
      place: At,
      given: CallInput<At>,
      { deadlineMs, isComplete, attempts = Number.POSITIVE_INFINITY, ...retry }: RetryOptions<ReplyOf<At>> = {},
    ): Promise<Result<ReplyOf<At>>> {
      const signal = retry.signal ? AbortSignal.any([retry.signal, closed]) : closed
      const call = { ...callOf(place, given), idempotencyKey: newKey(), signal }
      for (let tries = 0; ; tries++) {
        const result = await send<ReplyOf<At>>(call, deadlineMs)
        if (result.ok ? (isComplete?.(result.value) ?? true) : !isLost(result)) return result
        if (tries + 1 >= attempts) return result
        await pause(backOffMs(tries, random), signal)
      }
    },
    /** The gateway is back, or may be: calls that wait for their next try are made now. */
    hurry() {
      for (const over of [...pauses]) over()
    },
  }
}
export type Calls = ReturnType<typeof createCalls>

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

/** Told by its code: two copies of this module may be loaded. */
function isFault(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'unreachable' || code === 'aborted'
}

/** Makes one call, once, and words its reply. For apps that have a wire and no client. */
export async function request<At extends EndpointPath>(
  wire: Pick<Wire, 'call'>,
  place: At,
  given: CallInput<At>,
): Promise<Result<ReplyOf<At>>> {
  return resultOf(await wire.call(callOf(place, given)))
}

/** Words a reply. */
export function resultOf<Value>({ status, body }: Reply): Result<Value> {
  if (status >= 200 && status < 300) return { ok: true, value: body as Value }
  return refusedOf({ status, body })
}

/** Words a refusal. */
export function refusedOf({ status, body }: Reply): Refused {
  const error = errorIn(body)
  return {
    ok: false,
    status,
    code: typeof error.code === 'string' ? normalCode(error.code) : 'unknown',
    message: typeof error.message === 'string' ? error.message : `The gateway answered with status ${status}.`,
    ...(typeof error.detail === 'string' && { detail: error.detail }),
    ...(error.outcome !== undefined && { outcome: error.outcome as Outcome }),
    ...(Array.isArray(error.issues) && { issues: error.issues.map(String) }),
  }
}

/** The native API has an object there, the turn stream's routes a text with a code beside it. */
function errorIn(body: unknown): Readonly<Record<string, unknown>> {
  const { error, code } = (body ?? {}) as { readonly error?: unknown; readonly code?: unknown }
  if (typeof error === 'string') return { message: error, code }
  return typeof error === 'object' && error !== null ? { ...error } : {}
}

/** Keeps the shape of the value in hand. */
export function mapped<From, To>(result: Result<From>, read: (value: From) => To): Result<To> {
  return result.ok ? { ok: true, value: read(result.value) } : result
}

/** Nothing was said about the call: by nobody, by a gateway on its way out, or by a proxy in front of one. */
export function isLost({ status, code }: { status: number; code: string }): boolean {
  return code === 'unreachable' || code === 'closing' || (code === 'unknown' && status >= 500)
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
