import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { NewId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import { isYes } from './is-yes.ts'
import type { SessionView } from './session-view.ts'

/** Answers of one agent process that say yes, and of which it has not told what came of them. */
export interface UnreportedAnswers {
  /** Its outcome has not come to us yet, though it may be on record. */
  waits(ask: Ask): void
  waitsNoLonger(ask: Ask): void
  /** Goes to the agent. */
  given(ask: Ask, outcome: Outcome): void
  /** The agent has told what came of this call. */
  reported(toolUseId: string): void
  /** Its turn is over: nothing of it is under way any more. */
  turnEnded(): void
  /** For the thread of a session whose agent is gone: the person who gave such an answer would take it for done. */
  notices(view: SessionView, at: number): DurableEvent[]
}

export function createUnreportedAnswers(newId: NewId): UnreportedAnswers {
  const unreported = new Map<string, Pick<Ask, 'title' | 'toolUseId'> & Pick<Outcome, 'kind'>>()
  const waiting = new Set<Ask>()
  return {
    waits: (ask) => void waiting.add(ask),
    waitsNoLonger: (ask) => void waiting.delete(ask),
    given({ requestId, title, toolUseId }, outcome) {
      if (isYes(outcome)) unreported.set(requestId, { title, toolUseId, kind: outcome.kind })
    },
    reported(toolUseId) {
      for (const [requestId, yes] of unreported) if (yes.toolUseId === toolUseId) unreported.delete(requestId)
    },
    turnEnded: () => unreported.clear(),
    notices(view, at) {
      const untaken = [...waiting].flatMap(({ id, title }) => {
        const settled = view.undelivered.get(id)
        return settled && isYes(settled) ? [{ title, kind: settled.kind }] : []
      })
      return [...unreported.values(), ...untaken].map(({ title, kind }) => {
        const text = `The agent ended before it reported the result of this answer: ${kind}, ${title}. It may have run in part, or not at all.`
        const item: Item = { id: newId('itm'), at, type: 'notice', level: 'error', text }
        return { type: 'item-added', sessionId: view.session.id, at, item }
      })
    },
  }
}
