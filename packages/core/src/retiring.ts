import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Actor } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { Ledger } from './ledger.ts'
import type { ArchivedPart, InSteps } from './retirement.ts'
import type { SessionResult } from './session-refusal.ts'
import type { SessionView } from './session-view.ts'
import type { Store } from './store.ts'

type Deps = { readonly ledger: Ledger; readonly store: Pick<Store, 'retirement'> }

/** Nobody waits in it, nothing is on its way to anybody, and no agent may still speak. */
export function mayLeave({ session, asks, undelivered, queue }: SessionView): boolean {
  return session.state === 'dead' && !session.deleted && asks.size === 0 && undelivered.size === 0 && queue.length === 0
}

/**
 * Moves an ended session from the log to the archive: written, then recorded, then removed. Says how many bytes it takes
 * there; undefined where it has to stay. Calling it off leaves what is done, and what was begun is `unfinished`.
 */
export async function retireSession(
  { ledger, store }: Deps,
  id: SessionId,
  options: InSteps,
): Promise<ArchivedPart | undefined> {
  // Not written in vain: it is decided below.
  if (!(await ledger.transact(id, (view) => ({ events: [], result: view !== undefined && mayLeave(view) }))))
    return undefined
  const part = await store.retirement.write(id, options)
  if (!part) return undefined
  const { archive, events, head, sum } = part
  const isRecorded = await ledger.transact(id, (view, at) => {
    // Another life of it may have begun and ended: what was written is not all then.
    if (!view || !mayLeave(view) || view.session.epoch !== part.epoch) return { events: [], result: false }
    const event: DurableEvent = { type: 'session-retired', sessionId: id, at, archive, events, head, sum }
    return { events: [event], result: true }
  })
  // Without the record of it nothing leaves the log, and the archive lets go of what was written.
  const isReleased = await store.retirement.release(part, options)
  return isRecorded && isReleased ? part : undefined
}

/** What the thread of a session says that goes on. */
export function backFromArchive({ archive }: { readonly archive: string }): string {
  return `This session was in the archive of ${archive}. It is back in the log, and goes on.`
}

/** Records that a session is deleted. From then on nothing of it is shown; what was said in it is for `erase` to remove. */
export function recordDeletion(ledger: Ledger, id: SessionId, by: Actor): Promise<SessionResult<Session>> {
  return ledger.transact<SessionResult<Session>>(id, (view, at) => {
    if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
    const { session } = view
    if (session.state !== 'dead') return { events: [], result: { ok: false, refusal: 'session_alive' } }
    if (session.deleted) return { events: [], result: { ok: true, value: session } }
    return { events: [{ type: 'session-deleted', sessionId: id, at, by }], result: { ok: true, value: session } }
  })
}
