import type { Clock } from '@holdpoint/core/clock'
import { type DriverStart, isDetached, type RanTool } from '@holdpoint/core/driver'
import type { AskRequest } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { gatedCall } from '../asks/ask-request.ts'
import { decision, hookOutput, isJudged, isYesHeard, REPEATED } from '../asks/gate-hook.ts'
import { hookedCall } from '../asks/hooked-call.ts'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { deny, permissionResult } from '../asks/permission-result.ts'
import { renewing } from '../asks/renewing.ts'
import type { Subagent } from '../asks/subagents.ts'
import { isBefore } from './before-id.ts'
import type { CallBook } from './call-book.ts'
import { aborted, bounded, LOST_MS } from './held-request.ts'
import type { HookCall, HookReply } from './hook-call.ts'
import { hookReply } from './hook-output.ts'
import { hasScreen, readSessionRecord } from './session-record.ts'
import type { CallFact } from './transcript-facts.ts'

export interface GatedCallsOptions {
  readonly start: DriverStart
  readonly book: CallBook
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly warn: LogFunction
  readonly named: (call: HookCall) => Promise<Subagent>
  /** Waits a moment for the call to stand in the thread. */
  readonly written: (toolUseId: string | undefined) => Promise<void>
  readonly mayOthersAnswer: MayOthersAnswer
  /** Claude Code's folder, if it is known. */
  readonly configFolder: string | undefined
}

/** Whether other hooks than ours could answer for a person here, or change what runs. */
export type MayOthersAnswer = (place: {
  readonly cwd: string
  readonly configFolder: string | undefined
}) => Promise<boolean>

/** A call that a hook of ours holds, before the agent's own gate has seen it. */
interface Gated {
  readonly requestId: string
  readonly pid: number
  readonly toolUseId: string | undefined
  /** Which call it is, in words that tell it from any other. */
  readonly text: string
  request: AskRequest
  readonly outcome: Promise<Outcome>
  readonly cancel: AbortController
  connections: number
  settled?: Outcome
}

/** With more than these, the oldest that are settled are forgotten (I10). */
const MAX_CALLS = 200

/** No opinion: the agent's own gate decides. */
export const NO_OPINION: HookReply = { output: {} }

/**
 * The calls of one terminal, before they run: what the policy says of each. Where a rule asks, the terminal's own dialog
 * comes, unless something else than a person could answer it: then the hook waits for the person itself.
 */
