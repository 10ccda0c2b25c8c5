import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Offers } from '@holdpoint/schema/offers'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Session } from '@holdpoint/schema/session'
import type { Budget } from '@holdpoint/schema/usage'
import { mayBeArchived } from './archiving.ts'
import type { AgentDriver, AgentRun } from './driver.ts'
import type { Decision, Ledger } from './ledger.ts'
import { generosity } from './permission-generosity.ts'
import { refusesCommands, runsElsewhere, type SessionRefusal, type SessionResult } from './session-refusal.ts'
import { CommitInDoubt, type Store } from './store.ts'

type Changes = Extract<DurableEvent, { type: 'session-changed' }>['changes']

/** Changes of a session, and questions about it, that its agent has to take part in. */
export function createSessionChanges(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly drivers: ReadonlyMap<string, AgentDriver>
  /** The agent, unless it cannot be reached just now. */
  readonly reachable: (id: SessionId) => Promise<AgentRun | undefined>
}) {
  const { ledger, store, reachable } = deps

  /** Changes the agent first and the record after: the record never says what the agent refused. */
  async function change(
    id: SessionId,
    act: (run: AgentRun) => Promise<void> | undefined,
    changes: Changes,
  ): Promise<SessionResult<Session>> {
    const refusal = (await endedOrUnknown(id)) ?? refusesCommands(ledger.views().get(id))
    if (refusal) return { ok: false, refusal }
    const epoch = ledger.views().get(id)?.session.epoch
    const done = await askAgent(id, act)
    // An agent that was started since knows nothing of it.
    if (done.ok) return commit(id, changes, (now) => (now.epoch === epoch ? undefined : 'agent_refused'))
    return (await changeParked(id, changes)) ?? done
  }

  async function askAgent<Value>(
    id: SessionId,
    act: (run: AgentRun) => Promise<Value> | undefined,
  ): Promise<SessionResult<Value>> {
    const run = await reachable(id)
    if (!run) return { ok: false, refusal: 'agent_refused', message: 'the agent cannot be reached just now' }
    try {
      const done = act(run)
      return done ? { ok: true, value: await done } : { ok: false, refusal: 'not_supported' }
    } catch (error) {
      return { ok: false, refusal: 'agent_refused', message: error instanceof Error ? error.message : String(error) }
    }
  }

  async function endedOrUnknown(id: SessionId): Promise<SessionRefusal | undefined> {
    if (ledger.views().has(id)) return undefined
    return (await store.session(id)) ? 'session_ended' : 'not_found'
  }

  /** A parked agent is started with what is on record. Undefined if it is not parked. */
  function changeParked(id: SessionId, changes: Changes): Promise<SessionResult<Session> | undefined> {
    return ledger.transact(id, (view, at): Decision<SessionResult<Session> | undefined> => {
      if (view?.session.parkedAt === undefined) return { events: [], result: undefined }
      const refusal = refusesCommands(view)
      if (refusal) return { events: [], result: { ok: false, refusal } }
      return {
        events: [{ type: 'session-changed', sessionId: id, at, changes }],
        result: { ok: true, value: { ...view.session, ...changes } },
      }
    })
  }

  function commit(id: SessionId, changes: Changes, refuses?: (session: Session) => SessionRefusal | undefined) {
    return ledger.transact(id, (view, at): { events: DurableEvent[]; result: SessionResult<Session> } => {
      if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
      const refusal = view.session.deleted ? 'session_deleted' : refuses?.(view.session)
      if (refusal) return { events: [], result: { ok: false, refusal } }
      return {
        events: [{ type: 'session-changed', sessionId: id, at, changes }],
        result: { ok: true, value: { ...view.session, ...changes } },
      }
    })
  }

  /** The last change of each session's mode. One at a time: what one takes back must not undo the next. */
  const modes = new Map<SessionId, Promise<unknown>>()

  return {
    setMode(id: SessionId, permissionMode: PermissionMode) {
      const act = () => setMode(id, permissionMode)
      const mine = (modes.get(id) ?? Promise.resolve()).then(act, act)
      modes.set(id, mine)
      const leave = () => {
        if (modes.get(id) === mine) modes.delete(id)
      }
      mine.then(leave, leave)
      return mine
    },
    setModel: (id: SessionId, model: string) => change(id, (run) => run.setModel?.(model), { model }),
    async offers(id: SessionId): Promise<SessionResult<Offers>> {
      const refusal = await endedOrUnknown(id)
      return refusal ? { ok: false, refusal } : askAgent(id, (run) => run.offers?.())
    },
    setBudget(id: SessionId, budget: Budget) {
      return commit(id, { budget }, (session) => {
        const reports = deps.drivers.get(session.agent)?.reportsUsage && !runsElsewhere(session)
        return reports ? undefined : 'not_supported'
      })
    },
    setTrusted: (id: SessionId, trusted: boolean) => commit(id, { trusted }),
    rename: (id: SessionId, title: string) => commit(id, { title, named: true }),
    archive: (id: SessionId) =>
      commit(id, { archived: true }, (session) => (mayBeArchived(session) ? undefined : 'not_idle')),
    unarchive: (id: SessionId) => commit(id, { archived: false }),
  }

  async function setMode(id: SessionId, permissionMode: PermissionMode) {
    const before = ledger.views().get(id)?.session.permissionMode
    try {
      return await change(id, (run) => run.setMode?.(permissionMode), { permissionMode })
    } catch (error) {
      // Set, but not recorded: the agent must not be left in a mode that nobody sees. Where that is in doubt, not in one
      // that lets more through than the record may say.
      const isStricter = before !== undefined && generosity(permissionMode) < generosity(before)
      const mode = error instanceof CommitInDoubt && isStricter ? permissionMode : before
      const run = await reachable(id)
      if (mode) await run?.setMode?.(mode).catch(() => run.stop())
      throw error
    }
  }
}
