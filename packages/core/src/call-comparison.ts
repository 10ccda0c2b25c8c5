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

  async function compare(tool: RanTool) {
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
      const events: DurableEvent[] = [
        { type: 'alarm', sessionId, at, ...alarm },
        ...withdrawAll(view, at, 'interrupted'),
      ]
      return { events, result: view.session.state !== 'dead' }
    })
    if (mustStop) deps.interrupt()
  }

  return {
    /** Resolves when the call was compared. */
    async ran(tool: RanTool): Promise<void> {
      const comparing = deps.persist(() => compare(tool))
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
