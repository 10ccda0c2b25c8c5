import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, DeviceId, NewId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Verdict } from '@holdpoint/schema/policy'
import { callText, digestText } from './ask-machine.ts'
import { ASKS_PER_SECOND, createAskRate, RAISED_CHARACTERS } from './ask-rate.ts'
import { withinBudget } from './budget.ts'
import type { Clock } from './clock.ts'
import type { DiskLook } from './disk-look.ts'
import type { ActionOfCall, WantedCall } from './driver.ts'
import { type Grant, grantFor, isGranted } from './grants.ts'
import { isYes } from './is-yes.ts'
import type { Decision, Ledger } from './ledger.ts'
import { LedgerConflict } from './ledger-error.ts'
import { askerOf, createOpenRoom, MAX_OPEN_ASKS, openOfAsker } from './open-room.ts'
import type { Policy } from './policy.ts'
import { matchingRule, rememberOf } from './remembering.ts'
import { askedBecause, ruledOutcome } from './ruled-outcome.ts'
import { isChanged, type SessionView } from './session-view.ts'
import { settleIfOpen } from './settling.ts'
import type { AskRecord, Store } from './store.ts'
import { limitIn } from './time-limits.ts'

export interface RaiseCall {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly request: AskRequest
  /** The credential of a program, where it came over the API. */
  readonly raisedBy?: Pick<Device, 'id' | 'name'>
  /** What the call does, for the policy. Left out: no more is known than the tool's name. */
  readonly does?: ActionOfCall
  /** What was looked up for this call a moment ago. */
  readonly disk?: DiskLook
  /** Whether a rule of the policy, or a yes to an appeal, may allow it. Left out: a person has to, unless it is denied. */
  readonly mayRuleAllow?: boolean
  /** How long it may wait at most, where that is less than the session says. */
  readonly timeoutMs?: number
}

/** A raise that was not taken: nothing was recorded and nobody will answer. The agent's call must be refused. */
export type RaiseRefusal =
  | 'not_found'
  | 'wrong_epoch'
  | 'session_ended'
  | 'session_frozen'
  | 'duplicate_request'
  /** It was allowed, and what it would act on has changed before the agent heard of it. */
  | 'changed'
  | 'too_many_open'
  | 'too_fast'
  | 'too_much_open'
  | 'too_large'
export type RaiseResult = { ok: true; ask: Ask; outcome?: Outcome } | { ok: false; refusal: RaiseRefusal }

/**
 * Characters of a tool's input as JSON (F34, I10). A card is loaded whole: a phone must be able to do that.
 * Real calls that write a file of a megabyte fit.
 */
export const MAX_INPUT_LENGTH = 2_000_000
/** The same for the whole ask: the input, and what a driver makes of it, such as a diff. */
const MAX_ASK_LENGTH = 4 * MAX_INPUT_LENGTH

const NOTICE_SECONDS = 60
const TOO_FAST = `A program raises asks too fast. Asks beyond ${ASKS_PER_SECOND} per second, or ${RAISED_CHARACTERS.perSecond.toLocaleString('en')} characters per second, are refused without asking you.`

const AFTER_APPEAL = 'the agent refused this call, and a person then allowed it once'

const JUDGING_FAILED: Verdict = { effect: 'ask', reason: 'The rules could not be applied to this call.', parts: [] }
const NO_RULES: Verdict = { effect: 'none', reason: 'There are no rules.', parts: [] }

export interface RaisingDeps {
  readonly ledger: Ledger
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly sha256: (text: string) => string
  /** Left out: there are no rules. */
  readonly policy?: Policy
  readonly authority?: () => number
}

