import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { NewId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session, SessionError } from '@holdpoint/schema/session'
import { ASKS_PER_SECOND } from './ask-rate.ts'
import { type Broker, MAX_INPUT_LENGTH, type RaiseRefusal, withdrawAll } from './broker.ts'
import type { Clock } from './clock.ts'
import type { AgentDriver, AgentEvent, AgentRun, Attachment, DriverStart, OutgoingMessage } from './driver.ts'
import { DriverError } from './driver.ts'
import type { Decision, Ledger } from './ledger.ts'
import { MAX_OPEN_ASKS, MAX_OPEN_SIZE, MAX_OPEN_SIZE_IN_ALL } from './open-room.ts'
import { isChanged, type SessionView } from './session-view.ts'
import { type Store, StoreFault } from './store.ts'
import { judge } from './watch.ts'

export interface RunDeps {
  readonly ledger: Ledger
  readonly broker: Broker
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly publishLive: (event: LiveEvent) => void
  /** Tells the log of the process, not of the session, that something went wrong. */
  readonly warn: (message: string, details: Record<string, unknown>) => void
}

/** A session with its agent process, for as long as the process lives and this gateway holds it. */
export interface RunningSession {
  readonly epoch: number
  readonly run: Promise<AgentRun | undefined>
  /** Hands the next queued message to the agent if it is waiting for one. */
  pump(): Promise<void>
  /** Ends the agent, if it is there. Does not wait. */
  stop(): void
  detach(): Promise<void>
  /** Settles when the session has ended or was left to the next gateway. */
  readonly over: Promise<void>
}

const RETRY_MS = 1000
const NOTICE_EVERY_MS = 60_000
/** What the agent is told where there is no more to say. */
const NOT_ASKED = {
  'no-such-session': 'nobody was asked: this session is not known any more',
  'wrong-epoch': 'nobody was asked: another agent process has taken up this session',
  'session-ended': 'nobody was asked: this session has ended',
  'session-frozen': 'nobody was asked: this session is stopped until a person has looked at it',
  'duplicate-request': 'nobody was asked: another call had the same request id',
} as const satisfies Partial<Record<RaiseRefusal, string>>
const millions = (count: number) => `${count / 1_000_000} million`

