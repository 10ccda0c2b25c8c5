import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Records } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { OfferedModel } from '@holdpoint/schema/offers'
import type { Session } from '@holdpoint/schema/session'
import { z } from 'zod'
import type { Machines } from '../cluster/machines.ts'

/** By kind of agent. */
const KNOWN_MODELS = 'known-models'
const Models = z.array(OfferedModel)

/** The models that agents on this machine have named themselves, for sessions that are still to be started. */
export interface KnownModels {
  /** As the last agent of this kind told them; none before there was one. */
  of(agent: string): Promise<readonly OfferedModel[]>
  close(): Promise<void>
}

export function createKnownModels(deps: {
  readonly records: Pick<Records, 'get' | 'put'>
  readonly ledger: Pick<Ledger, 'views' | 'subscribe'>
  readonly ownSessions: Pick<Sessions, 'offers'>
  readonly machines: Pick<Machines, 'isOurs'>
  readonly warn: LogFunction
}): KnownModels {
  const { records, ledger, ownSessions, machines, warn } = deps
  /** The life of each session whose agent was asked. */
  const asked = new Map<SessionId, number>()
  let isOpen = true
  let writing = Promise.resolve()

  async function of(agent: string) {
    return Models.safeParse(await records.get(KNOWN_MODELS, agent)).data ?? []
  }

  async function ask({ id, agent }: Session) {
    const offers = await ownSessions.offers(id)
    const models = offers.ok ? offers.value.models : []
    if (!isOpen || models.length === 0) return
    writing = writing.then(() => keep(agent, models))
    await writing
  }

  async function keep(agent: string, models: readonly OfferedModel[]) {
    try {
      if (canonicalJson(await of(agent)) !== canonicalJson(models)) await records.put(KNOWN_MODELS, agent, models)
    } catch (error) {
      warn('models_not_kept', { agent, error: String(error) })
    }
  }

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'session-ended') asked.delete(event.sessionId)
      // It is there, and has said what it offers: before its first turn it may not have.
      const isThere = event.type === 'session-changed' && event.changes.state?.endsWith('_turn')
      const session = isThere ? ledger.views().get(event.sessionId)?.session : undefined
      if (!session || !machines.isOurs(session) || asked.get(session.id) === session.epoch) continue
      asked.set(session.id, session.epoch)
      ask(session).catch((error: unknown) => warn('models_not_kept', { agent: session.agent, error: String(error) }))
    }
  })

  return {
    of,
    async close() {
      isOpen = false
      unsubscribe()
      await writing
    },
  }
}
