import type { AskRequest } from '@holdpoint/schema/ask'
import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { NewId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session, SessionError } from '@holdpoint/schema/session'
import type { Broker } from './broker.ts'
import { hasBudget, whyOverBudget } from './budget.ts'
import { createCallComparison } from './call-comparison.ts'
import type { Clock } from './clock.ts'
import type { AgentDriver, AgentEvent, AgentRun, DriverStart, OutgoingMessage, Reattachment } from './driver.ts'
import { DriverError } from './driver.ts'
import { durableEvents, type NumberedEvent, numbered } from './durable-events.ts'
import type { Decision, Ledger } from './ledger.ts'
import { createRefusedRaises } from './refused-raises.ts'
import { isChanged, type SessionView } from './session-view.ts'
import { withdrawAll } from './settling.ts'
import type { Store, StoreFault } from './store.ts'
import { isClosed, pause, recordWithRetry } from './store-retry.ts'
import { limitIn } from './time-limits.ts'
import { afterSent, outgoing, TOLD_NOTICE, tells } from './unanswered.ts'
import { createUnreportedAnswers, type UnreportedAnswers } from './unreported-answers.ts'

export interface RunDeps {
  readonly ledger: Ledger
  readonly broker: Broker
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly publishLive: (event: LiveEvent) => void
  /**
   * Settles when a message may be handed to the agent. The session may have ended by then: the message stays in the queue
   * and is for its next life. Rejects if that cannot be told: the message stays in the queue as well.
   */
  readonly beforeTurn: (id: SessionId) => Promise<void>
  /** Whether a person has ended the agent of this life of the session while no gateway was there. */
  readonly wasStopped?: (session: Session) => boolean
  /** Tells the log of the process, not of the session, that something went wrong. */
  readonly warn: LogFunction
}

/** A session with its agent process, for as long as the process lives and this gateway holds it. */
export interface RunningSession {
  readonly epoch: number
  readonly run: Promise<AgentRun | undefined>
  /** Hands the next queued message to the agent if it is waiting for one. */
  pump(): Promise<void>
  /** Ends the agent, if it is there. Does not wait. Nothing more is handed to it. */
  stop(how?: 'now'): void
  detach(): Promise<void>
  /** For a session that is ended before its agent has told what came of a yes. */
  readonly unreportedAnswers: UnreportedAnswers['notices']
  /** Settles when the session has ended or was left to the next gateway, and every call that it reported was compared. */
  readonly over: Promise<void>
}