/** Puts asks on record, within the limits of how much and how fast may be asked. */
export function createRaising(deps: RaisingDeps) {
  const { ledger, store, clock } = deps
  /** Apart: a program that floods a session must not keep its agent from asking. */
  const rates = { agent: createAskRate<SessionId>(clock), program: createAskRate<SessionId>(clock) }
  /** One a minute in each session: a program in a loop would fill the thread with them. */
  const notices = createAskRate<SessionId>(clock, { atOnce: NOTICE_SECONDS, perSecond: 1 })
  const raisedCharacters = createAskRate<DeviceId>(clock, RAISED_CHARACTERS)
  const room = createOpenRoom()

  async function raise(given: RaiseCall): Promise<RaiseResult> {
    // A copy: what is shown, stored and allowed stays the same when the caller changes its object later (T21).
    const text = JSON.stringify(given.request)
    const call: RaiseCall = { ...given, request: JSON.parse(text) as AskRequest }
    const key = { sessionId: call.sessionId, epoch: call.epoch, requestId: call.request.requestId }
    const isTooLarge = text.length > MAX_ASK_LENGTH || inputLength(call.request) > MAX_INPUT_LENGTH
    const known = await store.askByRequest(key)
    const settled = known && stands(known, call) ? sameAsk(known, call) : undefined
    if (settled) return settled
    // Not counted for a request whose ask stands: an agent delivers one as often as gateways come and go.
    const limit = isTooLarge ? 'too_large' : isTooFast(call, text.length) ? 'too_fast' : undefined
    if (limit === 'too_fast' && call.raisedBy) await tellPeople(call.sessionId)
    if (limit && !known) return { ok: false, refusal: limit }
    const [judged, granted] = await Promise.all([look(call), granting(call)])
    try {
      const raised = await ledger.transact(call.sessionId, (view, at) =>
        decideRaise(view, at, { call, limit, earlier: known?.ask, judged, granted }),
      )
      return raised ?? (await raise(call))
    } catch (error) {
      // Raised by another gateway at the same moment: its ask is the one.
      const winner = error instanceof LedgerConflict ? await store.askByRequest(key) : undefined
      const settled = winner && stands(winner, call) ? sameAsk(winner, call) : undefined
      if (settled) return settled
      throw error
    } finally {
      room.settle(call)
    }
  }

  /** What the policy says, at the moment in which the ask is recorded. Only calls of tools are judged. */
  async function look(call: RaiseCall): Promise<(() => Verdict) | undefined> {
    const { kind, tool, context } = call.request
    if (!deps.policy || kind !== 'approval' || !tool) return undefined
    return lookAt(call.sessionId, { tool, cwd: context.cwd, ...(call.disk && { disk: call.disk }) }, call.does)
  }

  async function granting({ sessionId, request, mayRuleAllow, raisedBy }: RaiseCall): Promise<Grant | undefined> {
    if (mayRuleAllow !== true || raisedBy || request.appeal) return undefined
    return grantFor(store, ledger.views().get(sessionId), request)
  }

  async function lookAt(sessionId: SessionId, call: WantedCall, does: ActionOfCall = { action: { type: 'tool' } }) {
    const session = ledger.views().get(sessionId)?.session
    if (!deps.policy || !session) return undefined
    return deps.policy.look(session, { ...call, ...does }).catch((): (() => Verdict) => () => JUDGING_FAILED)
  }

  function isTooFast(call: RaiseCall, characters: number): boolean {
    const { sessionId, raisedBy } = call
    if (!ledger.views().has(sessionId)) return false
    if (!rates[askerOf(call)].take(sessionId)) return true
    return raisedBy !== undefined && !raisedCharacters.take(raisedBy.id, characters)
  }

  /** From where people sit, nothing was asked. Of agents, their session tells. */
  async function tellPeople(sessionId: SessionId): Promise<void> {
    if (!notices.take(sessionId, NOTICE_SECONDS)) return
    await ledger.transact(sessionId, (view, at) => {
      const item: Item = { id: deps.newId('itm'), at, type: 'notice', level: 'error', text: TOO_FAST }
      return { events: view ? [{ type: 'item-added', sessionId, at, item }] : [], result: undefined }
    })
  }

  /** What the record says to the same request. Undefined when an open ask shows what is not so any more. */
  function sameAsk({ ask, outcome }: AskRecord, call: RaiseCall): RaiseResult | undefined {
    // The program that raised an ask may withdraw it: no agent may wait for an ask of a program.
    if (ask.raisedBy !== call.raisedBy?.id) return { ok: false, refusal: 'duplicate_request' }
    const again = { ...call.request, ...identity(ask), raisedAt: ask.raisedAt }
    if (deps.sha256(digestText(again)) !== ask.digest) {
      // Two calls under one id would share one answer: the second was never shown to anybody. Of what a program asks for
      // nothing is looked at on this machine, so nothing of it can have changed.
      if (call.raisedBy || callText(again) !== callText(ask)) return { ok: false, refusal: 'duplicate_request' }
      if (!outcome) return undefined
      // A no holds although the files have changed. A yes was for the files as they were.
      if (isYes(outcome)) return { ok: false, refusal: 'changed' }
    }
    return { ok: true, ask, ...(outcome && { outcome }) }
  }

  function decideRaise(
    view: SessionView | undefined,
    at: number,
    {
      call,
      limit,
      earlier,
      judged,
      granted,
    }: {
      call: RaiseCall
      /** The limit that this call goes beyond, if it does. */
      limit: RaiseRefusal | undefined
      /** The ask that had its request before. */
      earlier: Ask | undefined
      judged: (() => Verdict) | undefined
      /** A yes to an appeal that covers the call, if nobody uses it up before. */
      granted: Grant | undefined
    },
  ): Decision<RaiseResult | undefined> {
    const refused = (refusal: RaiseRefusal, events: readonly DurableEvent[] = []) => ({
      events,
      result: { ok: false as const, refusal },
    })
    if (!view) return refused('not_found')
    const { session } = view
    if (session.state === 'dead') return refused('session_ended')
    if (session.frozen) return refused('session_frozen')
    // The process of a parked agent is on its way out: nobody would hear the answer. What a program asks needs no agent.
    const isOver = session.parkedAt !== undefined && call.raisedBy === undefined
    if (session.epoch !== call.epoch || isOver) return refused('wrong_epoch')
    const isSettled = [...view.undelivered.values()].some(({ requestId }) => requestId === call.request.requestId)
    // Raised and settled since it was looked for: it is in the store by now.
    if (isSettled) return { events: [], result: undefined }
    const known = [...view.asks.values()].find(({ requestId }) => requestId === call.request.requestId)
    const same = known && sameAsk({ ask: known, delivered: false }, call)
    if (same) return { events: [], result: same }
    if (!known && openOfAsker(view, askerOf(call)).length >= MAX_OPEN_ASKS) return refused('too_many_open')
    const changed: Outcome = { kind: 'withdrawn', at, via: 'gateway', reason: 'changed' }
    // Also where nothing takes its place: the agent is told no, and what is shown is not so any more.
    const withdrawn = known ? settleIfOpen(view, known.id, changed).events : []
    if (limit) return refused(limit, withdrawn)

    // In the same life of the agent only one that was withdrawn as changed can have had this request.
    const replaced = known ?? earlier
    const { afterMs } = limitIn(session, call.request.kind)
    const longest = Math.min(afterMs ?? Number.POSITIVE_INFINITY, call.timeoutMs ?? Number.POSITIVE_INFINITY)
    const end = longest === Number.POSITIVE_INFINITY ? undefined : at + longest
    // The call has waited all the while: changing a file must not give it more time.
    const expiresAt = replaced?.expiresAt ?? end
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
    const authority = deps.authority?.()
    // What a program raises by itself costs nothing.
    const verdict = call.raisedBy ? judged?.() : withinBudget(session, judged?.())
    const ruled = verdict && ruledOutcome(verdict, at, call.mayRuleAllow === true)
    const unasked: Ask = { ...draft, id: deps.newId('ask'), digest, ...(remember && { remember }) }
    // Neither a yes to an appeal nor a remembered answer beats a rule that asks or denies.
    const isLeftToUs = !ruled && verdict?.effect !== 'ask'
    // Used up in this very commit: it counts once (I1).
    const grant = isLeftToUs && granted && view.grants?.has(granted.appeal) ? granted : undefined
    const rule = isLeftToUs && !grant ? matchingRule(view.rules, unasked, session) : undefined
    const outcome: Outcome | undefined =
      ruled ??
      (grant && { kind: 'allowed', at, via: 'appeal', reason: AFTER_APPEAL, ...grant }) ??
      (rule && { kind: 'allowed', at, via: 'rule', rule: rule.id })
    const because = verdict && !outcome && { askedBecause: askedBecause(verdict) }
    const ask: Ask = { ...unasked, ...because }
    if (!room.reserve(view, ask, { call, replaced: known })) return refused('too_much_open', withdrawn)
    const events: DurableEvent[] = [...withdrawn, { type: 'ask-raised', sessionId: session.id, at, ask }]
    if (outcome) events.push({ type: 'ask-settled', sessionId: session.id, at, askId: ask.id, outcome })
    // Elsewhere a rule may have been taken away, or one made that denies what was remembered.
    const isByRights = outcome !== undefined && authority !== undefined
    return { events, ...(isByRights && { authority }), result: { ok: true, ask, ...(outcome && { outcome }) } }
  }

  return {
    raise,
    async judge(sessionId: SessionId, call: WantedCall, does?: ActionOfCall): Promise<Verdict> {
      const verdict = (await lookAt(sessionId, call, does))?.() ?? NO_RULES
      const session = ledger.views().get(sessionId)?.session
      return (session && withinBudget(session, verdict)) ?? verdict
    },
    isGranted: (sessionId: SessionId, call: WantedCall) => isGranted(store, ledger.views().get(sessionId), call),
    opened: (ask: Ask) => room.add(ask),
    settled: (askId: AskId) => room.remove(askId),
    sessionEnded(sessionId: SessionId) {
      for (const rate of [rates.agent, rates.program, notices]) rate.forget(sessionId)
    },
  }
}

/**
 * Whether this is what became of the ask's request. An agent's that was withdrawn as changed is followed by another of the
 * same agent; never by a program's, which could pose as the call that waits.
 */
function stands({ ask, outcome }: AskRecord, { raisedBy }: RaiseCall): boolean {
  return !isChanged(outcome) || ask.raisedBy !== undefined || raisedBy !== undefined
}

function inputLength({ tool }: AskRequest): number {
  return tool ? JSON.stringify(tool.input).length : 0
}

function identity(ask: Ask) {
  return { sessionId: ask.sessionId, agent: ask.agent, epoch: ask.epoch }
}
