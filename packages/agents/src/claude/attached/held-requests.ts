import type { Clock } from '@holdpoint/core/clock'
import { type DriverStart, isDetached, type RanTool } from '@holdpoint/core/driver'
import type { Ask, ToolInput } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { modeAfterPlan } from '../asks/mode-after-plan.ts'
import { renewing } from '../asks/renewing.ts'
import type { Subagent } from '../asks/subagents.ts'
import { isBefore } from './before-id.ts'
import type { CallBook, KnownCall } from './call-book.ts'
import { aborted, bounded, type Held, type HeldDialog, LOST_MS } from './held-request.ts'
import type { HookCall, HookReply } from './hook-call.ts'
import { hookReply } from './hook-output.ts'
import { requestedCall } from './requested-call.ts'
import { isSameInput } from './same-input.ts'
import type { SessionRecord } from './session-record.ts'
import { choiceIn, choiceOf, type TerminalChoice } from './terminal-choice.ts'
import type { CallFact } from './transcript-facts.ts'
import { verdict } from './verdict.ts'

/** A dialog has left the screen: what was chosen in it stands in the transcript a moment later, unless the tool runs. */
const CHOICE_MS = 400
/** A hook that comes back after a restart of the gateway: its dialog is on the screen, or it is over. */
export const RETURN_MS = 1000
/** A decision that Claude Code has not taken by then, it will not take: its hook ended with it. */
const TAKEN_MS = 5000
const NOTHING: HookReply = {}

export interface HeldRequestsOptions {
  readonly start: DriverStart
  readonly book: CallBook
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly warn: LogFunction
  readonly named: (call: HookCall) => Promise<Subagent>
  /** Reads what there is to read about the agent now. */
  readonly look: () => Promise<void>
  /** Whether a request that comes now may have been put to an earlier gateway. */
  readonly mayReturn: () => boolean
}

type Ended = Extract<CallFact, { type: 'ended' }>
type Ran = RanTool & { readonly input: ToolInput; readonly agentId?: string }

/**
 * The asks of one terminal. Two can answer each of them, and Claude Code takes the first: what it took is read off its
 * transcript, never assumed.
 */
