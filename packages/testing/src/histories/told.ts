import { LedgerClosed, LedgerConflict } from '@holdpoint/core/ledger-error'
import { CommitInDoubt, StoreFault } from '@holdpoint/core/store'
import type { Told } from './history.ts'

/** What a caller in the same process is told by an error. A bug is none of these. */
export function toldBy(error: unknown): Told<never> {
  if (error instanceof CommitInDoubt) return { told: 'unknown' }
  if (error instanceof StoreFault || error instanceof LedgerConflict || error instanceof LedgerClosed)
    return { told: 'nothing' }
  throw error
}
