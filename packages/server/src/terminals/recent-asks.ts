import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { AskId } from '@holdpoint/schema/id'

/** As long as a card takes no answer after it has appeared (T29). */
const ARMING_MS = 500

/** Which asks have only just come: what is typed without naming one was most likely meant for another (T68). */
export function createRecentAsks({ ledger, clock }: { ledger: Ledger; clock: Pick<Clock, 'after'> }) {
  const recent = new Set<AskId>()
  ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type !== 'ask-raised') continue
      const { id } = event.ask
      recent.add(id)
      clock.after(ARMING_MS, () => recent.delete(id))
    }
  })
  return { has: (id: AskId) => recent.has(id) }
}
export type RecentAsks = ReturnType<typeof createRecentAsks>
