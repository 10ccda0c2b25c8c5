import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { ItemId, NewId, NodeId, SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Offers } from '@holdpoint/schema/offers'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { SendMessage, Session, StartSession } from '@holdpoint/schema/session'
import type { TimeLimit } from '@holdpoint/schema/time-limit'
import { goneDriver, missingDriver } from './absent-driver.ts'
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import type { AgentDriver } from './driver.ts'
import { createIdleSessions } from './idle-sessions.ts'
import type { Decision, Ledger } from './ledger.ts'
import { createMessageQueue, isSameMessage, type Sent } from './message-queue.ts'
import { type CheckedStart, newSession } from './new-session.ts'
import { createParking } from './parking.ts'
import { createPendingLaunches } from './pending-launches.ts'
import { backFromArchive } from './retiring.ts'
import { type RunDeps, runSession } from './run-session.ts'
import { createRunningSessions, REACH_MS } from './running-sessions.ts'
import { createSessionChanges } from './session-changes.ts'
import { notOurs, runsElsewhere, type SessionRefusal, type SessionResult } from './session-refusal.ts'
import { withdrawAll } from './settling.ts'
import type { Store } from './store.ts'
import { outgoing } from './unanswered.ts'

/** What a repeated call must have in common with the first one. */
export type RepeatedStart = Pick<StartSession, 'agent' | 'gate' | 'onTimeout' | 'prompt' | 'attachments'> & {
  readonly cwd?: string | undefined
}

