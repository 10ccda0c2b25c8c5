import type { ClusterNode } from '@holdpoint/core/cluster'
import type { SessionView } from '@holdpoint/core/session-view'
import { withdrawAll } from '@holdpoint/core/settling'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Services } from './services.ts'

/** Ends the sessions of a machine that nobody can reach. Gives their number. Should it come back, its agents are ended. */
export async function giveUpMachine(
  { ledger, machines, newId }: Pick<Services, 'ledger' | 'machines' | 'newId'>,
  { id: node, name }: Pick<ClusterNode, 'id' | 'name'>,
): Promise<number> {
  const text = `The machine “${name}” could not be reached, and a person gave it up. Its agent may have gone on working there.`
  const decide = (view: SessionView | undefined, at: number) => {
    if (!view || view.session.state === 'dead' || machines.elsewhere(view.session) !== node)
      return { events: [], result: 0 }
    const sessionId = view.session.id
    const notice: DurableEvent = {
      type: 'item-added',
      sessionId,
      at,
      item: { id: newId('itm'), at, type: 'notice', level: 'error', text },
    }
    const events: DurableEvent[] = [
      notice,
      ...withdrawAll(view, at, 'orphaned'),
      { type: 'session-ended', sessionId, at, reason: 'machine-given-up' },
    ]
    return { events, result: 1 }
  }
  const ids = [...ledger.views().values()].flatMap(({ session }) =>
    machines.elsewhere(session) === node ? [session.id] : [],
  )
  const ended = await Promise.all(ids.map((id) => ledger.transact(id, decide)))
  return ended.reduce((sum, count) => sum + count, 0)
}
