import { backOffMs } from './back-off.ts'
import type { Calls } from './calls.ts'
import type { Result } from './gateway-client.ts'
import type { Timers } from './timers.ts'
import { type Call, TransportFault } from './transport.ts'

export interface RetryOptions<Value> {
  /** For each try. */
  readonly deadlineMs?: number
  /** Whether the gateway has said what it must say; a reply without that is none. */
  readonly isComplete?: (value: Value) => boolean
  /** How often it is tried; then the last failure is the result. Left out, until it succeeds. */
  readonly attempts?: number
}

/** Makes calls whose reply must not be guessed at: under one key, until the gateway says what it did. */
export function createRetrying(options: { calls: Calls; timers: Timers; random: () => number; closed: AbortSignal }) {
  const { calls, timers, closed } = options
  const pauses = new Set<() => void>()

  /** Waits; less long when the gateway is there again. */
  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = () => {
        callOff()
        pauses.delete(over)
        signal.removeEventListener('abort', over)
        if (signal.aborted) reject(new TransportFault('aborted', 'The call was called off; it may have counted.'))
        else resolve()
      }
      const callOff = timers.after(ms, over)
      pauses.add(over)
      signal.addEventListener('abort', over)
      if (signal.aborted) over()
    })
  }

  return {
    async call<Value>(call: Call, retry: RetryOptions<Value> = {}): Promise<Result<Value>> {
      const { deadlineMs, isComplete, attempts = Number.POSITIVE_INFINITY } = retry
      const idempotencyKey = newKey()
      const signal = call.signal ? AbortSignal.any([call.signal, closed]) : closed
      for (let tries = 0; ; tries++) {
        const result = await calls.call<Value>({ ...call, idempotencyKey, signal }, deadlineMs)
        if (result.ok ? (isComplete?.(result.value) ?? true) : !isLost(result)) return result
        if (tries + 1 >= attempts) return result
        await pause(backOffMs(tries, options.random), signal)
      }
    },
    /** The gateway is back, or may be: whoever waits tries now. */
    hurry() {
      for (const over of [...pauses]) over()
    },
  }
}
export type Retrying = ReturnType<typeof createRetrying>

/** Nothing was said about the call: by nobody, by a gateway on its way out, or by a proxy in front of one. */
function isLost({ status, code }: { status: number; code: string }): boolean {
  return code === 'unreachable' || code === 'closing' || (code === 'unknown' && status >= 500)
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
