import type { RunningTerminal, Terminals } from '@holdpoint/agents/hosted/terminals'
import type { Ledger } from '@holdpoint/core/ledger'
import type { SessionId } from '@holdpoint/schema/id'

/**
 * The terminal of a session that is not over. It takes a moment to be there after its start, and to be found again after
 * a restart of the gateway. Undefined when the session ends before that, and when the signal aborts.
 */
export async function runningTerminal(
  { ledger }: { readonly ledger: Ledger },
  terminals: Terminals,
  { id, signal }: { id: SessionId; signal: AbortSignal },
): Promise<RunningTerminal | undefined> {
  const over = new AbortController()
  const unsubscribe = ledger.subscribe((stored) => {
    if (stored.some(({ event }) => event.sessionId === id && event.type === 'session-ended')) over.abort()
  })
  try {
    return await terminals.whenRunning(id, AbortSignal.any([signal, over.signal]))
  } finally {
    unsubscribe()
  }
}
