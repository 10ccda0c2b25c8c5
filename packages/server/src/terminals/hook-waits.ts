import type { ProcessName } from '@holdpoint/agents/claude/attached/hook-call'
import { createProcessWatch } from '@holdpoint/agents/claude/attached/process-watch'
import type { Clock } from '@holdpoint/core/clock'
import type { Devices } from '../auth/devices.ts'
import type { TerminalAccess } from './terminal-access.ts'

/** The hook calls that wait for an answer. */
export function createHookWaits(deps: {
  readonly clock: Clock
  readonly devices: Devices
  readonly access: TerminalAccess
}) {
  const processWatch = createProcessWatch(deps.clock)
  const waiting = new Set<AbortController>()
  // An answer to what a revoked one asked would count and reach nobody: its asks go with it (I8).
  deps.devices.onRevoked((id) => {
    if (deps.access.isTerminals(id)) for (const hook of waiting) hook.abort()
  })
  return {
    /** The signal aborts when the hook's process has ended, and when the terminals' credential is revoked. */
    begin(hook: ProcessName): { readonly signal: AbortSignal; end(): void } {
      const gone = new AbortController()
      waiting.add(gone)
      // A hook that is killed leaves its curl behind, and with it a connection on which nobody listens any more.
      const stopWatching = processWatch.add(hook, () => gone.abort())
      return {
        signal: gone.signal,
        end() {
          stopWatching()
          waiting.delete(gone)
        },
      }
    },
  }
}
export type HookWaits = ReturnType<typeof createHookWaits>
