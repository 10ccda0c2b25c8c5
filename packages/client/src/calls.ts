import type { Outcome } from '@holdpoint/schema/outcome'
import type { Refused, Result } from './gateway-client.ts'
import type { Timers } from './timers.ts'
import { type Call, type Reply, TransportFault, type Wire } from './transport.ts'

const DEADLINE_MS = 30_000

export const UNREACHABLE: Refused = {
  ok: false,
  status: 0,
  code: 'unreachable',
  message: 'The gateway cannot be reached just now.',
}

/** Makes calls and words what comes of them. Every call has an end: a reply, a deadline, or the client's own close. */
export function createCalls(options: {
  transport: Pick<Wire, 'call'>
  timers: Timers
  /** Aborts everything under way. */
  closed: AbortSignal
  onUnauthorized: () => void
}) {
  const { transport, timers, closed } = options

  return {
    /** Throws a `TransportFault` when it was called off, by the caller or by the client's close. */
    async call<Value>(call: Call, deadlineMs = DEADLINE_MS): Promise<Result<Value>> {
      const late = new AbortController()
      const callOff = timers.after(deadlineMs, () => late.abort())
      try {
        const signal = AbortSignal.any([closed, late.signal, ...(call.signal ? [call.signal] : [])])
        const result = resultOf<Value>(await transport.call({ ...call, signal }))
        if (!result.ok && result.code === 'unauthorized') options.onUnauthorized()
        return result
      } catch (error) {
        if (closed.aborted || call.signal?.aborted) throw new TransportFault('aborted', 'The call was called off.')
        if (isFault(error)) return UNREACHABLE
        if (codeOf(error) === 'not_the_gateway') return { ...UNREACHABLE, message: String((error as Error).message) }
        throw error
      } finally {
        callOff()
      }
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

/** Words a reply. */
export function resultOf<Value>({ status, body }: Reply): Result<Value> {
  if (status >= 200 && status < 300) return { ok: true, value: body as Value }
  const error = errorIn(body)
  return {
    ok: false,
    status,
    code: typeof error.code === 'string' ? error.code : 'unknown',
    message: typeof error.message === 'string' ? error.message : `The gateway said ${status}.`,
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