export function createGatedCalls(options: GatedCallsOptions) {
  const { start, book, tools, clock, configFolder } = options
  const gated = new Map<string, Gated>()
  const raising = new Map<string, Promise<Gated | { readonly refusal: string }>>()
  /** Asks of an earlier gateway whose hooks have not come back. */
  const absent = new Set((start.attach?.open ?? []).filter(isBefore).map(({ requestId }) => requestId))
  /** The request that decided a call, until it is heard with what it ran. */
  const decided = new Map<string, string>()
  /** Calls whose yes the agent does not hear from this hook: its permission request gets the yes. */
  const repeats = new Map<string, HookReply>()

  async function judged(call: HookCall, signal: AbortSignal): Promise<HookReply> {
    const { hook, requestId } = call
    const { tool_name: name, tool_input: input = {} } = hook
    if (name === undefined) return said('ask', 'Holdpoint could not read this call.')
    if (!isJudged(name)) return NO_OPINION
    // It comes again, for it has not heard what was said.
    if (gated.has(requestId)) return wait(call, signal, 'ask')
    const verdict = await start.judge({ tool: { name, input }, cwd: hook.cwd }, requestId)
    if (verdict === 'none') return NO_OPINION
    // Its answer comes with the permission request.
    if (verdict === 'allow' && tools.hasToAsk(name, input)) return said('ask', 'This tool asks each time.')
    if (verdict === 'ask' && !(await mustWait(call))) return said('ask', 'A rule of the user asks about this call.')
    return wait(call, signal, verdict)
  }

  /** Where the dialog would not come, or others could answer it. What is on record is not asked a second time. */
  async function mustWait({ requestId, hook, process }: HookCall): Promise<boolean> {
    const { permission_mode: mode } = hook
    if (mode === undefined || mode === ('bypassPermissions' satisfies PermissionMode)) return true
    if (absent.has(requestId)) return true
    if ((await start.answered(requestId)) !== undefined) return true
    return !(await showsDialogs(process)) || options.mayOthersAnswer({ cwd: start.cwd, configFolder })
  }

  /** A single prompt (`claude -p`) has no screen: it takes an ask for a no. */
  async function showsDialogs({ pid }: HookCall['process']): Promise<boolean> {
    const record = configFolder === undefined ? undefined : await readSessionRecord(configFolder, pid)
    return record !== undefined && hasScreen(record)
  }

  async function raise(
    call: HookCall,
    verdict: 'allow' | 'ask' | 'deny',
  ): Promise<Gated | { readonly refusal: string }> {
    const { hook, requestId, process } = call
    const { tool_name: name = '', tool_input: input = {}, tool_use_id: toolUseId } = hook
    const context = hookedCall(hook as HookedInput, requestId)
    const wanted = gatedCall(name, input, context, { cwd: hook.cwd, from: await options.named(call) })
    const toAsk = () => tools.toAsk(wanted, { plainly: verdict === 'deny' })
    const request = await toAsk()
    if ('refusal' in request) return request
    const renew = renewing(toAsk, (next) => {
      entry.request = next
    })
    const cancel = new AbortController()
    const entry: Gated = {
      requestId,
      pid: process.pid,
      toolUseId,
      text: textOf(call),
      request,
      outcome: start.ask(request, { signal: cancel.signal, renew, mayRuleAllow: true }),
      cancel,
      connections: 0,
    }
    for (const [id, { settled }] of gated) if (gated.size >= MAX_CALLS && settled) gated.delete(id)
    gated.set(requestId, entry)
    if (toolUseId !== undefined) {
      bounded(decided).set(toolUseId, requestId)
      // No permission request is about it for now.
      book.link(requestId, toolUseId)
    }
    entry.outcome.then(
      (outcome) => {
        entry.settled = outcome
        book.forget(requestId)
      },
      () => forget(entry),
    )
    return entry
  }

  function forget({ requestId }: Gated) {
    gated.delete(requestId)
    book.forget(requestId)
  }

  /** Until a rule or a person has decided; a rule has as soon as the ask is on record. */
  async function wait(call: HookCall, signal: AbortSignal, verdict: 'allow' | 'ask' | 'deny'): Promise<HookReply> {
    const { requestId, hook } = call
    if (verdict === 'ask' && !gated.has(requestId)) await options.written(hook.tool_use_id)
    absent.delete(requestId)
    let entry = gated.get(requestId)
    if (!entry) {
      const underway = raising.get(requestId) ?? raise(call, verdict)
      raising.set(requestId, underway)
      const raised = await underway.finally(() => raising.delete(requestId))
      if ('refusal' in raised) return said('deny', raised.refusal)
      entry = raised
    }
    // Two calls under one id, or two processes, would share one answer: the second was shown to nobody (I5).
    if (entry.text !== textOf(call)) return said('deny', 'Holdpoint was asked about another call under the same id.')
    const held = entry
    held.connections++
    try {
      return told(call, held, await Promise.race([held.outcome, aborted(signal)]))
    } finally {
      held.connections--
      if (signal.aborted && !held.settled) clock.after(LOST_MS, () => giveUp(held))
    }
  }

  function told(call: HookCall, { request }: Gated, outcome: Outcome): HookReply {
    const result = permissionResult(request, outcome, 'deny', () => tools.approvedInput(request, outcome))
    const isHeard = isYesHeard({ permission_mode: call.hook.permission_mode })
    if (result.behavior === 'allow' && !isHeard) {
      bounded(repeats).set(textOf(call), hookReply(request, outcome, tools.approvedInput))
      return { output: REPEATED }
    }
    // A hook can only say no. Nobody here can stop the agent at a person's own terminal.
    const stops = result.behavior === 'deny' && result.interrupt === true && outcome.kind === 'denied'
    return { output: hookOutput(stops ? deny(`${result.message} ${STOP}`) : result) }
  }

  /** Nobody is left who would hand an answer on. */
  function giveUp(entry: Gated) {
    if (entry.connections > 0 || entry.settled) return
    entry.cancel.abort()
    forget(entry)
  }

  return {
    /** What the hook before this call says. Anything but a recorded yes is no yes (I4). */
    async reply(call: HookCall, signal: AbortSignal): Promise<HookReply> {
      // The next call that looks the same has to be allowed for itself.
      repeats.delete(textOf(call))
      try {
        return await judged(call, signal)
      } catch (error) {
        // We are leaving: the hook is to come again, and asks the next gateway.
        if (isDetached(error)) throw error
        const why = error instanceof Error ? error.message : String(error)
        if (!signal.aborted) options.warn('ask_refused', { requestId: call.requestId, error: why })
        return said('deny', `Holdpoint could not decide about this call (${why}). It was not allowed.`)
      }
    },
    /** The yes to this permission request, if the hook before the call has got it: for this once. */
    repeated(call: HookCall): HookReply | undefined {
      const text = textOf(call)
      const reply = repeats.get(text)
      repeats.delete(text)
      return reply
    },
    /** A tool has run: it is compared with what was decided here. */
    async ran(tool: RanTool): Promise<void> {
      const requestId = decided.get(tool.toolUseId)
      if (requestId === undefined) return
      over(tool.toolUseId, requestId)
      await start.ran({ ...tool, requestId })
    },
    /** The call has its result: so the agent has heard what was decided, or has given up. */
    ended({ toolUseId, end }: Extract<CallFact, { type: 'ended' }>) {
      const requestId = decided.get(toolUseId)
      const entry = requestId === undefined ? undefined : gated.get(requestId)
      if (requestId === undefined || !entry) return
      if (entry.settled) start.delivered([requestId])
      else entry.cancel.abort()
      forget(entry)
      // What it ran with may come later.
      if (end.kind !== 'ran') decided.delete(toolUseId)
    },
    whyTooLate(requestId: string): string | undefined {
      const entry = gated.get(requestId)
      const isCut = entry ? entry.connections === 0 && !entry.settled : absent.has(requestId)
      return isCut ? 'The hook of this ask is not connected at the moment. Try again shortly.' : undefined
    },
    /** Hooks that have not come back by now will not. */
    noneReturns() {
      absent.clear()
    },
    /** The process that asked is gone, and others of its conversation are not. */
    gone(pid: number) {
      for (const entry of [...gated.values()]) {
        if (entry.pid !== pid) continue
        entry.cancel.abort()
        forget(entry)
      }
    },
    open: () => [...gated.values()].filter(({ settled }) => !settled).map(({ requestId }) => requestId),
  }

  function over(toolUseId: string, requestId: string) {
    decided.delete(toolUseId)
    const entry = gated.get(requestId)
    if (!entry) return
    if (entry.settled) start.delivered([requestId])
    forget(entry)
  }
}

const STOP = 'Stop here, and wait for the user.'

type HookedInput = Parameters<typeof hookedCall>[0]

function said(effect: 'ask' | 'deny', why: string): HookReply {
  return { output: decision(effect, why) }
}

function textOf({ hook, process }: HookCall): string {
  const { tool_name: name, tool_input: input, agent_id: agentId } = hook
  return canonicalJson([process.pid, agentId ?? null, name ?? null, input ?? {}])
}