export function runSession(
  deps: RunDeps,
  options: {
    session: Session
    driver: AgentDriver
    resume?: string
    attach?: Attachment
  },
): RunningSession {
  const { ledger, broker } = deps
  const { session, driver } = options
  const { id: sessionId, epoch } = session
  const left = new AbortController()
  let ready = false
  const quietUntil = new Map<RaiseRefusal, number>()
  /** Whether people know that there is no room for more asks. */
  let isFull = false
  /** By request: a yes that went to the agent, which has told nothing since of what came of it. */
  const unreported = new Map<string, Pick<Ask, 'title' | 'toolUseId'> & Pick<Outcome, 'kind'>>()
  /** Asks whose outcome has not come to us yet, though it may be on record. */
  const waiting = new Set<Ask>()

  const start: DriverStart = {
    sessionId,
    epoch,
    cwd: session.cwd,
    permissionMode: session.permissionMode,
    gate: session.gate,
    onTimeout: session.onTimeout,
    ...(session.model !== undefined && { model: session.model }),
    trusted: session.trusted,
    isTrusted: () => ledger.views().get(sessionId)?.session.trusted ?? false,
    ...(options.resume !== undefined && { resume: options.resume }),
    ...(options.attach && { attach: options.attach }),
    emit,
    live: (event) => deps.publishLive({ ...event, sessionId } as LiveEvent),
    ask,
    answeredElsewhere: (requestId, answer) =>
      persist(() => broker.answeredElsewhere({ sessionId, epoch, requestId, answer })),
    delivered: (requestIds) => note(() => broker.delivered({ sessionId, epoch, requestIds })),
    reattached: (requests) => {
      // What is open now: should the record have to wait, asks raised in the meantime are none of its business.
      const among = [...(ledger.views().get(sessionId)?.asks.keys() ?? [])]
      note(() => broker.reattached({ sessionId, epoch, among, ...requests }))
    },
    ran,
  }

  function note(record: () => Promise<unknown>) {
    persist(record).catch((error: unknown) => {
      deps.warn('something was not recorded', { sessionId, error: String(error) })
    })
  }

  function reported(toolUseId: string) {
    for (const [requestId, yes] of unreported) if (yes.toolUseId === toolUseId) unreported.delete(requestId)
  }

  async function emit(events: readonly AgentEvent[], checkpoint?: number) {
    if (events.some((event) => event.type === 'ready')) ready = true
    // Plain output can wait for company: until it is committed, the host has it.
    const pace = events.every((event) => event.type === 'item') ? 'patient' : undefined
    await ledger.transact(sessionId, (view, at) => decideEmit(view, at, events, checkpoint), pace)
    for (const event of events) {
      if (event.type === 'item' && event.item.type === 'tool-result') reported(event.item.toolUseId)
      if (event.type === 'turn-ended') unreported.clear()
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
    events: readonly AgentEvent[],
    checkpoint: number | undefined,
  ): Decision<undefined> {
    if (!isCurrent(view)) return { events: [], result: undefined }
    // Offered again after a commit in doubt that turned out to be one.
    const known = checkpoint !== undefined && checkpoint <= ledger.checkpoint(sessionId)
    if (known) return { events: [], result: undefined }
    const out: DurableEvent[] = events.flatMap((event) => translate(view, at, event))
    return { events: out, result: undefined, ...(checkpoint !== undefined && { checkpoint }) }
  }

  function isCurrent(view: SessionView | undefined): view is SessionView {
    return view?.session.epoch === epoch && view.session.state !== 'dead'
  }

  function translate(view: SessionView, at: number, event: AgentEvent): DurableEvent[] {
    const change = (changes: Extract<DurableEvent, { type: 'session-changed' }>['changes']): DurableEvent[] => [
      { type: 'session-changed', sessionId, at, changes },
    ]
    switch (event.type) {
      case 'ready':
        return view.session.state === 'starting' && view.queue.length === 0 ? change({ state: 'user_turn' }) : []
      case 'identified': {
        const { vendorSessionId, model } = event
        const known = view.session.vendorSessionId === vendorSessionId && (!model || view.session.model === model)
        return known ? [] : change({ vendorSessionId, ...(model && { model }) })
      }
      case 'mode-changed':
        return view.session.permissionMode === event.permissionMode
          ? []
          : change({ permissionMode: event.permissionMode })
      case 'titled':
        return view.session.title === event.title ? [] : change({ title: event.title })
      case 'item': {
        const item = { ...event.item, id: deps.newId('itm'), at } as Item
        return [{ type: 'item-added', sessionId, at, item }]
      }
      case 'turn-started':
        return view.session.state === 'assistant_turn' ? [] : change({ state: 'assistant_turn' })
      case 'turn-ended':
        return view.session.state === 'assistant_turn' ? change({ state: 'user_turn' }) : []
      case 'may-wait':
        return (view.session.mayWait ?? false) === event.mayWait ? [] : change({ mayWait: event.mayWait })
      default:
        return event satisfies never
    }
  }

  async function ask(...[first, { signal, renew }]: Parameters<DriverStart['ask']>) {
    for (let request = first; ; ) {
      const outcome = await askOnce(request, signal)
      if (!renew || !isChanged(outcome)) return outcome
      const next = await renew()
      if ('refusal' in next) throw new DriverError('not-asked', next.refusal)
      // The same call, whatever it is made of now: never two open asks for one request.
      request = { ...next, requestId: first.requestId }
    }
  }

  async function askOnce(request: AskRequest, signal: AbortSignal) {
    const raised = await broker.raise({ sessionId, epoch, request }).catch((error: unknown) => {
      // The agent is told no. Should the ask turn out to be on record all the same, nobody waits behind it.
      note(() => broker.refused({ sessionId, epoch, requestId: request.requestId }))
      throw error
    })
    if (!raised.ok) throw notTaken(raised.refusal, request)
    isFull = false
    const given = (outcome: Outcome) => {
      const { title, toolUseId } = raised.ask
      if (isYes(outcome)) unreported.set(request.requestId, { title, toolUseId, kind: outcome.kind })
      return outcome
    }
    if (raised.outcome) return given(raised.outcome)
    const withdraw = () => {
      persist(() => broker.withdraw(raised.ask.id, 'agent-cancelled')).catch((error: unknown) => {
        deps.warn('a withdrawal was not recorded', { askId: raised.ask.id, error: String(error) })
      })
    }
    signal.addEventListener('abort', withdraw, { once: true })
    if (signal.aborted) withdraw()
    waiting.add(raised.ask)
    try {
      return given(await broker.outcome(raised.ask.id, { signal: left.signal }))
    } finally {
      waiting.delete(raised.ask)
      signal.removeEventListener('abort', withdraw)
    }
  }

  function notTaken(refusal: RaiseRefusal, request: AskRequest): DriverError {
    if (refusal === 'changed-since') {
      return new DriverError(refusal, 'what it would act on has changed since it was allowed: call again')
    }
    if (refusal === 'too-fast') return tooFast()
    if (refusal === 'too-much-open' || refusal === 'too-many-open') return noRoom(refusal)
    const tool = request.tool?.name.slice(0, 100) ?? request.kind
    if (refusal === 'duplicate-request')
      tellOnceAMinute(refusal, `${tool} was refused without asking you: another call had the same request id.`)
    if (refusal !== 'too-large') return new DriverError(refusal, NOT_ASKED[refusal])
    const limit = `more than ${MAX_INPUT_LENGTH.toLocaleString('en')} characters, which no person can be shown`
    const text = `${tool} was refused without asking you: its input has ${limit}.`
    // A person has to hear of it too: from where they sit, nothing was asked.
    note(() => emit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]))
    return new DriverError(refusal, `the input has ${limit}; split it into smaller calls`)
  }

  function tooFast(): DriverError {
    tellOnceAMinute(
      'too-fast',
      `The agent asks faster than anybody can answer. What goes beyond ${ASKS_PER_SECOND} asks a second is refused without asking you.`,
    )
    return new DriverError('too-fast', 'too many calls in a short time ask for permission: stop and think')
  }

  /** An agent in a loop would fill the thread with it. */
  function tellOnceAMinute(refusal: RaiseRefusal, text: string) {
    const now = deps.clock.monotonic()
    if (now < (quietUntil.get(refusal) ?? now)) return
    quietUntil.set(refusal, now + NOTICE_EVERY_MS)
    note(() => emit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]))
  }

  /** An agent that has more and more to ask is told each time; people once, until an ask is taken again. */
  function noRoom(refusal: RaiseRefusal): DriverError {
    const sizes = `${millions(MAX_OPEN_SIZE)} characters in a session, ${millions(MAX_OPEN_SIZE_IN_ALL)} in all`
    const limits = refusal === 'too-many-open' ? `${MAX_OPEN_ASKS} asks of one agent` : sizes
    const text = `Calls were refused without asking you: as much waits for an answer already as may (${limits}). Answer some of it.`
    if (!isFull) note(() => emit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]))
    isFull = true
    return new DriverError(
      refusal,
      'too much waits for a person already, so nobody was asked; wait until some of it is answered, then try again',
    )
  }

  /** An alarm that the store does not take at once is tried again: the agent does not tell it twice. */
  async function ran(tool: Parameters<DriverStart['ran']>[0]) {
    reported(tool.toolUseId)
    await persist(() => compare(tool))
  }

  async function compare(tool: Parameters<DriverStart['ran']>[0]) {
    const { toolUseId, requestId } = tool
    const record = await (requestId === undefined
      ? deps.store.askByToolUse({ sessionId, epoch, toolUseId })
      : deps.store.askByRequest({ sessionId, epoch, requestId }))
    const known = ledger.views().get(sessionId)
    const wrong = record?.outcome?.kind === 'allowed' ? await driver.whyNotAsShown?.(record.ask, tool) : undefined
    // Nearly always: nothing to record, so nothing to commit.
    if (!known || !judge(known.session, record, tool, driver, wrong)) return
    const frozen = await ledger.transact(sessionId, (view, at) => {
      const alarm = isCurrent(view) ? judge(view.session, record, tool, driver, wrong) : undefined
      if (!alarm || !view) return { events: [], result: false }
      const events: DurableEvent[] = [
        { type: 'alarm', sessionId, at, ...alarm },
        ...withdrawAll(view, at, 'interrupted'),
      ]
      return { events, result: true }
    })
    if (frozen) interrupt()
  }

  /** Not waited for: nothing in a frozen session is allowed any more, whether its agent stops or not. */
  function interrupt() {
    run
      .then((agent) => agent?.interrupt?.())
      .catch((error: unknown) => deps.warn('an agent could not be interrupted', { sessionId, error: String(error) }))
  }

  function stop() {
    run
      .then((agent) => agent?.stop())
      .catch((error: unknown) => deps.warn('an agent could not be stopped', { sessionId, error: String(error) }))
  }

  /** Never rejects: what is committed is committed, and whoever caused this has nothing to do with how it ends. */
  async function pump() {
    try {
      await handOver()
    } catch (error) {
      deps.warn('a message was not handed over', { sessionId, error: String(error) })
    }
  }

  async function handOver() {
    const agent = await run
    if (!agent?.send || !ready) return
    let chosen: string | undefined
    const decide = (view: SessionView | undefined, at: number): Decision<OutgoingMessage | undefined> => {
      const nothing = { events: [], result: undefined }
      if (!isCurrent(view)) return nothing
      // The last try was in doubt, and it did count: then it is this message that has to go out.
      if (chosen !== undefined && view.sent?.uuid === chosen) return { events: [], result: outgoing(view.sent) }
      const next = view.queue[0]
      const waits = view.session.state === 'user_turn' || view.session.state === 'starting'
      if (!waits || !next || view.session.frozen) return nothing
      chosen = next.uuid
      return {
        events: [
          { type: 'item-changed', sessionId, at, itemId: next.id, changes: { status: 'sent' } },
          { type: 'session-changed', sessionId, at, changes: { state: 'assistant_turn' } },
        ],
        result: outgoing(next),
      }
    }
    const message = await persist(() => ledger.transact(sessionId, decide))
    try {
      if (message) await agent.send(message)
    } catch (error) {
      // It counts as sent, so nothing would ever follow: better an end that says so than a session that hangs.
      await end('error', {
        code: 'message-failed',
        message: `The message could not be given to the agent: ${messageOf(error)}`,
      })
      stop()
    }
  }

  /** `orphaned` when the agent process is simply gone: nobody chose to end it. */
  function end(reason: string, error?: SessionError) {
    const orphaned = reason === 'agent-exited' || reason === 'agent-gone' || reason === 'host-gone'
    return persist(() =>
      ledger.transact(sessionId, (view, at) => {
        if (!isCurrent(view)) return { events: [], result: undefined }
        const events: DurableEvent[] = [
          ...withdrawAll(view, at, orphaned ? 'orphaned' : 'session-ended'),
          ...(orphaned || error ? unreportedAnswers(view, at) : []),
          { type: 'session-ended', sessionId, at, reason, ...(error && { error }) },
        ]
        return { events, result: undefined }
      }),
    )
  }

  /** The person who gave such an answer would take it for done. */
  function unreportedAnswers(view: SessionView, at: number): DurableEvent[] {
    const untaken = [...waiting].flatMap(({ id, title }) => {
      const settled = view.undelivered.get(id)
      return settled && isYes(settled) ? [{ title, kind: settled.kind }] : []
    })
    return [...unreported.values(), ...untaken].map(({ title, kind }) => {
      const text = `The agent ended before it told what came of this answer: ${kind}, ${title}. It may have run in part, or not at all.`
      const item: Item = { id: deps.newId('itm'), at, type: 'notice', level: 'error', text }
      return { type: 'item-added', sessionId, at, item }
    })
  }

  /** What has happened has to be recorded, however long the store is in trouble. */
  async function persist<Result>(record: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await record()
      } catch (error) {
        if (!(error instanceof StoreFault) || error.code === 'closed') throw error
        deps.warn('the record waits for the store', { sessionId, error: error.message })
        await pause()
      }
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => deps.clock.after(RETRY_MS, resolve))
  }

  let told = false
  /** The way to the agent is missing: whoever looks at the session has to know that nothing gets through. */
  function tellOnce(text: string) {
    if (told) return
    told = true
    note(() => emit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]))
  }

  async function launch(): Promise<AgentRun | undefined> {
    for (;;) {
      try {
        return await driver.start(start)
      } catch (error) {
        const code = error instanceof DriverError ? error.code : 'agent-failed'
        if (!(error instanceof DriverError)) deps.warn('a driver failed', { sessionId, error: String(error) })
        // We are leaving: what could not be started is for the next gateway to see to.
        if (left.signal.aborted) return undefined
        // The agent may well be there: it is the way to it that is missing.
        if (code === 'host-unavailable' && options.attach) {
          tellOnce(messageOf(error))
          await pause()
          if (isCurrent(ledger.views().get(sessionId)) && !left.signal.aborted) continue
          return undefined
        }
        await end(code === 'agent-gone' ? 'agent-gone' : 'error', { code, message: messageOf(error) })
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
    }
  })

  return {
    epoch,
    run,
    pump,
    stop,
    async detach() {
      left.abort(new DriverError('detached', 'the gateway is shutting down'))
      await (await run)?.detach()
    },
    over: over.catch((error: unknown) =>
      deps.warn('a session could not be ended', { sessionId, error: String(error) }),
    ),
  }
}

export function outgoing(item: {
  uuid?: string
  text: string
  attachments?: OutgoingMessage['attachments']
}): OutgoingMessage {
  return { uuid: item.uuid ?? '', text: item.text, attachments: item.attachments ?? [] }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isYes({ kind }: Pick<Outcome, 'kind'>): boolean {
  return kind === 'allowed' || kind === 'answered'
}