export function createHeldRequests(options: HeldRequestsOptions) {
  const { start, book, tools, clock } = options
  const held = new Map<string, Held>()
  /** Asks of an earlier gateway whose hooks have not come back: they may, or the terminal has answered. */
  const opened = (start.attach?.open ?? []).filter((ask) => !isBefore(ask))
  const absent = new Map<string, Ask>(opened.map((ask) => [ask.requestId, ask]))
  for (const { requestId, toolUseId } of absent.values()) if (toolUseId !== undefined) book.link(requestId, toolUseId)
  const raising = new Map<string, Promise<Held | undefined>>()
  /** Processes that tell what is on their screen, and those with a dialog there. */
  const screens = new Set<number>()
  const showing = new Map<number, { readonly since: number }>()
  /** What calls ran with, until their result says by whose leave; the hook and the transcript come in either order. */
  const executed = new Map<string, Ran>()
  /** Calls that ran by our leave, until it is heard with what. */
  const allowed = new Map<string, string>()
  /** Calls that a hook asked about, and does not any more: the terminal decides them. */
  const letGo = new Map<string, true>()
  /** The mode that was chosen with a plan, until the agent has left plan mode. */
  let planMode: PermissionMode | undefined

  async function raise(call: HookCall, arrivedAt: number): Promise<Held | undefined> {
    const { hook, requestId, process } = call
    const { tool_name: name, tool_input: input, agent_id: agentId } = hook
    if (name === undefined || input === undefined) return undefined
    // It has had its time to be written down.
    const toolUseId = book.claim({ requestId, name, input, agentId }, { mayGuess: true })
    const gated = requestedCall(call, { name, input, toolUseId, from: await options.named(call) })
    const request = await tools.toAsk(gated)
    if ('refusal' in request) return undefined
    const renew = renewing(
      () => tools.toAsk(gated),
      (next) => {
        entry.request = next
      },
    )
    const cancel = new AbortController()
    const isReturning = options.mayReturn()
    const entry: Held = {
      requestId,
      pid: process.pid,
      agentId,
      asked: { name, input },
      request,
      outcome: start.ask(request, { signal: cancel.signal, renew }),
      cancel,
      arrivedAt,
      connections: 0,
      wasOnScreen: showing.has(process.pid),
      hasLeftScreen: false,
      isHanded: false,
      isTaken: false,
      isOverruled: false,
      isLeft: false,
    }
    held.set(requestId, entry)
    entry.outcome.then(
      (outcome) => {
        entry.settled = outcome
        entry.settledAt = clock.now()
        // Nothing more will be heard of it: Claude Code has what it needs from elsewhere.
        if (outcome.kind === 'withdrawn') forget(entry)
      },
      () => forget(entry),
    )
    if (isReturning) clock.after(RETURN_MS, () => void options.look().then(() => seenToReturn(entry)))
    return entry
  }

  function forget({ requestId }: Held) {
    held.delete(requestId)
    const toolUseId = book.callOf(requestId)
    if (toolUseId !== undefined) bounded(letGo).set(toolUseId, true)
    book.forget(requestId)
  }

  /** By now its dialog has been seen, or there is none any more. */
  function seenToReturn(entry: Held) {
    if (screens.has(entry.pid) && !entry.wasOnScreen && entry.agentId === undefined) leaveScreen(entry, undefined)
  }

  async function reply(call: HookCall, signal: AbortSignal, arrivedAt: number): Promise<HookReply> {
    const { requestId } = call
    absent.delete(requestId)
    let entry = held.get(requestId)
    if (!entry) {
      const underway = raising.get(requestId) ?? raise(call, arrivedAt)
      raising.set(requestId, underway)
      entry = await underway.finally(() => raising.delete(requestId))
    }
    if (!entry) {
      const toolUseId = book.callOf(requestId)
      if (toolUseId !== undefined) bounded(letGo).set(toolUseId, true)
      return NOTHING
    }
    // Two calls under one id, or two processes, would share one answer: the second was shown to nobody (I5).
    if (!isAbout(entry, call)) return NOTHING
    const request = entry
    request.connections++
    // It may have left the screen by now.
    void options.look()
    try {
      const outcome = await Promise.race([request.outcome, aborted(signal)])
      const answer = hookReply(request.request, outcome, tools.approvedInput)
      if (!request.isHanded && answer.output) {
        request.isHanded = true
        clock.after(TAKEN_MS, () => sayIfNotTaken(request).catch(notSaid))
        planMode = modeAfterPlan(request.request, outcome) ?? planMode
      }
      return answer
    } catch (error) {
      // We are leaving: the hook is to come again, and asks the next gateway.
      if (isDetached(error)) throw error
      if (!signal.aborted) options.warn('terminal_answers_itself', { requestId, error: String(error) })
      return NOTHING
    } finally {
      request.connections--
      if (signal.aborted && !request.settled) clock.after(LOST_MS, () => giveUp(request))
    }
  }

  function isAbout({ asked, pid }: Held, { hook, process }: HookCall): boolean {
    const isSame = asked.name === hook.tool_name && canonicalJson(asked.input) === canonicalJson(hook.tool_input)
    return isSame && pid === process.pid
  }

  /**
   * Where a rule of the user's or a check of its own wants a person, Claude Code does not take a hook's yes: its dialog stays,
   * and here the ask is over. Nobody would know.
   */
  async function sayIfNotTaken(entry: Held) {
    await options.look()
    const dialog = showing.get(entry.pid)
    if (entry.isTaken || !held.has(entry.requestId) || !dialog) return
    // Another one has come since: this one is gone. A subagent's comes only when its hook has gone.
    if (entry.agentId === undefined && dialog.since > (entry.settledAt ?? 0)) return
    entry.isLeft = true
    const { title } = entry.request
    await say(
      `Claude Code did not accept the answer to “${title}”. It wants the answer at its terminal. Nothing has run. Answer it there.`,
    )
  }

  /** Nobody is left who would hand an answer on. */
  function giveUp(entry: Held) {
    if (entry.connections === 0 && !entry.settled) entry.cancel.abort()
  }

  async function answeredThere(entry: Held, choice: TerminalChoice | undefined): Promise<Outcome | undefined> {
    return entry.settled ?? start.answeredElsewhere(entry.requestId, choice)
  }

  async function answeredMeanwhile({ requestId }: Ask, choice: TerminalChoice | undefined) {
    absent.delete(requestId)
    book.forget(requestId)
    await start.answeredElsewhere(requestId, choice)
  }

  function leaveScreen(entry: Held, status: string | undefined) {
    if (entry.hasLeftScreen || entry.settled) return
    entry.hasLeftScreen = true
    clock.after(CHOICE_MS, () => {
      const settle = async () => {
        await options.look()
        if (entry.settled || !held.has(entry.requestId)) return
        // A no stands in the transcript at once. So this one was allowed, and runs.
        const isRunning = status === 'busy' && entry.request.kind !== 'question' && book.callOf(entry.requestId)
        await answeredThere(entry, isRunning ? { kind: 'allow' } : undefined)
      }
      settle().catch((error: unknown) => options.warn('terminal_answer_not_recorded', { error: String(error) }))
    })
  }

  function decided(entry: Held): Outcome | undefined {
    const { settled } = entry
    return settled && settled.kind !== 'withdrawn' && settled.kind !== 'expired' ? settled : undefined
  }

  /** The call is over, and our decision on record: which of the two was it? */
  async function conclude(entry: Held, outcome: Outcome, fact: Ended) {
    const { toolUseId, end } = fact
    const whose = verdict(entry, outcome, fact)
    if (whose === 'ours') {
      if (!entry.isTaken) start.delivered([entry.requestId])
      const ran = executed.get(toolUseId)
      if (end.kind === 'ran' && ran) await start.ran({ ...ran, requestId: entry.requestId })
      else if (end.kind === 'ran') bounded(allowed).set(toolUseId, entry.requestId)
    } else if (whose === 'theirs') {
      const name = entry.request.tool?.name ?? 'The call'
      const how = end.kind === 'ran' ? 'allowed' : 'refused'
      const what = entry.isLeft
        ? `was ${how} at its terminal: the answer given in Holdpoint was not used`
        : `had already been ${how} at its terminal: the answer given in Holdpoint came too late`
      await say(`${name} ${what} and changed nothing.`)
    }
  }

  function notSaid(error: unknown) {
    options.warn('answer_result_not_reported', { error: String(error) })
  }

  async function say(text: string) {
    await start.tryEmit([{ type: 'item', item: { type: 'notice', level: 'info', text } }])
  }

  /** The hook was given the decision, and ended before Claude Code had it. */
  function isSpent({ settledAt, isTaken }: Held): boolean {
    return settledAt !== undefined && !isTaken && clock.now() - settledAt >= TAKEN_MS
  }

  /** The request of an earlier gateway's that has not come again, and may be about this call. */
  function isAwaited(call: KnownCall): boolean {
    return [...absent.values()].some(
      ({ requestId, tool }) =>
        book.callOf(requestId) === undefined &&
        tool?.name === call.name &&
        isSameInput(tool.input, call.input, start.cwd),
    )
  }

  function unlinked(ran: Omit<KnownCall, 'toolUseId'>): Held | undefined {
    return [...held.values()].find(
      ({ requestId, agentId, request: { tool } }) =>
        book.callOf(requestId) === undefined &&
        agentId === ran.agentId &&
        tool?.name === ran.name &&
        isSameInput(tool.input, ran.input, start.cwd),
    )
  }

  return {
    reply,
    /** A tool has run: an ask for it that is open was answered at the terminal. */
    async ran(tool: Ran): Promise<void> {
      const allowedBy = allowed.get(tool.toolUseId)
      if (allowedBy !== undefined) {
        allowed.delete(tool.toolUseId)
        return start.ran({ ...tool, requestId: allowedBy })
      }
      const known = book.requestOf(tool.toolUseId)
      const entry = known === undefined ? unlinked(tool) : held.get(known)
      if (!entry) return
      book.link(entry.requestId, tool.toolUseId)
      bounded(executed).set(tool.toolUseId, tool)
      if (!entry.settled) await answeredThere(entry, choiceIn(entry.request, tool.input))
    },
    /** The agent has left plan mode, and goes on in this one. */
    async leftPlan(mode: string | undefined): Promise<void> {
      const chosen = planMode
      planMode = undefined
      if (chosen === undefined || mode === undefined || mode === chosen) return
      await say(
        `The agent continues in the mode ${mode}, not in ${chosen} as chosen with the plan. Set the mode at its terminal.`,
      )
    },
    /** Looks again for the calls of requests that have none yet. */
    link() {
      for (const { requestId, agentId, request } of held.values()) {
        if (request.tool) book.claim({ requestId, name: request.tool.name, input: request.tool.input, agentId })
      }
    },
    /** No dialog is on the screen: what an earlier gateway left open was answered there. */
    async nothingOnScreen(): Promise<void> {
      for (const ask of [...absent.values()]) if (ask.subagent === undefined) await answeredMeanwhile(ask, undefined)
    },
    async hookDecided({ toolUseId, isAllowed }: Extract<CallFact, { type: 'hook-decided' }>): Promise<void> {
      const entry = held.get(book.requestOf(toolUseId) ?? '')
      if (!entry) return
      const outcome = decided(entry)
      // Another hook of the user's was faster than anybody here.
      if (!outcome) return void (await answeredThere(entry, { kind: isAllowed ? 'allow' : 'deny' }))
      entry.isOverruled = isAllowed !== (outcome.kind !== 'denied')
      if (!entry.isHanded || entry.isOverruled) return
      entry.isTaken = true
      start.delivered([entry.requestId])
    },
    async ended(fact: Ended): Promise<void> {
      book.closed(fact.toolUseId)
      const requestId = book.requestOf(fact.toolUseId) ?? ''
      const missed = absent.get(requestId)
      if (missed) await answeredMeanwhile(missed, choiceOf(missed, fact))
      const entry = held.get(requestId)
      if (entry) {
        const outcome = await answeredThere(entry, choiceOf(entry.request, fact))
        if (outcome && outcome.kind !== 'withdrawn' && outcome.kind !== 'expired') await conclude(entry, outcome, fact)
        forget(entry)
      }
      executed.delete(fact.toolUseId)
    },
    /** What Claude Code says of its screen. Asks of subagents have no dialog, so it tells nothing about them. */
    onScreen(pid: number, { status, statusAt = 0 }: SessionRecord) {
      screens.add(pid)
      if (status === 'waiting') showing.set(pid, { since: statusAt })
      else showing.delete(pid)
      for (const entry of held.values()) {
        if (entry.pid !== pid || entry.agentId !== undefined || entry.settled) continue
        if (status === 'waiting') entry.wasOnScreen = true
        else if (entry.wasOnScreen && statusAt > entry.arrivedAt) leaveScreen(entry, status)
      }
    },
    whyTooLate(requestId: string): string | undefined {
      const entry = held.get(requestId)
      if (entry?.hasLeftScreen) return 'It has just been answered at its terminal.'
      const isCut = entry ? entry.connections === 0 && !entry.settled : absent.has(requestId)
      return isCut ? 'The hook of this ask is not connected at the moment. Try again shortly.' : undefined
    },
    knows: (requestId: string) => held.has(requestId) || raising.has(requestId) || absent.has(requestId),
    dialogOf(call: KnownCall): HeldDialog {
      const requestId = book.requestOf(call.toolUseId)
      const entry = requestId === undefined ? unlinked(call) : held.get(requestId)
      if (entry) return isSpent(entry) ? 'let-go' : 'held'
      if (requestId !== undefined && (raising.has(requestId) || absent.has(requestId))) return 'held'
      if (isAwaited(call)) return 'held'
      return letGo.has(call.toolUseId) ? 'let-go' : 'unknown'
    },
    /** Hooks that have not come back by now will not. */
    noneReturns() {
      for (const requestId of absent.keys()) book.forget(requestId)
      absent.clear()
    },
    /**
     * Somebody writes at the terminal. What a subagent asks is not to be seen there while its hook waits: so it does not,
     * and the dialog appears.
     */
    async giveBack(pid: number): Promise<void> {
      if (showing.has(pid)) return
      for (const entry of [...held.values()]) {
        if (entry.agentId === undefined || entry.pid !== pid || entry.settled) continue
        entry.cancel.abort()
        await say(
          `${entry.request.tool?.name ?? 'A call'} of a subagent is now asked at its terminal, because someone is typing there.`,
        )
      }
    },
    /** The process that asked is gone, and others of its conversation are not. */
    gone(pid: number) {
      for (const entry of held.values()) if (entry.pid === pid) entry.cancel.abort()
    },
    open: () => [...held.values()].filter(({ settled }) => !settled).map(({ requestId }) => requestId),
    isHolding: () => [...held.values()].some(({ settled }) => !settled),
    /** Subagents in the background show none while their hook waits. */
    holdsDialog: () => [...held.values()].some(({ settled, agentId }) => !settled && agentId === undefined),
  }
}
