import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import type { PastCallsService } from '../policy/past-calls.ts'
import type { Log } from '../system/log.ts'

/** Without an event: then nobody waits for anything that this would hold up. */
const QUIET_MS = 5000
/** After each step of some milliseconds. */
const PAUSE_MS = 20

export interface HistoryIndex {
  start(): void
  close(): void
}

export interface HistoryIndexDeps {
  readonly store: Pick<Store, 'indexHistory'>
  readonly pastCalls: Pick<PastCallsService, 'index'>
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
}

/** Keeps what is made from the log up to date while nothing else happens, so that a search or a dry run need not wait for it. */
export function createHistoryIndex(deps: HistoryIndexDeps): HistoryIndex {
  const { store, pastCalls, ledger, clock, log } = deps
  const over = new AbortController()
  let working: AbortController | undefined
  let lastAt = 0
  let isPlanned = false
  let cancel = () => {}

  const pause = () => new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))

  async function work() {
    const mine = new AbortController()
    working = mine
    try {
      const signal = AbortSignal.any([mine.signal, over.signal])
      await store.indexHistory({ pause, signal })
      await pastCalls.index({ pause, signal })
    } catch (error) {
      if (!mine.signal.aborted && !over.signal.aborted) log.warn('history_not_indexed', { error: String(error) })
    }
    if (working === mine) working = undefined
  }

  /** Not anew for each event: there may be thousands in a second. */
  function plan(ms: number) {
    if (isPlanned) return
    isPlanned = true
    cancel = clock.after(ms, () => {
      isPlanned = false
      const left = lastAt + QUIET_MS - clock.monotonic()
      if (left > 0) plan(left)
      else void work()
    })
  }

  function onEvents() {
    lastAt = clock.monotonic()
    working?.abort()
    plan(QUIET_MS)
  }

  return {
    start() {
      ledger.subscribe(onEvents)
      onEvents()
    },
    close() {
      over.abort()
      cancel()
    },
  }
}
