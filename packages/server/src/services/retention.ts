import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { InSteps, Retirable } from '@holdpoint/core/retirement'
import { retireSession } from '@holdpoint/core/retiring'
import { RecordDamaged, type Store } from '@holdpoint/core/store'
import type { RetentionPreview } from '@holdpoint/schema/endpoints/retention'
import type { Log } from '../system/log.ts'
import type { Claim } from './claim.ts'
import type { RetentionSettings } from './retention-settings.ts'
import type { SessionDeletion } from './session-deletion.ts'

const DAY_MS = 86_400_000
/** After the start, when what people wait for is done; and again after each look. */
const FIRST_MS = 5000
const AGAIN_MS = 3_600_000
/** After a setting was changed: several are one. */
const SOON_MS = 500
/** After each step of some milliseconds: whoever asks or answers does not wait for it. */
const PAUSE_MS = 40
const PAGE = 200
/** A preview counts no further. */
const COUNTED = 50_000

export interface RetentionWork {
  /** What would move with such a setting, if it were made now. */
  preview(query: { readonly days: number; readonly project?: string }, signal: AbortSignal): Promise<RetentionPreview>
  start(): void
  close(): Promise<void>
}

export interface RetentionDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Log
  readonly settings: RetentionSettings
  readonly deletion: Pick<SessionDeletion, 'finish'>
  /** Where several gateways have the log, one of them does it. */
  readonly claim: Claim
}

/** Moves sessions that have not changed for long enough to the archive, and goes on with what was begun: beside the work. */
export function createRetention(deps: RetentionDeps): RetentionWork {
  const { store, ledger, clock, log, settings, claim } = deps
  const over = new AbortController()
  let working: Promise<void> | undefined
  let isWanted = false
  let cancel = () => {}

  const steps: InSteps = {
    pause: () => new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve)),
    signal: over.signal,
  }

  async function* sessionsBefore(before: number): AsyncGenerator<Retirable, void> {
    for (let after: string | undefined; ; ) {
      const page = await store.retirement.list({ before, limit: PAGE, ...(after !== undefined && { after }) })
      yield* page.sessions
      after = page.next
      if (after === undefined) return
    }
  }

  /** `shortest`: of all settings. No session that is younger has to be looked at. */
  async function retireDue(shortest: number): Promise<void> {
    const now = clock.now()
    const done = { sessions: 0, events: 0, bytes: 0 }
    for await (const { session, activityAt } of sessionsBefore(now - shortest * DAY_MS)) {
      over.signal.throwIfAborted()
      const days = settings.daysFor(session.cwd)
      if (days === undefined || activityAt >= now - days * DAY_MS) continue
      if (!(await claim.hold())) break
      const part = await retireOne(session.id)
      if (part) {
        done.sessions++
        done.events += part.events
        done.bytes += part.bytes
      }
      await steps.pause?.()
    }
    if (done.sessions > 0) log.info('sessions_retired', done)
  }

  /** One that is damaged stays where it is, and keeps none of the others. */
  async function retireOne(id: Retirable['session']['id']) {
    try {
      return await retireSession({ ledger, store }, id, steps)
    } catch (error) {
      if (!(error instanceof RecordDamaged)) throw error
      log.warn('session_not_retired', { sessionId: id, error: error.message })
      return undefined
    }
  }

  async function work(): Promise<void> {
    try {
      await deps.deletion.finish(steps)
      const unfinished = await store.retirement.unfinished()
      const days = settings.shortestDays()
      if (unfinished.length === 0 && days === undefined) return
      for (const left of unfinished) {
        if (!(await claim.hold())) return
        await store.retirement.finish(left, steps)
      }
      if (days !== undefined) await retireDue(days)
    } catch (error) {
      if (!over.signal.aborted) log.warn('retention_failed', { error: String(error) })
    }
  }

  function plan(ms: number) {
    cancel()
    cancel = clock.after(ms, () => {
      working = run()
    })
  }

  /** What is changed while it works is looked at once more afterwards. */
  function onChanged() {
    if (working) isWanted = true
    else plan(SOON_MS)
  }

  async function run(): Promise<void> {
    isWanted = false
    await work()
    working = undefined
    if (!over.signal.aborted) plan(isWanted ? SOON_MS : AGAIN_MS)
  }

  return {
    async preview({ days, project }, signal) {
      const before = clock.now() - days * DAY_MS
      const found = { sessions: 0, events: 0 }
      let oldestAt: number | undefined
      let counted = 0
      for await (const { session, activityAt, events } of sessionsBefore(before)) {
        if (++counted > COUNTED) break
        if (counted % PAGE === 0) signal.throwIfAborted()
        if (project === undefined ? settings.hasOwn(session.cwd) : session.cwd !== project) continue
        found.sessions++
        found.events += events
        oldestAt ??= activityAt
      }
      const bytes = Math.round(found.events * (await store.retirement.eventSize()))
      return { ...found, bytes, ...(oldestAt !== undefined && { oldestAt }), ...(counted > COUNTED && { more: true }) }
    },
    start() {
      settings.subscribe(onChanged)
      plan(FIRST_MS)
    },
    async close() {
      over.abort()
      cancel()
      await working
    },
  }
}
