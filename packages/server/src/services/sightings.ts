import type { Ledger } from '@holdpoint/core/ledger'
import type { AskId, DeviceId } from '@holdpoint/schema/id'

/** Which devices have seen which open ask: one sighting each is evidence, a thousand would only fill the log (I10). */
export function createSightings({ ledger }: { readonly ledger: Ledger }) {
  const seen = new Map<AskId, Set<string>>()
  ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'ask-seen') seen.set(event.askId, (seen.get(event.askId) ?? new Set()).add(event.by.device))
      if (event.type === 'ask-settled') seen.delete(event.askId)
    }
  })
  return { has: (askId: AskId, deviceId: DeviceId) => seen.get(askId)?.has(deviceId) === true }
}
export type Sightings = ReturnType<typeof createSightings>
