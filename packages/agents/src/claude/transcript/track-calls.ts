import type { Clock } from '@holdpoint/core/clock'
import type { TranscriptEntry } from './entry.ts'
import {
  type Calls,
  type EndedCall,
  evolveCalls,
  markRunning,
  mayAsk,
  NO_CALLS,
  nextWaitingAt,
  type OpenCall,
  waitingCalls,
} from './open-calls.ts'

export interface CallTrackerOptions {
  readonly clock: Clock
  /** What was open already; see `scanCalls`. */
  readonly from?: Calls
  /** Once for each call that has been open for longer than the grace, with no sign of running. It may wait for a person. */
  readonly onWaiting: (call: OpenCall) => void
  /** `wasWaiting` is whether `onWaiting` told of it. */
  readonly onEnded: (ended: EndedCall, wasWaiting: boolean) => void
  /** A call that was told of turned out to run, or nobody is asked any more in the mode the session is in now. */
  readonly onNotWaiting: (call: OpenCall) => void
}

export interface CallTracker {
  readonly calls: Calls
  take(entries: readonly TranscriptEntry[]): void
  /** A subagent of this call has written something. */
  running(toolUseId: string): void
  /** The file is another one, or the session is over: whatever was open is not any more. */
  reset(): void
  close(): void
}

/** Tells which calls of one session may wait for a person, and when they do not any more. */
export function trackCalls(options: CallTrackerOptions): CallTracker {
  const { clock, onWaiting, onEnded, onNotWaiting } = options
  let calls = options.from ?? NO_CALLS
  let isClosed = false
  let cancel = () => {}
  const told = new Map<string, OpenCall>()

  function look() {
    cancel()
    if (isClosed) return
    for (const call of told.values()) {
      const now = calls.open.get(call.toolUseId)
      if (now && !mayAsk(calls, now)) {
        told.delete(call.toolUseId)
        onNotWaiting(now)
      }
    }
    const now = clock.now()
    for (const call of waitingCalls(calls, now)) {
      if (told.has(call.toolUseId)) continue
      told.set(call.toolUseId, call)
      onWaiting(call)
    }
    const next = nextWaitingAt(calls, now)
    cancel = next === undefined ? () => {} : clock.wake(next, look)
  }

  function end(ended: EndedCall) {
    onEnded(ended, told.delete(ended.call.toolUseId))
  }

  look()
  return {
    get calls() {
      return calls
    },
    take(entries) {
      const now = clock.now()
      for (const entry of entries) {
        const next = evolveCalls(calls, entry, now)
        calls = next.calls
        next.ended.forEach(end)
      }
      look()
    },
    running(toolUseId) {
      calls = markRunning(calls, toolUseId)
      look()
    },
    reset() {
      const open = [...calls.open.values()]
      calls = NO_CALLS
      for (const call of open) end({ call, end: { kind: 'dropped' } })
      look()
    },
    close() {
      isClosed = true
      cancel()
    },
  }
}
