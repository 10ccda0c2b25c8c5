import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, NewId, SessionId } from '@holdpoint/schema/id'
import type { Actor, Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import { callText, digestText, outcomeKind, type Refusal, recordedAnswer, refuse } from './ask-machine.ts'
import { createAskRate } from './ask-rate.ts'
import type { Clock } from './clock.ts'
import { createExpiry } from './expiry.ts'
import { type Decision, type Ledger, LedgerConflict } from './ledger.ts'
import { askerOf, createOpenRoom, MAX_OPEN_ASKS, openOfAsker } from './open-room.ts'
import { matchingRule, rememberOf, ruleFor } from './remembering.ts'
import { requestKey } from './request-key.ts'
import { isChanged, type SessionView } from './session-view.ts'
import type { AskRecord, Store } from './store.ts'
import { createWaiters } from './waiters.ts'

export interface AnswerCall {
  readonly askId: AskId
  readonly answer: Answer
  readonly actor: Actor
  /** The surface the answer came from. */
  readonly via: string
  /** What ties the answer to what was shown; `id` only for protocols that carry no digest. */
  readonly bound?: 'digest' | 'id'
  /** Says, at the moment of the commit, whether this actor may still answer (I8). */
  readonly mayAnswer: (sessionId: SessionId) => 'yes' | 'no' | 'hidden'
  /** Tells a retry from a second answer. */
  readonly retryKey?: string
}

export type AnswerResult = { ok: true; outcome: Outcome } | { ok: false; refusal: Refusal }

export interface RaiseCall {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly request: AskRequest
  /** The credential of a program, where it came over the API. */
  readonly raisedBy?: Pick<Device, 'id' | 'name'>
}

/** A raise that was not taken: nothing was recorded and nobody will answer. The agent's call must be refused. */
export type RaiseRefusal =
  | 'no-such-session'
  | 'wrong-epoch'
  | 'session-ended'
  | 'session-frozen'
  | 'duplicate-request'
  /** It was allowed, and what it would act on has changed before the agent heard of it. */
  | 'changed-since'
  | 'too-many-open'
  | 'too-fast'
  | 'too-much-open'
  | 'too-large'
export type RaiseResult = { ok: true; ask: Ask; outcome?: Outcome } | { ok: false; refusal: RaiseRefusal }

export interface Broker {
  /**
   * Records the ask, once for one (session, epoch, request id), and lets rules settle it. One that was withdrawn as
   * changed does not count: the call asks again. One that is open for the same call, with other files or another plan,
   * is withdrawn as changed here.
   */
  raise(call: RaiseCall): Promise<RaiseResult>
  /** Waits for the outcome of an ask that was raised. Aborting stops the waiting and changes nothing. */
  outcome(askId: AskId, options: { signal: AbortSignal }): Promise<Outcome>
  answer(call: AnswerCall): Promise<AnswerResult>
  /** Takes an open ask back. Of no effect on one that is settled; says how it stands then. */
  withdraw(askId: AskId, reason: WithdrawReason): Promise<Outcome | undefined>
  /** A person has seen the ask. Says whether there was such an ask. */
  seen(askId: AskId, actor: Actor): Promise<boolean>
  /** The agent process got the outcome. */
  delivered(requests: { sessionId: SessionId; epoch: number; requestIds: readonly string[] }): Promise<void>
  /**
   * A new gateway has found the agent again: these requests it still waits on, those it was answered. Asks that are
   * open here and in neither list were taken back while nobody listened.
   */
  reattached(requests: {
    sessionId: SessionId
    epoch: number
    open: readonly string[]
    answered: readonly string[]
    /** The asks that were open when it was found. */
    among: readonly AskId[]
  }): Promise<void>
  /** The agent was told no because its ask could not be recorded. Should it be on record after all, it is withdrawn. */
  refused(request: { sessionId: SessionId; epoch: number; requestId: string }): Promise<void>
  /** The agent was answered where it runs. The ask, if it is open, is withdrawn with what was chosen there. */
  answeredElsewhere(request: {
    sessionId: SessionId
    epoch: number
    requestId: string
    answer: Readonly<Record<string, unknown>> | undefined
  }): Promise<Outcome | undefined>
  find(askId: AskId): Promise<AskRecord | undefined>
  /** Takes up what a restart left: timers of open asks. */
  resume(): void
  close(): void
}

export interface BrokerDeps {
  readonly ledger: Ledger
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly sha256: (text: string) => string
  /** Why the agent cannot be given this answer just now, if it cannot. The ask stays open. */
  readonly recheck?: (ask: Ask, answer: Answer) => Promise<string | undefined>
  /** What an allow would act on and is not as it was shown, if so. The ask is withdrawn as changed. */
  readonly whatChanged?: (ask: Ask, answer: Answer) => Promise<string | undefined>
}

/**
 * Characters of a tool's input as JSON (F34, I10). Whoever opens the card gets it whole: a phone must be able to load it.
 * Real calls that write a file of a megabyte fit.
 */
export const MAX_INPUT_LENGTH = 2_000_000
/** The same for the whole ask: the input, and what a driver makes of it, such as a diff. */
const MAX_ASK_LENGTH = 4 * MAX_INPUT_LENGTH

export function createBroker(deps: BrokerDeps): Broker {
  const { ledger, store, clock } = deps
  const waiters = createWaiters<AskId, Outcome>()
  const sessionOf = new Map<AskId, SessionId>()
  /** Requests whose agent was told no, until that is on record: nothing else may be decided about them. */
  const refusedRequests = new Set<string>()
  /** Apart: a program that floods a session must not keep its agent from asking. */
  const rates = { agent: createAskRate(clock), program: createAskRate(clock) }
  const room = createOpenRoom()
  const expiry = createExpiry({ clock, expire: (ask) => void expire(ask) })

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'ask-raised') track(event.ask)
      if (event.type === 'session-ended') {
        for (const rate of Object.values(rates)) rate.forget(event.sessionId)
        expiry.forgetSession(event.sessionId)
      }
      if (event.type === 'ask-settled') {
        room.remove(event.askId)
        sessionOf.delete(event.askId)
        expiry.forget(event.askId, isChanged(event.outcome))
        waiters.resolve(event.askId, event.outcome)
      }
    }
  })

  function track(ask: Ask) {
    sessionOf.set(ask.id, ask.sessionId)
    room.add(ask)
    expiry.watch(ask)
  }

  async function expire(ask: Ask) {
    try {
      await ledger.transact(ask.sessionId, (view, at) =>
        settleIfOpen(view, ask.id, { kind: 'expired', at, via: 'gateway' }),
      )
    } catch {
      // The store is in trouble: the ask stays open, and is tried again, for an expiry never turns into anything else.
      expiry.again(ask)
    }
  }

  async function raise(given: RaiseCall): Promise<RaiseResult> {
    // A copy, now: whatever the caller does to its object later, what is shown, stored and allowed is this (T21).
    const text = JSON.stringify(given.request)
    const call: RaiseCall = { ...given, request: JSON.parse(text) as AskRequest }
    const key = { sessionId: call.sessionId, epoch: call.epoch, requestId: call.request.requestId }
    const isTooLarge = text.length > MAX_ASK_LENGTH || inputLength(call.request) > MAX_INPUT_LENGTH
    const known = await store.askByRequest(key)
    const settled = known && stands(known) ? sameAsk(known, call) : undefined
    if (settled) return settled
    if (isTooLarge) return { ok: false, refusal: 'too-large' }
    // Not for a request that is on record: an agent delivers one as often as gateways come and go.
    if (!known && ledger.views().has(call.sessionId) && !rates[askerOf(call)].take(call.sessionId))
      return { ok: false, refusal: 'too-fast' }
    try {
      const raised = await ledger.transact(call.sessionId, (view, at) => decideRaise(view, at, call, known?.ask))
      return raised ?? (await raise(call))
    } catch (error) {
      // Raised by another gateway at the same moment: its ask is the one.
      const winner = error instanceof LedgerConflict ? await store.askByRequest(key) : undefined
      const settled = winner && stands(winner) ? sameAsk(winner, call) : undefined
      if (settled) return settled
      throw error
    } finally {
      room.settle(call)
    }
  }

  /** What the record says to the same request. Undefined when an open ask shows what is not so any more. */
  function sameAsk({ ask, outcome }: AskRecord, call: RaiseCall): RaiseResult | undefined {
    // Whoever raised an ask may take it back: no agent may wait for an ask of a program.
    if (ask.raisedBy !== call.raisedBy?.id) return { ok: false, refusal: 'duplicate-request' }
    const again = { ...call.request, ...identity(ask), raisedAt: ask.raisedAt }
    if (deps.sha256(digestText(again)) !== ask.digest) {
      // Two calls under one id would share one answer: the second was never shown to anybody.
      if (callText(again) !== callText(ask)) return { ok: false, refusal: 'duplicate-request' }
      if (!outcome) return undefined
      // A no holds whatever the files are. A yes was for what they were.
      if (outcome.kind === 'allowed' || outcome.kind === 'answered') return { ok: false, refusal: 'changed-since' }
    }
    return { ok: true, ask, ...(outcome && { outcome }) }
  }

  function decideRaise(
    view: SessionView | undefined,
    at: number,
    call: RaiseCall,
    earlier: Ask | undefined,
  ): Decision<RaiseResult | undefined> {
    const refused = (refusal: RaiseRefusal) => ({ events: [], result: { ok: false as const, refusal } })
    if (!view) return refused('no-such-session')
    const { session } = view
    if (session.state === 'dead') return refused('session-ended')
    if (session.frozen) return refused('session-frozen')
    if (session.epoch !== call.epoch) return refused('wrong-epoch')
    const isSettled = [...view.undelivered.values()].some(({ requestId }) => requestId === call.request.requestId)
    // Raised and settled since it was looked for: it is in the store by now.
    if (isSettled) return { events: [], result: undefined }
    const known = [...view.asks.values()].find(({ requestId }) => requestId === call.request.requestId)
    const same = known && sameAsk({ ask: known, delivered: false }, call)
    if (same) return { events: [], result: same }
    if (!known && openOfAsker(view, askerOf(call)).length >= MAX_OPEN_ASKS) return refused('too-many-open')

    // In the same life of the agent only one that was withdrawn as changed can have had this request.
    const replaced = known ?? earlier
    const limit = session.askTimeoutMs === undefined ? undefined : at + session.askTimeoutMs
    // The call has waited all the while: changing a file must not give it more time.
    const expiresAt = replaced?.expiresAt ?? limit
    const draft = {
      ...call.request,
      sessionId: session.id,
      agent: session.agent,
      epoch: session.epoch,
      raisedAt: at,
      ...(call.raisedBy && { raisedBy: call.raisedBy.id, raiser: call.raisedBy.name }),
      ...(replaced && { replaces: replaced.id }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
    // What a raiser asks for is never settled by a rule that was made for the agent (I8).
    const remember = call.raisedBy ? undefined : rememberOf(draft, deps.sha256)
    const digest = deps.sha256(digestText(draft))
    const ask: Ask = { ...draft, id: deps.newId('ask'), digest, ...(remember && { remember }) }
    // One that takes the place of another was let in already.
    if (!known && !room.reserve(view, ask, call)) return refused('too-much-open')
    const changed: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'changed' }
    const events: DurableEvent[] = [
      ...(known ? settleIfOpen(view, known.id, changed).events : []),
      { type: 'ask-raised', sessionId: session.id, at, ask },
    ]
    const rule = matchingRule(view.rules, ask)
    const outcome: Outcome | undefined = rule && { kind: 'allowed', at, via: 'rule', rule: rule.id }
    if (outcome) events.push({ type: 'ask-settled', sessionId: session.id, at, askId: ask.id, outcome })
    return { events, result: { ok: true, ask, ...(outcome && { outcome }) } }
  }

  function decideAnswer(view: SessionView | undefined, at: number, call: AnswerCall): Decision<AnswerResult> {
    const refused = (refusal: Refusal) => ({ events: [], result: { ok: false as const, refusal } })
    const may = view ? call.mayAnswer(view.session.id) : 'hidden'
    if (!view || may === 'hidden') return refused({ code: 'not_found' })
    const ask = view.asks.get(call.askId)
    if (!ask) return refused({ code: 'not_found' })
    if (refusedRequests.has(requestKey(ask))) {
      return refused({ code: 'changed', message: 'The agent is not waiting for this any more.' })
    }
    if (may === 'no' || ask.raisedBy === call.actor.device) return refused({ code: 'forbidden' })
    if (view.session.frozen && outcomeKind(call.answer) !== 'denied') return refused({ code: 'session_frozen' })
    // The clock decides by this transaction's order, not by when a timer gets its turn.
    if (expiry.isDue(ask, at)) {
      const outcome: Outcome = { kind: 'expired', at, via: 'gateway' }
      const { events } = settleIfOpen(view, ask.id, outcome)
      return { events, result: { ok: false, refusal: { code: 'already_settled', outcome } } }
    }
    const refusal = refuse(ask, call.answer, boundBy(call))
    if (refusal) return refused(refusal)

    const wanted = call.answer.kind === 'allow' && call.answer.remember !== undefined
    const rule = wanted ? ruleFor(ask, { id: deps.newId('rul'), by: call.actor, at }) : undefined
    const outcome: Outcome = {
      kind: outcomeKind(call.answer),
      at,
      by: call.actor,
      via: call.via,
      answer: recordedAnswer(call.answer),
      ...(call.retryKey && { retryKey: call.retryKey }),
      ...(rule && ('why' in rule ? { notRemembered: rule.why } : { rule: rule.id })),
    }
    const { events } = settleIfOpen(view, ask.id, outcome)
    const added: DurableEvent[] =
      rule && 'id' in rule ? [{ type: 'rule-added', sessionId: ask.sessionId, at, rule }] : []
    return { events: [...events, ...added], result: { ok: true, outcome } }
  }

  async function answer(call: AnswerCall): Promise<AnswerResult> {
    const sessionId = sessionOf.get(call.askId)
    if (!sessionId) return answerSettled(call)
    const open = ledger.views().get(sessionId)?.asks.get(call.askId)
    const may = call.mayAnswer(sessionId) === 'yes'
    const late = open && may ? await deps.recheck?.(open, call.answer) : undefined
    if (late) return { ok: false, refusal: { code: 'changed', message: late } }
    // A no holds whatever has changed, and an answer that would not count changes nothing.
    const isYes = open && may && outcomeKind(call.answer) !== 'denied' && !refuse(open, call.answer, boundBy(call))
    // Without a pause where there is nothing to look at: answers are taken in the order in which they come.
    const changed = isYes && mayHaveChanged(open) ? await deps.whatChanged?.(open, call.answer) : undefined
    if (changed) return withdrawChanged(sessionId, call, changed)
    const result = await ledger.transact(sessionId, (view, at) => decideAnswer(view, at, call))
    // Settled between the look and the commit: the store knows how.
    return !result.ok && result.refusal.code === 'not_found' ? answerSettled(call) : result
  }

  /** The card showed what is not so any more. Whoever waits for the outcome asks again for the same call. */
  async function withdrawChanged(sessionId: SessionId, call: AnswerCall, message: string): Promise<AnswerResult> {
    const settled = await ledger.transact(sessionId, (view, at) =>
      settleIfOpen(view, call.askId, { kind: 'withdrawn', at, via: 'gateway', reason: 'changed' }),
    )
    return isChanged(settled) ? { ok: false, refusal: { code: 'changed', message } } : answerSettled(call)
  }

  async function answerSettled(call: AnswerCall): Promise<AnswerResult> {
    const record = await store.ask(call.askId)
    if (!record?.outcome || call.mayAnswer(record.ask.sessionId) === 'hidden') {
      return { ok: false, refusal: { code: 'not_found' } }
    }
    return lateAnswer(record.outcome, call)
  }

  return {
    raise,
    async outcome(askId, { signal }) {
      const record = sessionOf.has(askId) ? undefined : await store.ask(askId)
      signal.throwIfAborted()
      return record?.outcome ?? waiters.wait(askId, signal)
    },
    answer,
    async withdraw(askId, reason) {
      const sessionId = sessionOf.get(askId)
      if (!sessionId) return (await store.ask(askId))?.outcome
      const settled = await ledger.transact(sessionId, (view, at) =>
        settleIfOpen(view, askId, { kind: 'withdrawn', at, via: 'gateway', reason }),
      )
      return settled ?? (await store.ask(askId))?.outcome
    },
    async seen(askId, actor) {
      const record = await this.find(askId)
      if (!record) return false
      const { sessionId } = record.ask
      await ledger.transact(sessionId, (_, at) => ({
        events: [{ type: 'ask-seen', sessionId, at, askId, by: actor }],
        result: undefined,
      }))
      return true
    },
    delivered: ({ sessionId, epoch, requestIds }) => {
      const told = new Set(requestIds)
      const decide = (view: SessionView | undefined, at: number) => ({
        events: toldEvents(view, at, epoch, told),
        result: undefined,
      })
      // A crash loses nothing: the host knows what was delivered.
      return ledger.transact(sessionId, decide, 'patient')
    },
    async refused({ sessionId, epoch, requestId }) {
      const key = requestKey({ sessionId, epoch, requestId })
      refusedRequests.add(key)
      await ledger.transact(sessionId, (view, at) => {
        const told = openOf(view, epoch).filter((ask) => ask.requestId === requestId)
        const outcome: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'answered-elsewhere' }
        return { events: told.flatMap((ask) => settleIfOpen(view, ask.id, outcome).events), result: undefined }
      })
      refusedRequests.delete(key)
    },
    reattached: ({ sessionId, epoch, open, answered, among }) => {
      const told = new Set(answered)
      const waiting = new Set(open)
      const known = new Set(among)
      return ledger.transact(sessionId, (view, at) => {
        const dropped = openOf(view, epoch).filter(
          (ask) => known.has(ask.id) && !told.has(ask.requestId) && !waiting.has(ask.requestId),
        )
        const outcome: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'agent-cancelled' }
        const events = dropped.flatMap((ask) => settleIfOpen(view, ask.id, outcome).events)
        return { events: [...toldEvents(view, at, epoch, told), ...events], result: undefined }
      })
    },
    async answeredElsewhere({ sessionId, epoch, requestId, answer }) {
      const settled = await ledger.transact(sessionId, (view, at) => {
        const open = openOf(view, epoch).find((ask) => ask.requestId === requestId)
        const outcome: Outcome = {
          kind: 'withdrawn',
          at,
          via: 'terminal',
          reason: 'answered-elsewhere',
          ...(answer && { answer: { ...answer } }),
        }
        return open ? settleIfOpen(view, open.id, outcome) : { events: [], result: undefined }
      })
      return settled ?? (await store.askByRequest({ sessionId, epoch, requestId }))?.outcome
    },
    async find(askId) {
      const sessionId = sessionOf.get(askId)
      const ask = sessionId && ledger.views().get(sessionId)?.asks.get(askId)
      return ask ? { ask, delivered: false } : store.ask(askId)
    },
    resume() {
      for (const view of ledger.views().values()) for (const ask of view.asks.values()) track(ask)
    },
    close() {
      unsubscribe()
      expiry.close()
      waiters.close()
    },
  }
}

