import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { ItemId, NewId, SessionId } from '@holdpoint/schema/id'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { SendMessage, Session, StartSession } from '@holdpoint/schema/session'
import { goneDriver, missingDriver } from './absent-driver.ts'
import type { Broker } from './broker.ts'
import { withdrawAll } from './broker.ts'
import type { Clock } from './clock.ts'
import type { AgentDriver, AgentRun } from './driver.ts'
import { createIdleSessions } from './idle-sessions.ts'
import type { Decision, Ledger } from './ledger.ts'
import { createMessageQueue, isSameMessage, type Sent } from './message-queue.ts'
import { type CheckedStart, newSession } from './new-session.ts'
import { outgoing, type RunningSession, runSession } from './run-session.ts'
import { notOurs, refusesCommands, runsElsewhere, type SessionRefusal, type SessionResult } from './session-refusal.ts'
import type { Store } from './store.ts'

/** What a repeated call must have in common with the first one. */
export type RepeatedStart = Pick<StartSession, 'agent' | 'gate' | 'onTimeout' | 'prompt' | 'attachments'> & {
  readonly cwd?: string | undefined
}

export interface Sessions {
  knows(agent: string): boolean
  start(options: CheckedStart): Promise<SessionResult<Session>>
  /** The session that was started under these ids already, if there is one. */
  started(ids: NonNullable<CheckedStart['ids']>, options: RepeatedStart): Promise<SessionResult<Session> | undefined>
  /** A new life of an ended session: same conversation, next epoch. */
  resume(
    id: SessionId,
    options: { prompt?: SendMessage; trusted: boolean; messageId?: ItemId; embedded?: AgentDriver; attached?: true },
  ): Promise<SessionResult<Session>>
  /**
   * Queues, and hands over when it is the agent's turn to listen. `queued` counts what waits before the agent gets it.
   * With the id of a message that was sent already, says so again and does nothing.
   */
  send(id: SessionId, message: SendMessage, options?: { messageId?: ItemId | undefined }): Promise<SessionResult<Sent>>
  cancelMessage(id: SessionId, messageId: ItemId): Promise<SessionResult<undefined>>
  /** Ends the turn; open asks are withdrawn first, so that no answer can come in between. */
  interrupt(id: SessionId): Promise<SessionResult<undefined>>
  setMode(id: SessionId, mode: PermissionMode): Promise<SessionResult<Session>>
  setModel(id: SessionId, model: string): Promise<SessionResult<Session>>
  setTrusted(id: SessionId, trusted: boolean): Promise<SessionResult<Session>>
  end(id: SessionId): Promise<SessionResult<undefined>>
  memoryBytes(id: SessionId): Promise<number | undefined>
  /** Takes up the sessions of the gateway before this one. */
  reattach(): void
  /** Resolves when the sessions were taken up and this one's agent was found, or after a second. */
  whenReached(id: SessionId): Promise<void>
  /** Leaves agents running for the next gateway. */
  close(): Promise<void>
}

export interface SessionsDeps {
  readonly ledger: Ledger
  readonly broker: Broker
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly newUuid: () => string
  readonly drivers: ReadonlyMap<string, AgentDriver>
  readonly publishLive: (event: LiveEvent) => void
  readonly warn: (message: string, details: Record<string, unknown>) => void
  /** How long a session may sit in `user_turn` with nothing open before it is ended. */
  readonly idleMs: number
}

const REACH_MS = 1000

