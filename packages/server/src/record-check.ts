import type { Clock } from '@holdpoint/core/clock'
import { type ChainFault, type Store, StoreFault } from '@holdpoint/core/store'
import { z } from 'zod'
import type { Log } from './log.ts'

/** After the start, so that it does not compete with what people wait for then; and again after each check. */
const FIRST_MS = 5000
const AGAIN_MS = 24 * 3_600_000
/** After each step of some milliseconds: nobody who asks or answers waits for a whole check. */
const PAUSE_MS = 40

/**
 * What is known of all events and the rows made of them, beyond the sessions that go on: those were checked at the start.
 * Not of the file's pages and indexes, which cannot be checked in pieces: `holdpoint verify` looks at those, too.
 */
export const RecordState = z.object({
  /** `checking` before the first result alone: while it is checked again, what the last check found stands. */
  state: z.enum(['not-checked', 'checking', 'events-match', 'damaged', 'failed']),
  /** When the last check ended. */
  checkedAt: z.int().optional(),
  events: z.int().optional(),
  /** Sessions that were not checked: they are damaged, and somebody has accepted that. */
  accepted: z.int().optional(),
  /** At the start it was older than the one that was last used here: a backup was put back. Remembered rules have ended. */
  older: z.literal(true).optional(),
  /** The row that does not fit, and why; or why the check could not be finished. */
  problem: z.string().optional(),
})
export type RecordState = z.infer<typeof RecordState>

export interface RecordCheck {
  state(): RecordState
  start(): void
  close(): void
}

/** Checks every event and every row beside the work, a little at a time (F55). What it finds is told, not acted on. */
export function createRecordCheck(deps: {
  store: Store
  clock: Clock
  log: Log
  isOlder: boolean
  lost?: AbortSignal
}): RecordCheck {
  const { store, clock, log, lost } = deps
  const over = new AbortController()
  let current: RecordState = { state: 'not-checked' }
  let cancel = () => {}

  const pause = () => new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))

  async function check() {
    if (current.state === 'not-checked') current = { state: 'checking' }
    try {
      const { events, accepted, fault } = await store.verify({ pause, signal: over.signal })
      const checked = { checkedAt: clock.now(), events, ...(accepted !== undefined && { accepted }) }
      current = fault ? { state: 'damaged', ...checked, problem: words(fault) } : { state: 'events-match', ...checked }
      if (fault) log.error('the record was changed or damaged', { ...fault })
    } catch (error) {
      if (over.signal.aborted) return
      const problem = error instanceof Error ? error.message : String(error)
      current = { state: error instanceof StoreFault && error.code === 'corrupt' ? 'damaged' : 'failed', problem }
      log.error('the record could not be checked', { error: problem })
    }
    if (!over.signal.aborted) plan(AGAIN_MS)
  }

  lost?.addEventListener(
    'abort',
    () => {
      const problem = (lost.reason as Error).message
      current = { state: 'failed', problem }
      log.error('the data folder was taken over', { error: problem })
    },
    { signal: over.signal },
  )

  function plan(ms: number) {
    cancel = clock.after(ms, () => void check())
  }

  return {
    state: () => (deps.isOlder ? { ...current, older: true } : current),
    start: () => plan(FIRST_MS),
    close() {
      over.abort()
      cancel()
    },
  }
}

function words({ sessionId, seq, sessionSeq, problem }: ChainFault): string {
  const where = sessionId === '' ? '' : `event ${seq} (number ${sessionSeq} of ${sessionId}): `
  return `${where}${problem}`
}