/**
 * Whether it acts on files, or in a folder that another may have taken the place of. What a raiser asks for may be done on
 * another machine: a folder of the same name here says nothing about it, and is not its to find out about.
 */
function mayHaveChanged({ files, plan, toolUseId, kind, context, raisedBy }: Ask): boolean {
  if (raisedBy !== undefined) return false
  const hasFolder = kind === 'approval' && toolUseId !== undefined && context.cwd !== undefined
  return files !== undefined || plan !== undefined || hasFolder
}

function boundBy({ bound }: AnswerCall): 'digest' | 'id' {
  return bound ?? 'digest'
}

/** Whether this is what became of the ask's request: one that was withdrawn as changed is followed by another. */
function stands({ outcome }: AskRecord): boolean {
  return !isChanged(outcome)
}

/** Settles an ask that is open; one that is not stays as it is (I1), and there is no result then. */
function settleIfOpen(view: SessionView | undefined, askId: AskId, outcome: Outcome): Decision<Outcome | undefined> {
  if (!view?.asks.has(askId)) return { events: [], result: undefined }
  const { id: sessionId } = view.session
  return { events: [{ type: 'ask-settled', sessionId, at: outcome.at, askId, outcome }], result: outcome }
}

/** Open asks of the agent process itself; those raised over the API are none of its business. */
function openOf(view: SessionView | undefined, epoch: number): Ask[] {
  return [...(view?.asks.values() ?? [])].filter((ask) => ask.epoch === epoch && ask.raisedBy === undefined)
}

