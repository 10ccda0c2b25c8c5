import type { Clock } from './clock.ts'
import type { OtherWriters } from './other-writers.ts'
import type { Append, AppendResult } from './store.ts'

const REFUSED_TRIES = 3
/** A session that another gateway writes to without a pause moves under nearly every decision. */
const CONFLICT_MS = 5000

export interface Conflict {
  /** The session or somebody's rights: what is decided again may come out well. */
  readonly hasMoved: boolean
  /** Decided by rights that are not the newest. */
  readonly isOfRights: boolean
}

/** What may be decided again. */
export interface Retried {
  /** Conflicts where the log had not moved: a table has refused the change. */
  refusals: number
  /** By the monotonic clock, when the first conflict was. */
  conflictAt?: number
}

export function conflictOf({ expectedSeq }: Append, result: AppendResult | undefined): Conflict {
  const isOfRights = result?.ok === false && result.because === 'authority'
  return { hasMoved: isOfRights || result?.ok !== false || result.seq !== expectedSeq, isOfRights }
}

/** Decisions that others were faster than: decided again as long as the others keep writing, but not for ever. */
export function createRetries({ clock, others }: { clock: Clock; others?: OtherWriters }) {
  const aside = new Set<AbortController>()

  function leftOf(command: Retried): number {
    command.conflictAt ??= clock.monotonic()
    return command.conflictAt + CONFLICT_MS - clock.monotonic()
  }

  return {
    mayRetry: (command: Retried, { hasMoved }: Conflict): boolean =>
      hasMoved ? leftOf(command) > 0 : ++command.refusals < REFUSED_TRIES,
    /** Waits until this gateway knows of rights beyond this number. Everything else goes on meanwhile. */
    async newerRights(command: Retried, authority: number): Promise<boolean> {
      const left = leftOf(command)
      if (left <= 0) return false
      const stop = new AbortController()
      const cancelTimer = clock.after(left, () => stop.abort())
      aside.add(stop)
      await others?.authorityAfter(authority, { signal: stop.signal })
      cancelTimer()
      aside.delete(stop)
      return true
    },
    /** Ends the waiting. */
    close() {
      for (const stop of aside) stop.abort()
    },
  }
}