export interface Sessions {
  knows(agent: string): boolean
  start(options: CheckedStart): Promise<SessionResult<Session>>
  /** The session that was started under these ids already, if there is one. */
  started(ids: NonNullable<CheckedStart['ids']>, options: RepeatedStart): Promise<SessionResult<Session> | undefined>
  /**
   * A new life of an ended session: same conversation, next epoch. `unattended`: no person has asked for it, so a session
   * that an alarm has frozen, or that a person has ended, stays ended.
   */
  resume(
    id: SessionId,
    options: {
      prompt?: SendMessage
      trusted: boolean
      messageId?: ItemId
      embedded?: AgentDriver
      attached?: true
      unattended?: true
    },
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
  /** By a person: also of a session that has ended, at whichever gateway. */
  rename(id: SessionId, title: string): Promise<SessionResult<Session>>
  archive(id: SessionId): Promise<SessionResult<Session>>
  unarchive(id: SessionId): Promise<SessionResult<Session>>
  setBudget(id: SessionId, budget: NonNullable<Session['budget']>): Promise<SessionResult<Session>>
  /** A person's wish, unless the folder has lost its trust: then only this life of it, at once, with a notice why. */
  end(id: SessionId, lostTrust?: { epoch: number; notice: string }): Promise<SessionResult<undefined>>
  memoryBytes(id: SessionId): Promise<number | undefined>
  /** What the agent of a running session says that it offers. */
  offers(id: SessionId): Promise<SessionResult<Offers>>
  /** Takes up the sessions of the gateway before this one. */
  reattach(): void
  /**
   * Why the agent cannot be given this answer just now, if it cannot. After a restart only the agent that was found again
   * can say so: this waits for it, but no longer than a second.
   */
  recheck(ask: Ask, answer: Answer): Promise<string | undefined>
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
  readonly beforeTurn: RunDeps['beforeTurn']
  readonly wasStopped?: RunDeps['wasStopped']
  readonly warn: LogFunction
  /** For sessions that are started without limits of their own. */
  readonly timeLimits: () => readonly TimeLimit[]
  /** This gateway, where several share the log: sessions that are started here belong to it. */
  readonly node?: NodeId
  /** Whether the agent of a session runs on this machine. Left out: there is no other. */
  readonly isOurs?: (session: Session) => boolean
  /** How long a session may sit in `user_turn` with nothing open before it is ended. */
  readonly idleMs: number
  /** How long its agent may have nothing to do there before it is parked. Left out: it never is. */
  readonly parkMs?: number
}

/** An agent that ends for this reason gets no time for it: on its way out it would run hooks that nobody has seen. */
const TRUST_LOST = 'trust-lost'
const ENDED_BY_PERSON = 'ended-by-person'

/** The last of what kept a session from idling may have gone with one of these. */
const MAY_BEGIN_IDLING: ReadonlySet<DurableEvent['type']> = new Set([
  'session-changed',
  'ask-settled',
  'ask-delivered',
  'item-changed',
  'alarm',
])

export function createSessions(deps: SessionsDeps): Sessions {
  const { ledger, clock, isOurs = () => true } = deps
  const running = createRunningSessions(deps)
  const { reachable, isParked, stopAgent } = running
  /** The handing over that the last message of a session has led to. */
  const handedOver = new Map<SessionId, Promise<void> | undefined>()
  const launches = createPendingLaunches({ ...deps, isOurs })
  const idle = createIdleSessions({
    ...deps,
    isOurs,
    stopAgent,
    isTyped: (agent) => deps.drivers.get(agent)?.isTyped === true,
  })
  const parking = createParking({
    ...deps,
    isOurs,
    reachable,
    launches,
    over: (id) => running.get(id)?.over,
    launch: (session) => launch(session, conversationOf(session)),
  })
  const queue = createMessageQueue({ ...deps, handOver })

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      const { sessionId } = event
      if (MAY_BEGIN_IDLING.has(event.type)) watchIdling(sessionId)
      if (event.type === 'session-changed' && event.changes.parkedAt !== undefined) running.get(sessionId)?.stop()
      // Also one that was sent at another gateway.
      const isMessage = event.type === 'item-added' && event.item.type === 'message' && event.item.status === 'queued'
      if (isMessage) {
        handedOver.set(sessionId, running.get(sessionId)?.pump())
        parking.wake(sessionId)
      }
      if (event.type === 'session-changed' && event.changes.budget) void running.get(sessionId)?.pump()
      if (event.type === 'session-ended') {
        forgetIdling(sessionId)
        handedOver.delete(sessionId)
        // The agent goes with its session, also where the call that ended it got no reply.
        running.get(sessionId)?.stop(event.reason === TRUST_LOST ? 'now' : undefined)
      }
    }
  })

  // Nobody could see the agent any more, end it, or be told what it does.
  const unsubscribeLost = ledger.onLost((sessionId) => {
    deps.warn('session_lost', { sessionId })
    forgetIdling(sessionId)
    running.get(sessionId)?.stop('now')
  })

  function watchIdling(id: SessionId) {
    idle.watch(id)
    parking.watch(id)
  }

  function forgetIdling(id: SessionId) {
    idle.forget(id)
    parking.forget(id)
  }

  /** What can be started here. */
  function knows(agent: string): boolean {
    const driver = deps.drivers.get(agent)
    return driver !== undefined && !driver.attaches
  }

  function notice(sessionId: SessionId, level: 'info' | 'error', text: string, at: number): DurableEvent {
    const item = { id: deps.newId('itm'), at, type: 'notice', level, text } as const
    return { type: 'item-added', sessionId, at, item }
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
    const ofEmbedded = registered.outlives ? registered : goneDriver(session.agent)
    const driver = session.embedded ? (embedded ?? ofEmbedded) : registered
    const started = runSession(deps, { session, driver, ...rest })
    running.add(session.id, started)
  }

  /** A moment, so that who sends is told how it stands; not for ever, for the agent may be out of reach. */
  async function handOver(id: SessionId) {
    await Promise.race([handedOver.get(id), new Promise<void>((resolve) => clock.after(REACH_MS, resolve))])
  }

  return {
    knows,

    async start(options) {
      if (!options.embedded && !options.attached && !knows(options.agent))
        return { ok: false, refusal: 'unknown_agent' }
      if (options.budget && !deps.drivers.get(options.agent)?.reportsUsage)
        return { ok: false, refusal: 'not_supported' }
      const id = options.ids?.session ?? deps.newId('ses')
      const pending = launches.begin(id)
      const recording = ledger.transact(id, (view, at): Decision<{ session: Session; isNew: boolean }> => {
        // The same call came twice at once.
        if (view) return { events: [], result: { session: view.session, isNew: false } }
        pending.decided()
        const started = newSession(id, options, { at, timeLimits: deps.timeLimits(), node: deps.node })
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
      try {
        const { session, isNew } = await recording
        // Somebody may have ended it in the same commit.
        if (isNew && ledger.views().has(id)) launch(session, { ...conversationOf(session), embedded: options.embedded })
        return { ok: true, value: ledger.views().get(id)?.session ?? session }
      } finally {
        pending.finished()
      }
    },

    async started(ids, options) {
      const session = ledger.views().get(ids.session)?.session ?? (await deps.store.session(ids.session))
      if (!session) return undefined
      const first = await deps.store.item({ sessionId: session.id, id: ids.message })
      const prompt = { text: options.prompt ?? '', ...(options.attachments && { attachments: options.attachments }) }
      const same =
        session.agent === options.agent &&
        session.gate === options.gate &&
        (options.onTimeout === undefined || options.onTimeout === session.onTimeout) &&
        (options.cwd === undefined || options.cwd === session.cwd) &&
        (first ? isSameMessage(first, prompt) : options.prompt === undefined)
      return same ? { ok: true, value: session } : { ok: false, refusal: 'retry_mismatch' }
    },

    async resume(id, { prompt, trusted, messageId, embedded, attached, unattended }) {
      if (ledger.views().has(id)) return { ok: false, refusal: 'session_alive' }
      // Ended, but its process may be on its way out: two of one conversation must not run at once.
      await running.get(id)?.over
      // A session that lives depends on nothing but the log.
      await deps.store.retirement.restore(id)
      const pending = launches.begin(id)
      const recording = ledger.transact(id, (view, at): Decision<SessionResult<Session>> => {
        if (!view) return { events: [], result: { ok: false, refusal: 'not_found' } }
        if (view.session.state !== 'dead') return { events: [], result: { ok: false, refusal: 'session_alive' } }
        if (view.session.deleted) return { events: [], result: { ok: false, refusal: 'session_deleted' } }
        if (!isOurs(view.session)) return { events: [], result: { ok: false, refusal: 'machine_unreachable' } }
        const isSameKind = !view.session.embedded === !embedded && !view.session.attached === !attached
        if (!isSameKind) return { events: [], result: notOurs(view) }
        if (unattended && view.session.frozen) return { events: [], result: { ok: false, refusal: 'session_frozen' } }
        if (unattended && view.session.endReason === ENDED_BY_PERSON)
          return { events: [], result: { ok: false, refusal: 'session_ended' } }
        pending.decided()
        const changes = {
          state: 'starting' as const,
          epoch: view.session.epoch + 1,
          trusted,
          ...(embedded && { takesMessages: embedded.takesMessages ?? false }),
        }
        const events: DurableEvent[] = [{ type: 'session-changed', sessionId: id, at, changes }]
        if (view.session.retired) events.push(notice(id, 'info', backFromArchive(view.session.retired), at))
        if (prompt)
          events.push({ type: 'item-added', sessionId: id, at, item: queue.newMessage(prompt, at, messageId) })
        // The output of the new process counts from its own beginning.
        return { events, checkpoint: 0, result: { ok: true, value: view.session } }
      })
      try {
        const result = await recording
        if (!result.ok) return result
        const session = ledger.views().get(id)?.session
        if (!session) return { ok: false, refusal: 'session_ended' }
        launch(session, { ...conversationOf(session), embedded })
        return { ok: true, value: session }
      } finally {
        pending.finished()
      }
    },

    send: (id, message, { messageId } = {}) => queue.send(id, message, messageId),
    cancelMessage: queue.cancel,

    async interrupt(id) {
      const elsewhere = ledger.views().get(id)
      if (elsewhere && !isOurs(elsewhere.session)) return { ok: false, refusal: 'machine_unreachable' }
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
      const isAtWork = ledger.views().get(id)?.session.state === 'assistant_turn'
      const run = await reachable(id)
      if (isAtWork && !run)
        return { ok: false, refusal: 'agent_refused', message: 'the agent cannot be reached just now' }
      if (isAtWork && !run?.interrupt) return { ok: false, refusal: 'not_supported' }
      // Between turns, too: an agent's own subagents may be at work in the background.
      await run?.interrupt?.()
      return { ok: true, value: undefined }
    },

    ...createSessionChanges({ ...deps, reachable }),

    async end(id, lostTrust) {
      const attached = ledger.views().get(id)
      // The agent would go on in its terminal, and come back with its next word.
      if (attached?.session.attached) return notOurs(attached)
      const refusal = await ledger.transact(
        id,
        (view, at): { events: DurableEvent[]; result: SessionRefusal | undefined } => {
          if (!view) return { events: [], result: 'not_found' }
          const isOver = lostTrust !== undefined && view.session.epoch !== lostTrust.epoch
          // It may be about to be resumed without a person: who ends it now must not find it alive again.
          const mayResume = !lostTrust && view.session.endReason === TRUST_LOST
          if ((view.session.state === 'dead' && !mayResume) || isOver) return { events: [], result: 'session_ended' }
          const events: DurableEvent[] = [
            ...(lostTrust ? [notice(id, 'error', lostTrust.notice, at)] : []),
            ...(lostTrust ? (running.get(id)?.unreportedAnswers(view, at) ?? []) : []),
            ...withdrawAll(view, at, 'session-ended'),
            { type: 'session-ended', sessionId: id, at, reason: lostTrust ? TRUST_LOST : ENDED_BY_PERSON },
          ]
          return { events, result: undefined }
        },
      )
      if (refusal) return { ok: false, refusal }
      await stopAgent(id, lostTrust && 'now')
      return { ok: true, value: undefined }
    },

    async memoryBytes(id) {
      return (await reachable(id))?.memoryBytes?.()
    },

    reattach() {
      for (const [id, { session, sent, asks }] of ledger.views()) {
        if (!isOurs(session)) continue
        watchIdling(id)
        parking.wake(id)
        if (isParked(id)) continue
        // Only while the agent works on it can the last message be on its way still.
        const inDoubt = session.state === 'assistant_turn' && sent ? { sent: outgoing(session, sent) } : {}
        const mayBeMissing = session.state === 'starting'
        const open = [...asks.values()].filter(({ raisedBy }) => raisedBy === undefined)
        const attach = { checkpoint: ledger.checkpoint(id), open, mayBeMissing, ...inDoubt }
        launch(session, { ...conversationOf(session), attach })
      }
      running.takenUp()
    },
    async recheck(ask, answer) {
      return (await running.found(ask.sessionId))?.recheck?.(ask, answer)
    },

    async close() {
      unsubscribe()
      unsubscribeLost()
      launches.close()
      idle.close()
      parking.close()
      await running.detachAll()
    },
  }
}

/** What a driver needs to go on with the conversation. */
function conversationOf({ vendorSessionId }: Session): { resume?: string } {
  return vendorSessionId === undefined ? {} : { resume: vendorSessionId }
}
