import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, NewId, RuleId, SessionId } from '@holdpoint/schema/id'
import type { Actor, Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import type { Verdict } from '@holdpoint/schema/policy'
import type { Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'
import { namesRule, outcomeKind, type Refusal, recordedAnswer, refuse } from './ask-machine.ts'
import type { Clock } from './clock.ts'
import type { ActionOfCall, WantedCall } from './driver.ts'
import { createExpiry } from './expiry.ts'
import type { Decision, Ledger } from './ledger.ts'
import { mayHaveChanged, needsItsMachine } from './needs-its-machine.ts'
import type { Policy } from './policy.ts'
import { createRaising, type RaiseCall, type RaiseResult } from './raising.ts'
import { ruleFor } from './remembering.ts'
import { requestKey } from './request-key.ts'
import { isChanged, type SessionView } from './session-view.ts'
import { deliveredEvents, openOf, settleIfOpen } from './settling.ts'
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

export interface Broker {
  /**
   * Records the ask, once for one (session, epoch, request id), and lets rules settle it. One that was withdrawn as
   * changed does not count: the call asks again. One that is open for the same call of an agent, with other files or
   * another plan, is withdrawn as changed here. The limits of size and rate hold for every ask that is recorded.
   */
  raise(call: RaiseCall): Promise<RaiseResult>
  /** What the policy says of a call now. Nothing is recorded. */
  judge(sessionId: SessionId, call: WantedCall, does?: ActionOfCall): Promise<Verdict>
  /** Whether a person has said yes to an appeal about this call, and no call has used that up. */
  isGranted(sessionId: SessionId, call: WantedCall): Promise<boolean>
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
  /** `Sessions.recheck`. The ask stays open where it gives a reason. */
  readonly recheck?: (ask: Ask, answer: Answer) => Promise<string | undefined>
  /** What an allow would act on and is not as it was shown, if so. The ask is withdrawn as changed. */
  readonly whatChanged?: (ask: Ask, answer: Answer) => Promise<string | undefined>
  /** Left out: there are no rules. */
  readonly policy?: Policy
  /** Whether the agent of a session runs on this machine. Left out: there is no other. */
  readonly isOurs?: (session: Session) => boolean
  /** Whether answers to this kind of agent are typed on a screen. */
  readonly isTyped?: (agent: string) => boolean
  /** `Cluster.authority`. Left out: nobody's rights change elsewhere. */
  readonly authority?: () => number
  /** Makes the rule that an allow names. Left out: no answer can make one. */
  readonly prepareRule?: (ask: Ask, answer: Answer, actor: Actor) => Promise<PreparedRule>
}

/** An ask of another machine is left to its gateway for so long after its time: only that one has both clocks. */
const EXPIRY_ELSEWHERE_MS = 5000

/**
 * A rule that an answer makes. It counts if the answer does: it is on disk before the answer is recorded, and in force only
 * afterwards. After a crash in between, the record says whether it counts.
 */
export type PreparedRule =
  | { readonly id: RuleId; keep(): Promise<void>; drop(): Promise<void> }
  /** It cannot be made: the answer is refused, so that the person can correct it. */
  | { readonly issue: string }
  /** It could not be saved: the call is allowed once. */
  | { readonly why: string }

export function createBroker(deps: BrokerDeps): Broker {
  const { ledger, store, clock, isTyped = () => false } = deps
  const waiters = createWaiters<AskId, Outcome>()
  const sessionOf = new Map<AskId, SessionId>()
  /** Requests whose agent was told no, until that is on record: nothing else may be decided about them. */
  const refusedRequests = new Set<string>()
  const raising = createRaising(deps)
  const expiry = createExpiry({
    clock,
    expire: (ask) => void expire(ask),
    delayOf: (ask) => (isElsewhere(ask.sessionId) ? EXPIRY_ELSEWHERE_MS : 0),
  })

  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'ask-raised') track(event.ask)
      if (event.type === 'session-ended') {
        raising.sessionEnded(event.sessionId)
        expiry.forgetSession(event.sessionId)
      }
      if (event.type === 'ask-settled') {
        raising.settled(event.askId)
        sessionOf.delete(event.askId)
        expiry.forget(event.askId, isChanged(event.outcome))
        waiters.resolve(event.askId, event.outcome)
      }
    }
  })

  function isElsewhere(sessionId: SessionId): boolean {
    const session = ledger.views().get(sessionId)?.session
    return session !== undefined && deps.isOurs?.(session) === false
  }

  function track(ask: Ask) {
    sessionOf.set(ask.id, ask.sessionId)
    raising.opened(ask)
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

  /** Recorded only if nobody's rights have changed anywhere since this decision. */
  function decideByRights(...decision: Parameters<typeof decideAnswer>): Decision<AnswerResult> {
    const authority = deps.authority?.()
    return { ...decideAnswer(...decision), ...(authority !== undefined && { authority }) }
  }

  function decideAnswer(
    view: SessionView | undefined,
    at: number,
    call: AnswerCall,
    prepared: { readonly id: RuleId } | { readonly why: string } | undefined,
  ): Decision<AnswerResult> {
    const refused = (refusal: Refusal) => ({ events: [], result: { ok: false as const, refusal } })
    const may = view ? call.mayAnswer(view.session.id) : 'hidden'
    if (!view || may === 'hidden') return refused({ code: 'not_found' })
    const ask = view.asks.get(call.askId)
    if (!ask) return refused({ code: 'not_found' })
    if (refusedRequests.has(requestKey(ask))) {
      return refused({ code: 'changed', message: 'The agent no longer waits for this.' })
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

    const remembered = prepared ? undefined : ruleOf(ask, call, at)
    const rule = prepared ?? remembered
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
      remembered && 'id' in remembered ? [{ type: 'rule-added', sessionId: ask.sessionId, at, rule: remembered }] : []
    return { events: [...events, ...added], result: { ok: true, outcome } }
  }

  /** What is remembered of this very call, where the answer wants that. */
  function ruleOf(ask: Ask, { answer: given, actor }: AnswerCall, at: number): Rule | { why: string } | undefined {
    if (given.kind !== 'allow' || given.remember === undefined) return undefined
    if (namesRule(ask, given)) return { why: 'the rule could not be made' }
    return ruleFor(ask, { id: deps.newId('rul'), by: actor, at })
  }

  /**
   * What is on record of an ask that is not open here. One that is open in the log is taken up first: another gateway may have
   * shown it sooner than it was published here.
   */
  async function notOpenHere(askId: AskId): Promise<AskRecord | undefined> {
    const record = await store.ask(askId)
    if (!record || record.outcome) return record
    await ledger.transact(record.ask.sessionId, () => ({ events: [], result: undefined }), 'newest')
    return sessionOf.has(askId) ? undefined : store.ask(askId)
  }

  async function answer(call: AnswerCall): Promise<AnswerResult> {
    const record = sessionOf.has(call.askId) ? undefined : await notOpenHere(call.askId)
    const sessionId = sessionOf.get(call.askId)
    if (!sessionId) return lateAnswer(record, call)
    const open = ledger.views().get(sessionId)?.asks.get(call.askId)
    const may = call.mayAnswer(sessionId) === 'yes'
    if (open && may && isElsewhere(sessionId) && needsItsMachine(open, call.answer, isTyped))
      return { ok: false, refusal: { code: 'machine_unreachable' } }
    const late = open && may ? await deps.recheck?.(open, call.answer) : undefined
    if (late) return { ok: false, refusal: { code: 'changed', message: late } }
    // A no holds although files have changed, and an answer that is refused anyway changes nothing.
    const isYes = open && may && outcomeKind(call.answer) !== 'denied' && !refuse(open, call.answer, boundBy(call))
    const prepared = isYes && namesRule(open, call.answer) ? await prepareRule(open, call) : undefined
    if (prepared && 'issue' in prepared)
      return { ok: false, refusal: { code: 'invalid_answer', issues: [prepared.issue] } }
    const made = prepared && 'id' in prepared ? prepared : undefined
    // Without a pause where there is nothing to look at: answers are taken in the order in which they come.
    const changed = isYes && mayHaveChanged(open) ? await deps.whatChanged?.(open, call.answer) : undefined
    if (changed) {
      await made?.drop()
      return withdrawChanged(sessionId, call, changed)
    }
    const result = await ledger.transact(sessionId, (view, at) => decideByRights(view, at, call, prepared))
    if (made) await (result.ok ? made.keep() : made.drop())
    // Settled between the look and the commit: the store knows how.
    return !result.ok && result.refusal.code === 'not_found' ? answerSettled(call) : result
  }

  async function prepareRule(ask: Ask, { answer: given, actor }: AnswerCall): Promise<PreparedRule> {
    return (await deps.prepareRule?.(ask, given, actor)) ?? { issue: 'no rules can be made here' }
  }

  /** What the card showed has changed since. The driver that waits for the outcome asks again for the same call. */
  async function withdrawChanged(sessionId: SessionId, call: AnswerCall, message: string): Promise<AnswerResult> {
    const settled = await ledger.transact(sessionId, (view, at) =>
      settleIfOpen(view, call.askId, { kind: 'withdrawn', at, via: 'gateway', reason: 'changed' }),
    )
    return isChanged(settled) ? { ok: false, refusal: { code: 'changed', message } } : answerSettled(call)
  }

  async function answerSettled(call: AnswerCall): Promise<AnswerResult> {
    return lateAnswer(await store.ask(call.askId), call)
  }

  return {
    raise: raising.raise,
    judge: raising.judge,
    isGranted: raising.isGranted,
    async outcome(askId, { signal }) {
      const record = sessionOf.has(askId) ? undefined : await notOpenHere(askId)
      signal.throwIfAborted()
      return record?.outcome ?? waiters.wait(askId, signal)
    },
    answer,
    async withdraw(askId, reason) {
      const record = sessionOf.has(askId) ? undefined : await notOpenHere(askId)
      const sessionId = sessionOf.get(askId)
      if (!sessionId) return record?.outcome
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
        events: deliveredEvents(view, at, epoch, told),
        result: undefined,
      })
      // A crash loses nothing: the host knows what was delivered.
      return ledger.transact(sessionId, decide, 'coalesce')
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
        return { events: [...deliveredEvents(view, at, epoch, told), ...events], result: undefined }
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

function boundBy({ bound }: AnswerCall): 'digest' | 'id' {
  return bound ?? 'digest'
}

function lateAnswer(record: AskRecord | undefined, call: AnswerCall): AnswerResult {
  const outcome = record?.outcome
  if (!outcome || call.mayAnswer(record.ask.sessionId) === 'hidden')
    return { ok: false, refusal: { code: 'not_found' } }
  if (call.retryKey === undefined || outcome.retryKey !== call.retryKey) {
    return { ok: false, refusal: { code: 'already_settled', outcome } }
  }
  const same = JSON.stringify(recordedAnswer(call.answer)) === JSON.stringify(outcome.answer)
  return same ? { ok: true, outcome } : { ok: false, refusal: { code: 'retry_mismatch' } }
}
