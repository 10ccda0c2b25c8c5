import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { paths } from '@holdpoint/schema/paths'
import type { Snapshot } from '@holdpoint/schema/stream'
import { type AskNoticesById, noticesOf, withEvent } from './ask-notices.ts'
import { createCalls, mapped } from './calls.ts'
import { fold, openAsks, viewsOf } from './fold.ts'
import { gatewayCalls } from './gateway-calls.ts'
import type { GatewayClient, GatewayState, SettledAsk } from './gateway-client.ts'
import { createLink } from './link.ts'
import { createListeners, createNotifier } from './notifier.ts'
import { createPartialTexts } from './partial-texts.ts'
import { createThread, type FedThread } from './thread.ts'
import { systemTimers, type Timers } from './timers.ts'
import type { Transport, Wire } from './transport.ts'

/** Shorter than for other calls: a second try does no harm, and somebody is waiting. */
const ANSWER_DEADLINE_MS = 10_000
const SETTLED_KEPT = 100
/** How long an ask that a rule may have settled is kept back: its outcome is in the next frame. */
const HOLD_MS = 100
/** Let go together: each time, all that is drawn below them moves. */
const LET_GO_TOGETHER = 20

export interface GatewayClientOptions {
  readonly transport: Wire | Transport
  /** Tells when the machine or the page may have slept: in a browser `onWake` of `browser-signals`. */
  readonly onWake?: (listener: () => void) => () => void
  readonly timers?: Timers
  readonly random?: () => number
}

