import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import { isQuiet } from '@holdpoint/core/notifications/wants-notice'
import { Escalation } from '@holdpoint/schema/notification'
import { z } from 'zod'
import { isTold, type OpenAskNotices } from '../attention/ask-notices.ts'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords } from '../cluster/kept-records.ts'
import type { Log } from '../system/log.ts'
import type { NoticeDuty } from './notice-duty.ts'
import type { Notifier } from './notifier.ts'
import { type OpenAsk, openAsks } from './open-asks.ts'
import type { Receivers } from './receivers.ts'

const COLLECTION = 'gateway'
const KEY = 'escalations'
const LOOK_MS = 15_000
const MINUTE_MS = 60_000

/** Tells others when nobody has seen an ask, and tells a device at the end of its quiet hours what waits. */
export interface Escalations {
  list(): readonly Escalation[]
  set(escalations: readonly Escalation[]): Promise<void>
  close(): void
}

export async function createEscalations(deps: {
  readonly ledger: Pick<Ledger, 'views'>
  readonly records: FollowedRecords
  readonly clock: Clock
  readonly log: Log
  readonly askNotices: OpenAskNotices
  readonly receivers: Receivers
  readonly duty: Pick<NoticeDuty, 'isOurs'>
  readonly notifier: Pick<Notifier, 'tell' | 'catchUp'>
}): Promise<Escalations> {
  const { ledger, records, clock, askNotices, receivers, notifier } = deps
  let escalations: readonly Escalation[] = []
  const kept = await keepRecords(records, COLLECTION, (now) => {
    for (const { key, value } of now) {
      if (key !== KEY) continue
      const stored = z.array(Escalation).safeParse(value ?? [])
      if (!stored.success) deps.log.warn('escalations_not_read', {})
      escalations = stored.data ?? []
    }
  })
  /** Whom we have told of which ask by which escalation. */
  const done = new Set<string>()
  let quiet = new Set<string>()
  let cancel = clock.after(LOOK_MS, look)

  function look() {
    cancel = clock.after(LOOK_MS, look)
    const open = openAsks(ledger)
    const ids = new Set<string>(open.map(({ ask }) => ask.id))
    for (const key of done) if (!ids.has(key.slice(0, key.indexOf(' ')))) done.delete(key)
    for (const escalation of escalations) escalate(escalation, open)
    afterQuietHours()
  }

  function escalate(escalation: Escalation, open: readonly OpenAsk[]) {
    const afterMs = escalation.afterMinutes * MINUTE_MS
    for (const id of escalation.to) {
      const to = receivers.find(id)
      if (!to || to.isInFront() || (!escalation.inQuietHours && isQuiet(to.settings.quietHours, clock.now()))) continue
      const due = open.filter(({ ask, session }) => {
        const key = `${ask.id} ${id} ${escalation.afterMinutes}`
        const dueAt = ask.raisedAt + afterMs
        if (!deps.duty.isOurs(session)) return false
        if (clock.now() < dueAt || done.has(key) || !to.sees(session.id)) return false
        if (!(escalation.projects?.includes(session.cwd) ?? true) || askNotices.isSeen(ask.id)) return false
        done.add(key)
        // By this escalation, before a restart or by another gateway: the record says so.
        return !askNotices.of(ask.id)?.notified.some((step) => isTold(step, id) && step.at >= dueAt)
      })
      notifier.tell(to, due)
    }
  }

  function afterQuietHours() {
    const all = receivers.list()
    const before = quiet
    quiet = new Set(all.filter(({ settings }) => isQuiet(settings.quietHours, clock.now())).map(({ id }) => id))
    for (const to of all) if (before.has(to.id) && !quiet.has(to.id)) notifier.catchUp(to)
  }

  return {
    list: () => escalations,
    set: (wanted) => kept.put(KEY, wanted),
    close: () => cancel(),
  }
}
