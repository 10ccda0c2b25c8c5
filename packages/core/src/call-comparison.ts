import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import type { AgentDriver, RanTool } from './driver.ts'
import type { Ledger } from './ledger.ts'
import { withdrawAll } from './settling.ts'
import { RecordDamaged, type Store } from './store.ts'
import { type Alarm, judge } from './watch.ts'

/** Compares the calls that one agent process reports with what was allowed. An alarm freezes the session. */
export function createCallComparison(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly session: Session
  readonly driver: AgentDriver
  /** Tries again while the store is in trouble: the agent does not tell it twice. */
  readonly persist: (record: () => Promise<void>) => Promise<void>
  /** The agent must not go on. */
  readonly interrupt: () => void
}) {
  const { ledger, store, driver } = deps
  const { id: sessionId, epoch } = deps.session
  const underWay = new Set<Promise<void>>()

  async function compare(tool: RanTool, isAlarmKnown: () => boolean) {
    const { toolUseId, requestId } = tool
    const record = await (requestId === undefined
      ? store.askByToolUse({ sessionId, epoch, toolUseId })
      : store.askByRequest({ sessionId, epoch, requestId })
    ).catch((error: unknown) => {
      if (error instanceof RecordDamaged) return 'damaged' as const
      throw error
    })
    const verdict = (session: Session) =>
      record === 'damaged' ? unreadable(tool) : judge(session, record, tool, driver, wrong)
    const known = ledger.views().get(sessionId)?.session ?? (await store.session(sessionId))
    const isAllowed = record !== 'damaged' && record?.outcome?.kind === 'allowed'
    const wrong = isAllowed ? await driver.whyNotAsShown?.(record.ask, tool) : undefined
    // Nearly always: nothing to record, so nothing to commit.
    if (!known || !verdict(known)) return
    const mustStop = await ledger.transact(sessionId, (view, at) => {
      // Also when it has ended since: an alarm is not void because the agent went, and its next life must not begin as if
      // nothing had happened.
      const alarm = view?.session.epoch === epoch ? verdict(view.session) : undefined
      if (!alarm || !view) return { events: [], result: false }
      const result = view.session.state !== 'dead'
      // The last try was in doubt, and it did count.
      if (isAlarmKnown()) return { events: [], result }
      const events: DurableEvent[] = [
        { type: 'alarm', sessionId, at, ...alarm },
        ...withdrawAll(view, at, 'interrupted'),
      ]
      return { events, result }
    })
    if (mustStop) deps.interrupt()
  }

  function isAlarmAbout({ toolUseId }: RanTool, event: DurableEvent): boolean {
    return event.type === 'alarm' && event.sessionId === sessionId && event.toolUseId === toolUseId
  }

  return {
    /** Resolves when the call was compared. */
    async ran(tool: RanTool): Promise<void> {
      let isAlarmKnown = false
      // Before a decision that follows a commit in doubt, the ledger publishes what the log holds.
      const unsubscribe = ledger.subscribe((stored) => {
        isAlarmKnown ||= stored.some(({ event }) => isAlarmAbout(tool, event))
      })
      const comparing = deps.persist(() => compare(tool, () => isAlarmKnown)).finally(unsubscribe)
      const settled = comparing.catch(() => {}).finally(() => underWay.delete(settled))
      underWay.add(settled)
      await comparing
    },
    /** Settles when no call is being compared. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** Whether it was allowed is not known, and it has run: fail closed (I4). */
function unreadable({ name, toolUseId, input }: RanTool): Alarm {
  const message = `${name} ran, and the record of what was answered cannot be read`
  return { code: 'ran-unasked', message, toolUseId, ran: input }
}