/** Connects at once, and stays connected until it is closed. */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { transport, timers = systemTimers, random = Math.random } = options
  const closing = new AbortController()
  const closed = closing.signal
  const listeners = createListeners()
  const partialTexts = createPartialTexts()
  const threads = new Set<FedThread>()
  const sightings = new Set<AskId>()
  let views = new Map<SessionId, SessionView>()
  /** Asks that nobody is told of yet, and how to stop waiting for their outcome. */
  const held = new Map<AskId, () => void>()
  /** Open asks that were dropped from sight without an outcome. */
  let unresolved: readonly Ask[] = []
  let settled: readonly SettledAsk[] = []
  let notices: AskNoticesById = new Map()
  let ruleChanges = 0
  let machineChanges = 0
  let state: GatewayState = {
    link: 'connecting',
    sessions: new Map(),
    asks: [],
    settled,
    queues: new Map(),
    notices,
    undelivered: new Set(),
    ruleChanges,
    machineChanges,
  }
  const notifier = createNotifier({
    timers,
    publish() {
      state = picture(state)
      listeners.notify()
    },
  })
  const calls = createCalls({ transport, timers, random, closed, onUnauthorized: () => link.loggedOut() })
  const link = createLink({
    transport,
    timers,
    random,
    handlers: {
      onSnapshot,
      onEvent,
      onLive(event) {
        if (partialTexts.onLive(event)) for (const thread of threadsOf(event.sessionId)) thread.onPartial()
      },
      onPolicyChanged: rulesChanged,
      onMachinesChanged() {
        machineChanges += 1
        notifier.changed()
      },
      onPartial(events) {
        partialTexts.replace(events)
        for (const thread of threads) thread.onPartial()
      },
      onDrop() {
        unresolved = [...unresolved, ...openAsks(views)]
        views = new Map()
        notices = new Map()
        partialTexts.replace([])
        for (const thread of threads) thread.onGap()
        notifier.changed()
      },
      onState(next) {
        if (next === 'logged-out') {
          unresolved = []
          settled = []
        }
        if (next === 'live') {
          // They may have changed while nobody told us.
          ruleChanges += 1
          machineChanges += 1
          calls.hurry()
          for (const thread of threads) thread.onLive()
        }
        notifier.changed()
      },
    },
  })

  function onSnapshot(snapshot: Snapshot) {
    const next = viewsOf(snapshot)
    const gone = [...unresolved, ...openAsks(views)].filter((ask) => !next.get(ask.sessionId)?.asks.has(ask.id))
    views = next
    notices = noticesOf(snapshot)
    unresolved = []
    for (const thread of threads) thread.onGap()
    notifier.changed()
    // Only a close calls this off.
    if (gone.length > 0) learnOutcomes(gone.slice(-SETTLED_KEPT)).catch(() => {})
  }

  function rulesChanged() {
    ruleChanges += 1
    notifier.changed()
  }

  function onEvent(event: DurableEvent, seq: number) {
    if (event.type === 'rule-added' || event.type === 'rule-removed') rulesChanged()
    const view = views.get(event.sessionId)
    const next = fold(view, event)
    // One that a rule settled as it was raised never was anybody's to answer: no card, no sound, no line.
    if (event.type === 'ask-settled' && !release(event.askId)) noteSettled(view?.asks.get(event.askId), event.outcome)
    partialTexts.onEvent(event)
    for (const thread of threadsOf(event.sessionId)) thread.onEvent(event, seq)
    const noticed = withEvent(notices, event, (id) => next.asks.has(id))
    const isNoticed = noticed !== notices
    notices = noticed
    if (next === view) return isNoticed ? notifier.changed() : undefined
    views.set(event.sessionId, next)
    if (event.type === 'ask-raised' && mayBeRuled(event.ask)) return hold(event.ask.id)
    notifier.changed({ isUrgent: event.type === 'ask-raised' })
  }

  function hold(id: AskId) {
    const show = () => {
      release(id)
      notifier.changed({ isUrgent: true })
    }
    held.set(id, timers.after(HOLD_MS, show))
  }

  /** Whether it was held. */
  function release(id: AskId): boolean {
    held.get(id)?.()
    return held.delete(id)
  }

  function noteSettled(ask: Ask | undefined, outcome: Outcome) {
    if (!ask || settled.some((known) => known.ask.id === ask.id)) return
    const kept = settled.length < SETTLED_KEPT ? settled : settled.slice(LET_GO_TOGETHER)
    settled = [...kept, { ask, outcome }]
    sightings.delete(ask.id)
    notifier.changed()
  }

  /** They were settled while nobody told us: their cards still have to say how. */
  async function learnOutcomes(gone: readonly Ask[]): Promise<void> {
    for (const ask of gone) {
      const found = await calls.call(paths.asks.read, { params: { id: ask.id } })
      if (found.ok && found.value.outcome) noteSettled(ask, found.value.outcome)
    }
  }

  function threadsOf(sessionId: SessionId): FedThread[] {
    return [...threads].filter((thread) => thread.sessionId === sessionId)
  }

  /** What has not changed stays the same object, so that nobody draws it again. */
  function picture(last: GatewayState): GatewayState {
    const linkState = link.state()
    const sessions = new Map([...views].map(([id, { session }]) => [id, session]))
    const waiting = [...views.values()].filter(({ session, queue }) => session.state !== 'dead' && queue.length > 0)
    const queues = new Map(waiting.map(({ session, queue }) => [session.id, queue]))
    const asks = openAsks(views).filter(({ id }) => !held.has(id))
    const undelivered = new Set([...views.values()].flatMap((view) => [...view.undelivered.keys()]))
    return {
      link: linkState,
      ...(linkState === 'stale' && { staleSince: last.staleSince ?? link.heardAt() }),
      ...(link.isForeign() && { notTheGateway: true as const }),
      sessions: sameMap(last.sessions, sessions) ? last.sessions : sessions,
      asks: sameList(last.asks, asks) ? last.asks : asks,
      settled,
      notices,
      undelivered: sameList([...last.undelivered], [...undelivered]) ? last.undelivered : undelivered,
      queues: sameMap(last.queues, queues) ? last.queues : queues,
      ruleChanges,
      machineChanges,
    }
  }

  const answer: GatewayClient['answer'] = async (ask, given, { signal, attempts } = {}) => {
    const call = { params: { id: ask.id }, body: { ...given, digest: ask.digest } }
    const result = await calls.retry(paths.asks.answer, call, {
      signal,
      deadlineMs: ANSWER_DEADLINE_MS,
      // What stands between may have cut the reply.
      isComplete: (value) => value?.outcome !== undefined,
      ...(attempts !== undefined && { attempts }),
    })
    return mapped(result, ({ outcome }) => outcome)
  }

  const client: GatewayClient = {
    ...('submitAnswers' in transport && { transport }),
    ...gatewayCalls(calls),
    subscribe: listeners.subscribe,
    getState: () => state,
    reconnect() {
      calls.hurry()
      link.reconnect()
    },
    setInFront: link.setInFront,
    close() {
      forgetWakes()
      for (const id of [...held.keys()]) release(id)
      link.close()
      closing.abort()
      for (const thread of [...threads]) thread.close()
      notifier.close()
      listeners.clear()
    },
    answer,
    answerAll: (answers) =>
      Promise.all(answers.map(async ({ ask, answer: given }) => ({ ask, result: await answer(ask, given) }))),
    seen(ask) {
      if (closed.aborted || sightings.has(ask.id)) return
      sightings.add(ask.id)
      calls.call(paths.asks.seen, { params: { id: ask.id } }).then(
        (result) => {
          if (!result.ok && result.code === 'unreachable') sightings.delete(ask.id)
        },
        () => {},
      )
    },
    thread(sessionId) {
      const thread = createThread({
        sessionId,
        calls,
        timers,
        partial: () => partialTexts.of(sessionId),
        asks: () => [
          ...settled.flatMap(({ ask, outcome }) => (ask.sessionId === sessionId ? [{ ...ask, outcome }] : [])),
          ...(views.get(sessionId)?.asks.values() ?? []),
        ],
        onClose: (gone) => void threads.delete(gone),
      })
      threads.add(thread)
      return thread
    },
    async login(code, name) {
      const body = { code, ...(name !== undefined && { name }) }
      const result = await calls.call(paths.account.login, { body })
      if (result.ok) link.restart()
      return mapped(result, () => undefined)
    },
    async logout() {
      const result = await calls.call(paths.account.logout, {})
      if (result.ok) link.loggedOut()
      return mapped(result, () => undefined)
    },
  }
  const forgetWakes = options.onWake?.(client.reconnect) ?? (() => {})
  link.open()
  return client
}

/** A gateway with rules says of each approval why it asks, unless a rule settles it in the same commit. */
function mayBeRuled({ kind, askedBecause, raisedBy }: Ask): boolean {
  return kind === 'approval' && askedBecause === undefined && raisedBy === undefined
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index])
}

function sameMap(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  return a.size === b.size && [...b].every(([key, value]) => a.get(key) === value && a.has(key))
}
