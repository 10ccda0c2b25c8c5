import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { backOffMs } from './back-off.ts'
import { type Calls, mapped } from './calls.ts'
import type { Result } from './gateway-client.ts'
import type { Timers } from './timers.ts'
import { TransportFault } from './transport.ts'

/** Shorter than for other calls: a second try does no harm, and somebody is waiting. */
const DEADLINE_MS = 10_000

/** Sends answers until the gateway says what it recorded. */
export function createAnswering(options: { calls: Calls; timers: Timers; random: () => number; closed: AbortSignal }) {
  const { calls, timers, closed } = options
  const pauses = new Set<() => void>()

  /** Waits; less long when the gateway is there again. */
  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = () => {
        callOff()
        pauses.delete(over)
        signal.removeEventListener('abort', over)
        if (signal.aborted) reject(new TransportFault('aborted', 'The answer was called off; it may have counted.'))
        else resolve()
      }
      const callOff = timers.after(ms, over)
      pauses.add(over)
      signal.addEventListener('abort', over)
      if (signal.aborted) over()
    })
  }

  return {
    async answer(ask: Ask, answer: Answer, given?: AbortSignal): Promise<Result<Outcome>> {
      const idempotencyKey = newKey()
      const signal = given ? AbortSignal.any([given, closed]) : closed
      for (let tries = 0; ; tries++) {
        const result = await calls.call<{ outcome?: Outcome }>(
          {
            method: 'POST',
            path: `/api/asks/${ask.id}/answer`,
            body: { ...answer, digest: ask.digest },
            idempotencyKey,
            signal,
          },
          DEADLINE_MS,
        )
        if (result.ok ? result.value?.outcome : !isLost(result)) {
          return mapped(result, ({ outcome }) => outcome as Outcome)
        }
        await pause(backOffMs(tries, options.random), signal)
      }
    },
    /** The gateway is back, or may be: whoever waits tries now. */
    hurry() {
      for (const over of [...pauses]) over()
    },
  }
}

/** Nothing was said about the answer: by nobody, by a gateway on its way out, or by a proxy in front of one. */
function isLost({ status, code }: { status: number; code: string }): boolean {
  return code === 'unreachable' || code === 'closing' || (code === 'unknown' && status >= 500)
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
