import type { Clock } from './clock.ts'
import { LedgerClosed } from './ledger-error.ts'
import { RecordDamaged, StoreFault } from './store.ts'

const RETRY_MS = 1000

/**
 * Records what has happened, however long the store is in trouble. Rejects with the reason of `signal` once it aborts, and
 * with every error that does not pass by itself.
 */
export async function recordWithRetry<Result>(
  record: () => Promise<Result>,
  options: { readonly clock: Clock; readonly onFault: (fault: StoreFault) => void; readonly signal?: AbortSignal },
): Promise<Result> {
  for (;;) {
    try {
      return await record()
    } catch (error) {
      // What was damaged on record stays so, however often it is read.
      if (!(error instanceof StoreFault) || error instanceof RecordDamaged || isClosed(error)) throw error
      options.onFault(error)
      await pause(options.clock, options.signal)
      options.signal?.throwIfAborted()
    }
  }
}

/** Ends early when the signal aborts. */
export function pause(clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(RETRY_MS, settle)
    signal?.addEventListener('abort', settle, { once: true })
    if (signal?.aborted) settle()
    function settle() {
      cancel()
      signal?.removeEventListener('abort', settle)
      resolve()
    }
  })
}

/** The gateway goes down: nothing more is recorded here. */
export function isClosed(error: unknown): boolean {
  return error instanceof LedgerClosed || (error instanceof StoreFault && error.code === 'closed')
}