export function createSessions(deps: SessionsDeps): Sessions {
  const { ledger, clock } = deps
  const running = new Map<SessionId, RunningSession>()
  /** Sessions whose start or resumption is being recorded. */
  const launching = new Set<SessionId>()
  let takenUp = () => {}
  const isTakenUp = new Promise<void>((resolve) => {
    takenUp = resolve
  })
  const idle = createIdleSessions({
    ...deps,
    stopAgent,
    isTyped: (agent) => deps.drivers.get(agent)?.isTyped === true,
  })
  const queue = createMessageQueue({ ...deps, handOver })

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      const { sessionId } = event
      if (event.type === 'session-changed' || event.type === 'ask-settled') idle.watch(sessionId)
      if (event.type === 'session-ended') {
        idle.forget(sessionId)
        // Whoever ended it, and whether or not they heard that they did: its agent goes too.
        running.get(sessionId)?.stop()
      }
      const begins =
        event.type === 'session-started' || (event.type === 'session-changed' && event.changes.epoch !== undefined)
      if (begins && !launching.has(sessionId)) endGhost(sessionId)
    }
  })

  /** A start that was reported as failed, and is on record all the same: it must not come to life later. */
  function endGhost(id: SessionId) {
    const error = { code: 'start-failed', message: 'The start could not be recorded in time. Start the session again.' }
    const ending = ledger.transact(id, (view, at): Decision<undefined> => {
      const alive = view !== undefined && view.session.state !== 'dead'
      return {
        events: alive ? [{ type: 'session-ended', sessionId: id, at, reason: 'error', error }] : [],
        result: undefined,
      }
    })
    ending.catch((reason: unknown) =>
      deps.warn('a session could not be ended', { sessionId: id, error: String(reason) }),
    )
  }

  /** The agent of a session, unless it cannot be reached just now: then nobody is kept waiting for it. */
  function reachable(id: SessionId): Promise<AgentRun | undefined> {
    const run = running.get(id)?.run
    if (!run) return Promise.resolve(undefined)
    return Promise.race([run, new Promise<undefined>((resolve) => clock.after(REACH_MS, () => resolve(undefined)))])
  }

  /** What can be started here. */
  function knows(agent: string): boolean {
    const driver = deps.drivers.get(agent)
    return driver !== undefined && !driver.attaches
  }

  async function stopAgent(id: SessionId) {
    const run = await reachable(id)
    await run
      ?.stop()
      .catch((error: unknown) => deps.warn('an agent did not stop', { sessionId: id, error: String(error) }))
  }

  function launch(
    session: Session,
    options: {
      resume?: string
      attach?: Parameters<typeof runSession>[1]['attach']
      embedded?: AgentDriver | undefined
    },
  ) {
    const { embedded, ...rest } = options
    const registered = deps.drivers.get(session.agent) ?? missingDriver(session.agent)
    const driver = session.embedded ? (embedded ?? goneDriver(session.agent)) : registered
    const started = runSession(deps, { session, driver, ...rest })
    running.set(session.id, started)
    void started.over.then(() => {
      if (running.get(session.id) === started) running.delete(session.id)
    })
    return started
  }

  /** A moment, so that who sends is told how it stands; not for ever, for the agent may be out of reach. */
  async function handOver(id: SessionId) {
    await Promise.race([running.get(id)?.pump(), new Promise<void>((resolve) => clock.after(REACH_MS, resolve))])
  }

  /** Changes the agent first and the record after: the record never says what the agent refused. */
  async function change(
    id: SessionId,
    act: (run: AgentRun) => Promise<void> | undefined,
    changes: Extract<DurableEvent, { type: 'session-changed' }>['changes'],
  ): Promise<SessionResult<Session>> {
    const refusal = (await endedOrUnknown(id)) ?? refusesCommands(ledger.views().get(id))
    if (refusal) return { ok: false, refusal }
    const run = await reachable(id)
    if (!run) return { ok: false, refusal: 'agent_refused', message: 'the agent cannot be reached just now' }
    try {
      const done = act(run)
      if (!done) return { ok: false, refusal: 'not_supported' }
      await done
    } catch (error) {
      return { ok: false, refusal: 'agent_refused', message: error instanceof Error ? error.message : String(error) }
    }
    return commitChange(id, changes)
  }

  async function endedOrUnknown(id: SessionId): Promise<SessionRefusal | undefined> {
    if (ledger.views().has(id)) return undefined
    return (await deps.store.session(id)) ? 'session_ended' : 'not_found'
  }

  function commitChange(id: SessionId, changes: Extract<DurableEvent, { type: 'session-changed' }>['changes']) {
    return ledger.transact(id, (view, at): { events: DurableEvent[]; result: SessionResult<Session> } => {
      if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
      return {
        events: [{ type: 'session-changed', sessionId: id, at, changes }],
        result: { ok: true, value: { ...view.session, ...changes } },
      }
    })
  }

  return {
    knows,

    async start(options) {
      if (!options.embedded && !options.attached && !knows(options.agent))
        return { ok: false, refusal: 'unknown_agent' }
      const id = options.ids?.session ?? deps.newId('ses')
      launching.add(id)
      const recording = ledger.transact(id, (view, at): Decision<{ session: Session; isNew: boolean }> => {
        // The same call came twice at once.
        if (view) return { events: [], result: { session: view.session, isNew: false } }
        const started = newSession(id, options, at)
        const events: DurableEvent[] = [{ type: 'session-started', sessionId: id, at, session: started }]
        if (options.prompt !== undefined) {
          const item = queue.newMessage(
            { text: options.prompt, ...(options.attachments && { attachments: options.attachments }) },
            at,
            options.ids?.message,
          )
          events.push({ type: 'item-added', sessionId: id, at, item })
        }
        return { events, result: { session: started, isNew: true } }
      })
      const { session, isNew } = await recording.finally(() => launching.delete(id))
      if (isNew) launch(session, { ...conversationOf(session), embedded: options.embedded })
      return { ok: true, value: ledger.views().get(id)?.session ?? session }
    },

    async started(ids, options) {
      const session = ledger.views().get(ids.session)?.session ?? (await deps.store.session(ids.session))
      if (!session) return undefined
      const first = await deps.store.item({ sessionId: session.id, id: ids.message })
      const prompt = { text: options.prompt ?? '', ...(options.attachments && { attachments: options.attachments }) }
      const same =
        session.agent === options.agent &&
        session.gate === options.gate &&
        session.onTimeout === options.onTimeout &&
        (options.cwd === undefined || options.cwd === session.cwd) &&
        (first ? isSameMessage(first, prompt) : options.prompt === undefined)
      return same ? { ok: true, value: session } : { ok: false, refusal: 'retry_mismatch' }
    },

    async resume(id, { prompt, trusted, messageId, embedded, attached }) {
      if (ledger.views().has(id)) return { ok: false, refusal: 'session_alive' }
      // Ended, but its process may be on its way out: two of one conversation must not run at once.
      await running.get(id)?.over
      launching.add(id)
      const recording = ledger.transact(id, (view, at): Decision<SessionResult<Session>> => {
        if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
        if (view.session.state !== 'dead') return { events: [], result: { ok: false, refusal: 'session_alive' } }
        const isOurs = !view.session.embedded === !embedded && !view.session.attached === !attached
        if (!isOurs) return { events: [], result: notOurs(view) }
        const changes = {
          state: 'starting' as const,
          epoch: view.session.epoch + 1,
          trusted,
          ...(embedded && { takesMessages: embedded.takesMessages ?? false }),
        }
        const events: DurableEvent[] = [{ type: 'session-changed', sessionId: id, at, changes }]
        if (prompt)
          events.push({ type: 'item-added', sessionId: id, at, item: queue.newMessage(prompt, at, messageId) })
        // The output of the new process counts from its own beginning.
        return { events, checkpoint: 0, result: { ok: true, value: view.session } }
      })
      const result = await recording.finally(() => launching.delete(id))
      if (!result.ok) return result
      const session = ledger.views().get(id)?.session
      if (!session) return { ok: false, refusal: 'session_ended' }
      launch(session, { ...conversationOf(session), embedded })
      return { ok: true, value: session }
    },

    send: (id, message, { messageId } = {}) => queue.send(id, message, messageId),
    cancelMessage: queue.cancel,

    async interrupt(id) {
      const elsewhere = ledger.views().get(id)
      // Before its asks are withdrawn: what cannot be done must not be done by half.
      if (elsewhere && runsElsewhere(elsewhere.session) && !(await reachable(id))?.interrupt) return notOurs(elsewhere)
      const refusal = await ledger.transact(
        id,
        (view, at): { events: DurableEvent[]; result: SessionRefusal | undefined } => {
          const why = !view ? 'not_found' : view.session.state === 'dead' ? 'session_ended' : undefined
          return { events: view && !why ? withdrawAll(view, at, 'interrupted') : [], result: why }
        },
      )
      if (refusal) return { ok: false, refusal }
      if (ledger.views().get(id)?.session.state === 'assistant_turn') {
        const run = await reachable(id)
        if (!run) return { ok: false, refusal: 'agent_refused', message: 'the agent cannot be reached just now' }
        if (!run.interrupt) return { ok: false, refusal: 'not_supported' }
        await run.interrupt()
      }
      return { ok: true, value: undefined }
    },

    async setMode(id, permissionMode) {
      const before = ledger.views().get(id)?.session.permissionMode
      try {
        return await change(id, (run) => run.setMode?.(permissionMode), { permissionMode })
      } catch (error) {
        // Set, but not recorded: the agent must not be left in a mode that nobody sees.
        const run = await reachable(id)
        if (before) await run?.setMode?.(before).catch(() => run.stop())
        throw error
      }
    },
    setModel: (id, model) => change(id, (run) => run.setModel?.(model), { model }),
    setTrusted: (id, trusted) => commitChange(id, { trusted }),

    async end(id) {
      const attached = ledger.views().get(id)
      // The agent would go on in its terminal, and come back with its next word.
      if (attached?.session.attached) return notOurs(attached)
      const refusal = await ledger.transact(
        id,
        (view, at): { events: DurableEvent[]; result: SessionRefusal | undefined } => {
          if (!view) return { events: [], result: 'not_found' }
          if (view.session.state === 'dead') return { events: [], result: 'session_ended' }
          const events: DurableEvent[] = [
            ...withdrawAll(view, at, 'session-ended'),
            { type: 'session-ended', sessionId: id, at, reason: 'ended-by-person' },
          ]
          return { events, result: undefined }
        },
      )
      if (refusal) return { ok: false, refusal }
      await stopAgent(id)
      return { ok: true, value: undefined }
    },

    async memoryBytes(id) {
      return (await reachable(id))?.memoryBytes?.()
    },

    reattach() {
      for (const [id, { session, sent, asks }] of ledger.views()) {
        // Only while the agent works on it can the last message be on its way still.
        const inDoubt = session.state === 'assistant_turn' && sent ? { sent: outgoing(sent) } : {}
        const mayBeMissing = session.state === 'starting'
        const open = [...asks.values()].filter(({ raisedBy }) => raisedBy === undefined)
        const attach = { checkpoint: ledger.checkpoint(id), open, mayBeMissing, ...inDoubt }
        launch(session, { ...conversationOf(session), attach })
        idle.watch(id)
      }
      takenUp()
    },
    whenReached: (id) =>
      new Promise((resolve) => {
        const late = clock.after(REACH_MS, resolve)
        void isTakenUp
          .then(() => running.get(id)?.run)
          .finally(() => {
            late()
            resolve()
          })
      }),

    async close() {
      unsubscribe()
      idle.close()
      await Promise.all([...running.values()].map((session) => session.detach()))
    },
  }
}

/** What a driver needs to go on with the conversation. */
function conversationOf({ vendorSessionId }: Session): { resume?: string } {
  return vendorSessionId === undefined ? {} : { resume: vendorSessionId }
}
