import { randomUUID } from 'node:crypto'
import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import type { Log } from '../system/log.ts'
import { forgetLastScreen } from '../terminals/last-screens.ts'
import { ALONE, createClaim } from './claim.ts'
import { createRetention } from './retention.ts'
import { createRetentionSettings } from './retention-settings.ts'
import { createSessionDeletion, type Eraser } from './session-deletion.ts'

/** The services by which sessions leave the log: for the archive, or for good. */
export async function createLeaving(deps: {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
  readonly records: FollowedRecords
  readonly ownRecords: FollowedRecords
  readonly cluster: Cluster | undefined
  readonly keepDays: number | undefined
  /** What is kept of a session beside the log. */
  readonly erasers: readonly Eraser[]
}) {
  const { records, ownRecords, cluster, keepDays, ...base } = deps
  const forgetScreen: Eraser = (id) => forgetLastScreen(records, id)
  const erasers = [...deps.erasers, forgetScreen]
  // A session leaves whole: the archive does not have its last screen, and nothing of it stays here.
  deps.ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type !== 'session-retired') continue
      const { sessionId } = event
      forgetScreen(sessionId).catch((error: unknown) =>
        deps.log.warn('last_screen_not_removed', { sessionId, error: String(error) }),
      )
    }
  })
  const retentionSettings = await createRetentionSettings({ records, log: deps.log, ofGateway: keepDays })
  const sessionDeletion = createSessionDeletion({ ...base, records: ownRecords, erasers })
  const by = `${cluster?.node} ${randomUUID()}`
  const claim = cluster ? createClaim({ records, clock: deps.clock, name: 'retention', by }) : ALONE
  const retention = createRetention({ ...base, settings: retentionSettings, deletion: sessionDeletion, claim })
  return { retention, retentionSettings, sessionDeletion }
}