/** What it means that the agent was told something about these requests. */
function toldEvents(
  view: SessionView | undefined,
  at: number,
  epoch: number,
  told: ReadonlySet<string>,
): DurableEvent[] {
  const settled = [...(view?.undelivered ?? [])].filter(
    ([, undelivered]) => undelivered.epoch === epoch && told.has(undelivered.requestId),
  )
  const delivered = settled.flatMap(([askId]): DurableEvent[] =>
    view ? [{ type: 'ask-delivered', sessionId: view.session.id, at, askId }] : [],
  )
  // Told, though nobody has answered: it was refused for a fault of ours, and nothing waits behind the card any more.
  const outcome: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'answered-elsewhere' }
  const refused = openOf(view, epoch).filter((ask) => told.has(ask.requestId))
  return [...delivered, ...refused.flatMap((ask) => settleIfOpen(view, ask.id, outcome).events)]
}

/** Withdraws everything that is open, for a session that is interrupted or over. */
export function withdrawAll(view: SessionView, at: number, reason: WithdrawReason): DurableEvent[] {
  return [...view.asks.keys()].flatMap((askId) => [
    ...settleIfOpen(view, askId, { kind: 'withdrawn', at, via: 'gateway', reason }).events,
  ])
}

function lateAnswer(outcome: Outcome, call: AnswerCall): AnswerResult {
  if (call.retryKey === undefined || outcome.retryKey !== call.retryKey) {
    return { ok: false, refusal: { code: 'already_settled', outcome } }
  }
  const same = JSON.stringify(recordedAnswer(call.answer)) === JSON.stringify(outcome.answer)
  return same ? { ok: true, outcome } : { ok: false, refusal: { code: 'retry_mismatch' } }
}

function inputLength({ tool }: AskRequest): number {
  return tool ? JSON.stringify(tool.input).length : 0
}

function identity(ask: Ask) {
  return { sessionId: ask.sessionId, agent: ask.agent, epoch: ask.epoch }
}
