import type { Clock } from '@holdpoint/core/clock'
import { type ChainFault, type Store, StoreFault } from '@holdpoint/core/store'
import type { RecordState } from '@holdpoint/schema/endpoints/system'
import type { Log } from '../system/log.ts'

/** After the start, so that it does not compete with what people wait for then; and again after each check. */
const FIRST_MS = 5000
const AGAIN_MS = 24 * 3_600_000
/** After each step of some milliseconds: nobody who asks or answers waits for a whole check. */
const PAUSE_MS = 40

export interface RecordCheck {
  state(): RecordState
  start(): void
  close(): void
}

/**
 * Checks every event and every row beside the work, a little at a time (F55). What it finds is told; of ended sessions that
 * were changed the store serves nothing more.
 */
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
      if (fault) log.error('record_damaged', { ...fault })
    } catch (error) {
      if (over.signal.aborted) return
      const problem = error instanceof Error ? error.message : String(error)
      current = { state: error instanceof StoreFault && error.code === 'corrupt' ? 'damaged' : 'failed', problem }
      log.error('record_not_checked', { error: problem })
    }
    if (!over.signal.aborted) plan(AGAIN_MS)
  }

  lost?.addEventListener(
    'abort',
    () => {
      const problem = (lost.reason as Error).message
      current = { state: 'failed', problem }
      log.error('data_folder_taken_over', { error: problem })
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
