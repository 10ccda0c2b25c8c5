import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Decide } from './ledger.ts'
import { evolve, type SessionView } from './session-view.ts'
import type { Append } from './store.ts'

interface Command {
  readonly sessionId: SessionId
  readonly decide: Decide<unknown>
  readonly reject: (error: unknown) => void
}

/** What the decisions of one commit make of a session. */
interface Draft {
  readonly view: SessionView
  readonly events: readonly DurableEvent[]
  readonly checkpoint: number | undefined
  readonly authority: number | undefined
}

interface Decided<One> {
  readonly command: One
  readonly result: unknown
  readonly authority: number | undefined
}

/** Decides one after the other, each on what the ones before have made of its session. One that throws is rejected alone. */
export function draftDecisions<One extends Command>(
  batch: readonly One[],
  { at, viewOf }: { readonly at: number; readonly viewOf: (id: SessionId) => SessionView | undefined },
): { readonly drafts: ReadonlyMap<SessionId, Draft>; readonly decided: readonly Decided<One>[] } {
  const drafts = new Map<SessionId, Draft>()
  const decided: Decided<One>[] = []
  for (const command of batch) {
    const { sessionId } = command
    const draft = drafts.get(sessionId)
    try {
      let view = draft?.view ?? viewOf(sessionId)
      const { events, checkpoint, authority, result } = command.decide(view, at)
      if (events.length > 0 || checkpoint !== undefined) {
        for (const event of events) view = evolve(view, event)
        if (!view) throw new Error(`nothing to commit for ${sessionId}`)
        drafts.set(sessionId, {
          view,
          events: [...(draft?.events ?? []), ...events],
          checkpoint: checkpoint ?? draft?.checkpoint,
          authority: authority ?? draft?.authority,
        })
      }
      decided.push({ command, result, authority })
    } catch (error) {
      command.reject(error)
    }
  }
  return { drafts, decided }
}

export function appendOf(sessionId: SessionId, expectedSeq: number, draft: Draft): Append {
  const { view, events, checkpoint, authority } = draft
  return {
    sessionId,
    expectedSeq,
    events,
    session: view.session,
    ...(checkpoint !== undefined && { checkpoint }),
    ...(authority !== undefined && { authority }),
  }
}