export function runSession(
  deps: RunDeps,
  options: {
    session: Session
    driver: AgentDriver
    resume?: string
    attach?: Reattachment
  },
): RunningSession {
  const { ledger, broker } = deps
  const { session, driver } = options
  const { id: sessionId, epoch } = session
  const left = new AbortController()
  const stopping = new AbortController()
  let ready = false
  const unreported = createUnreportedAnswers(deps.newId)
  const comparison = createCallComparison({ ...deps, session, driver, persist, interrupt })
  const refusedRaises = createRefusedRaises({ clock: deps.clock, tell: noteError })

  const start: DriverStart = {
    sessionId,
    epoch,
    cwd: session.cwd,
    permissionMode: session.permissionMode,
    gate: session.gate,
    onTimeout: (kind) => limitIn(session, kind).onTimeout,
    ...(session.model !== undefined && { model: session.model }),
    trusted: session.trusted,
    isTrusted: () => ledger.views().get(sessionId)?.session.trusted ?? false,
    ...(options.resume !== undefined && { resume: options.resume }),
    stopping: stopping.signal,
    ...(options.attach && { attach: options.attach }),
    emit,
    tryEmit: (events, checkpoint) => recording(events, checkpoint)(),
    live: (event) => deps.publishLive({ ...event, sessionId } as LiveEvent),
    ask,
    async judge(call, requestId) {
      // Only an agent that was taken over delivers a request twice.
      const isKnown = options.attach && requestId !== undefined
      if (isKnown && (await deps.store.askByRequest({ sessionId, epoch, requestId }))) return 'ask'
      await readUsage()
      const { effect } = await broker.judge(sessionId, call, driver.actionOf?.(call))
      return effect === 'none' && (await broker.isGranted(sessionId, call)) ? 'allow' : effect
    },
    answeredElsewhere: (requestId, answer) =>
      persist(() => broker.answeredElsewhere({ sessionId, epoch, requestId, answer })),
    async answered(requestId) {
      const record = await deps.store.askByRequest({ sessionId, epoch, requestId })
      if (!record?.outcome || record.outcome.kind === 'withdrawn') return undefined
      return record.delivered ? 'delivered' : 'undelivered'
    },
    delivered: (requestIds) => note(() => broker.delivered({ sessionId, epoch, requestIds })),
    reattached: (requests) => {
      // What is open now: asks that are raised while this waits for the store must not be withdrawn by it.
      const among = [...(ledger.views().get(sessionId)?.asks.keys() ?? [])]
      note(() => broker.reattached({ sessionId, epoch, among, ...requests }))
    },
    ran(tool) {
      unreported.reported(tool.toolUseId)
      return comparison.ran(tool)
    },
  }

  function note(record: () => Promise<unknown>) {
    persist(record).catch((error: unknown) => {
      deps.warn('event_not_recorded', { sessionId, error: String(error) })
    })
  }

  function noteError(text: string) {
    note(recording([{ type: 'item', item: { type: 'notice', level: 'error', text } }]))
  }

  async function emit(events: readonly AgentEvent[], checkpoint?: number) {
    try {
      await persist(recording(events, checkpoint), left.signal)
    } catch (error) {
      // The agent goes on without us: its driver must not take this for an output that cannot be recorded.
      if (left.signal.aborted || isClosed(error)) throw new DriverError('detached', 'the gateway is shutting down')
      throw error
    }
  }

  async function readUsage() {
    const view = ledger.views().get(sessionId)
    if (!view || !hasBudget(view.session)) return
    const reported = await (await run)?.usage?.()
    if (reported) await emit([{ type: 'usage', reported }])
  }

  /** One try to record this output. Called again, it records nothing that a commit in doubt has recorded. */
  function recording(events: readonly AgentEvent[], checkpoint?: number): () => Promise<void> {
    const output = numbered(events, deps.newId)
    const first = output.find((event) => event.type === 'item')
    let isRepeated = false
    return async () => {
      if (events.some((event) => event.type === 'ready')) ready = true
      // All of it is one commit: where its first item is on record, the rest is too.
      const isKnown = isRepeated && first && (await deps.store.item({ sessionId, id: first.id }))
      isRepeated = true
      // Plain output can wait for company: until it is committed, the host has it.
      const pace = events.every((event) => event.type === 'item') ? 'coalesce' : undefined
      if (!isKnown) await ledger.transact(sessionId, (view, at) => decideEmit(view, at, output, checkpoint), pace)
      await recorded(events)
    }
  }

  /** What follows from output once it is on record. */
  async function recorded(events: readonly AgentEvent[]) {
    for (const event of events) {
      if (event.type === 'item' && event.item.type === 'tool-result') unreported.reported(event.item.toolUseId)
      if (event.type === 'turn-ended') unreported.turnEnded()
    }
    const failure = events.find((event) => event.type === 'turn-ended' && event.error)
    if (failure?.type === 'turn-ended') {
      await end('error', failure.error)
      // Not waited for: the agent's end waits for this very output to be taken.
      stop()
    } else if (events.some((event) => event.type === 'ready' || event.type === 'turn-ended')) {
      await pump()
    }
  }

  function decideEmit(
    view: SessionView | undefined,
    at: number,
    output: readonly NumberedEvent[],
    checkpoint: number | undefined,
  ): Decision<undefined> {
    if (!isCurrent(view)) return { events: [], result: undefined }
    // Offered again after a commit in doubt that turned out to be one.
    const known = checkpoint !== undefined && checkpoint <= ledger.checkpoint(sessionId)
    if (known) return { events: [], result: undefined }
    const out: DurableEvent[] = output.flatMap((event) => durableEvents(event, view, at))
    return { events: out, result: undefined, ...(checkpoint !== undefined && { checkpoint }) }
  }

  /** Not once the agent is parked: its process goes, and the session stays as it is. */
  function isCurrent(view: SessionView | undefined): view is SessionView {
    return view?.session.epoch === epoch && view.session.state !== 'dead' && view.session.parkedAt === undefined
  }

  async function ask(...[first, { signal, renew, mayRuleAllow, disk }]: Parameters<DriverStart['ask']>) {
    for (let request = first; ; ) {
      // What has changed is looked up anew.
      const known = request === first ? disk : undefined
      const outcome = await askOnce(request, { signal, mayRuleAllow, disk: known })
      if (!renew || !isChanged(outcome)) return outcome
      const next = await renew()
      if ('refusal' in next) throw new DriverError('not-asked', next.refusal)
      // The same request id, though the content is new: never two open asks for one request.
      request = { ...next, requestId: first.requestId }
    }
  }

  async function askOnce(
    request: AskRequest,
    { signal, mayRuleAllow = false, disk }: Omit<Parameters<DriverStart['ask']>[1], 'renew'>,
  ) {
    const { tool, context } = request
    const does = tool && driver.actionOf?.({ tool, cwd: context.cwd })
    const call = { sessionId, epoch, request, mayRuleAllow, ...(does && { does }), ...(disk && { disk }) }
    const raised = await broker.raise(call).catch((error: unknown) => {
      // The agent is told no. If the ask is on record after all, it is withdrawn: no agent waits for its answer.
      note(() => broker.refused({ sessionId, epoch, requestId: request.requestId }))
      throw error
    })
    if (!raised.ok) throw refusedRaises.errorFor(raised.refusal, request)
    refusedRaises.taken()
    const given = (outcome: Outcome) => {
      unreported.given(raised.ask, outcome)
      return outcome
    }
    if (raised.outcome) return given(raised.outcome)
    const withdraw = () => {
      persist(() => broker.withdraw(raised.ask.id, 'agent-cancelled')).catch((error: unknown) => {
        deps.warn('withdrawal_not_recorded', { askId: raised.ask.id, error: String(error) })
      })
    }
    signal.addEventListener('abort', withdraw, { once: true })
    if (signal.aborted) withdraw()
    unreported.waits(raised.ask)
    try {
      return given(await broker.outcome(raised.ask.id, { signal: left.signal }))
    } finally {
      unreported.waitsNoLonger(raised.ask)
      signal.removeEventListener('abort', withdraw)
    }
  }

  /** Not waited for: nothing in a frozen session is allowed any more, whether its agent stops or not. */
  function interrupt() {
    run
      .then((agent) => agent?.interrupt?.())
      .catch((error: unknown) => deps.warn('agent_not_interrupted', { sessionId, error: String(error) }))
  }

  function stop(how?: 'now') {
    stopping.abort(new DriverError('stopped', 'The session ended before its agent was started.'))
    run
      .then((agent) => agent?.stop(how))
      .catch((error: unknown) => deps.warn('agent_stop_failed', { sessionId, error: String(error) }))
  }

  /** Never rejects: the caller's own change is committed, and does not fail because this does. */
  async function pump() {
    try {
      await handOver()
    } catch (error) {
      deps.warn('message_not_delivered', { sessionId, error: String(error) })
    }
  }

  async function handOver() {
    const agent = await run
    if (!agent?.send || !ready || !ledger.views().get(sessionId)?.queue.length) return
    // Not longer than the session lives: the agent's end may wait for us.
    await Promise.race([deps.beforeTurn(sessionId), aborted(stopping.signal)])
    let chosen: string | undefined
    const decide = (view: SessionView | undefined, at: number): Decision<OutgoingMessage | undefined> => {
      const nothing = { events: [], result: undefined }
      if (!isCurrent(view)) return nothing
      // The last try was in doubt, and it did count: then it is this message that has to go out.
      if (chosen !== undefined && view.sent?.uuid === chosen)
        return { events: [], result: outgoing(view.session, view.sent) }
      const next = view.queue[0]
      const waits = view.session.state === 'user_turn' || view.session.state === 'starting'
      if (!waits || !next || view.session.frozen || whyOverBudget(view.session)) return nothing
      chosen = next.uuid
      const told: DurableEvent[] = tells(view.session, next)
        ? [{ type: 'item-added', sessionId, at, item: notice(TOLD_NOTICE, at) }]
        : []
      return {
        events: [
          ...told,
          { type: 'item-changed', sessionId, at, itemId: next.id, changes: { status: 'sent' } },
          { type: 'session-changed', sessionId, at, changes: { state: 'assistant_turn' } },
        ],
        result: outgoing(afterSent(view.session, next), next),
      }
    }
    const message = await persist(() => ledger.transact(sessionId, decide))
    try {
      if (message) await agent.send(message)
    } catch (error) {
      // It counts as sent, so nothing would ever follow: better an end that says so than a session that hangs.
      await end('error', {
        code: 'message-failed',
        message: `The message could not be delivered to the agent: ${messageOf(error)}`,
      })
      stop()
    }
  }

  function notice(text: string, at: number): Item {
    return { id: deps.newId('itm'), at, type: 'notice', level: 'info', text }
  }

  /** `orphaned` when the agent process is simply gone: nobody chose to end it. */
  function end(reason: string, error?: SessionError) {
    const orphaned = reason === 'agent-exited' || reason === 'agent-gone' || reason === 'host-gone'
    return persist(() =>
      ledger.transact(sessionId, (view, at) => {
        if (!isCurrent(view)) return { events: [], result: undefined }
        const events: DurableEvent[] = [
          ...withdrawAll(view, at, orphaned ? 'orphaned' : 'session-ended'),
          ...(orphaned || error ? unreported.notices(view, at) : []),
          { type: 'session-ended', sessionId, at, reason, ...(error && { error }) },
        ]
        return { events, result: undefined }
      }),
    )
  }

  function persist<Result>(record: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const onFault = (fault: StoreFault) => deps.warn('record_waits_for_store', { sessionId, error: fault.message })
    return recordWithRetry(record, { clock: deps.clock, onFault, ...(signal && { signal }) })
  }

  let told = false
  /** The agent cannot be reached: people who follow the session have to know that nothing gets through. */
  function tellOnce(text: string) {
    if (told) return
    told = true
    noteError(text)
  }

  async function launch(): Promise<AgentRun | undefined> {
    for (;;) {
      try {
        return await driver.start(start)
      } catch (error) {
        const code = error instanceof DriverError ? error.code : 'agent-failed'
        if (!(error instanceof DriverError)) deps.warn('driver_failed', { sessionId, error: String(error) })
        // We are leaving: what could not be started is for the next gateway to see to.
        if (left.signal.aborted) return undefined
        // The agent may well be there: it is the way to it that is missing.
        if (code === 'host-unavailable' && options.attach) {
          tellOnce(messageOf(error))
          await pause(deps.clock)
          if (isCurrent(ledger.views().get(sessionId)) && !left.signal.aborted) continue
          return undefined
        }
        if (code === 'agent-gone' && deps.wasStopped?.(session)) await end('all-stopped')
        else await end(code === 'agent-gone' ? 'agent-gone' : 'error', { code, message: messageOf(error) })
        return undefined
      }
    }
  }

  const run = launch()
  const over = run.then(async (agent) => {
    const how = await agent?.done
    try {
      if (how && how !== 'detached') await end(how.reason, how.error)
    } finally {
      left.abort(new DriverError('agent-gone', 'the agent is gone'))
      await comparison.settled()
    }
  })

  return {
    epoch,
    run,
    pump,
    stop,
    unreportedAnswers: unreported.notices,
    async detach() {
      left.abort(new DriverError('detached', 'the gateway is shutting down'))
      await (await run)?.detach()
    },
    over: over.catch((error: unknown) => deps.warn('session_not_ended', { sessionId, error: String(error) })),
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
