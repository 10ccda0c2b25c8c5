import type { Ledger } from '@holdpoint/core/ledger'
import type { SessionResult } from '@holdpoint/core/session-refusal'
import type { Sessions } from '@holdpoint/core/sessions'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { CallResult, Machines } from './machines.ts'
import type { NodeCall } from './node-call.ts'

const UNKNOWN =
  'The machine of this session was lost before it replied. It may have been done: look before you try again.'

/** The sessions of all machines: what an agent has to take part in is done where it runs. */
export function sessionsEverywhere(deps: {
  readonly sessions: Sessions
  readonly ledger: Ledger
  readonly machines: Machines
}): Sessions {
  const { sessions, ledger, machines } = deps
  const elsewhere = (id: SessionId) => machines.elsewhere(ledger.views().get(id)?.session)

  async function command<Value>(
    id: SessionId,
    here: () => Promise<SessionResult<Value>>,
    call: NodeCall,
  ): Promise<SessionResult<Value>> {
    const to = elsewhere(id)
    return to === undefined ? here() : resultOf<Value>(await machines.call(to, call))
  }

  return {
    ...sessions,
    interrupt: (id) => command<undefined>(id, () => sessions.interrupt(id), { type: 'interrupt', session: id }),
    setMode: (id, permissionMode) =>
      command<Session>(id, () => sessions.setMode(id, permissionMode), {
        type: 'set-mode',
        session: id,
        permissionMode,
      }),
    setModel: (id, model) =>
      command<Session>(id, () => sessions.setModel(id, model), { type: 'set-model', session: id, model }),
    async memoryBytes(id) {
      const to = elsewhere(id)
      if (to === undefined) return sessions.memoryBytes(id)
      const result = await machines.call(to, { type: 'memory', session: id })
      return result.ok && typeof result.reply === 'number' ? result.reply : undefined
    },
  }
}

/** The reply of another gateway is of the same build or one beside it: it gives the same type for the same call. */
function resultOf<Value>(result: CallResult): SessionResult<Value> {
  if (result.ok) return result.reply as SessionResult<Value>
  if (result.why === 'unknown') return { ok: false, refusal: 'machine_unreachable', message: UNKNOWN }
  return { ok: false, refusal: 'machine_unreachable' }
}
