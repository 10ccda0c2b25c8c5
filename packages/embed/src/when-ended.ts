import type { Ledger } from '@holdpoint/core/ledger'
import type { SessionId } from '@holdpoint/schema/id'

/** Resolves when the session is on record as ended. */
export function whenEnded(ledger: Ledger, id: SessionId): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = ledger.subscribe(look)
    function look() {
      if (ledger.views().has(id)) return
      unsubscribe()
      resolve()
    }
    look()
  })
}
