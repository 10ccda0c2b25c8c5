import { hash } from 'node:crypto'
import type {
  CanUseTool,
  HookCallback,
  HookJSONOutput,
  OnElicitation,
  PermissionDeniedHookInput,
  PermissionMode,
  PermissionResult,
  PreToolUseHookInput,
} from '@anthropic-ai/claude-agent-sdk'
import type { DiskLook } from '@holdpoint/core/disk-look'
import { type DriverStart, isDetached } from '@holdpoint/core/driver'
import type { AskRequest, ToolInput } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Gate } from '@holdpoint/schema/session'
import { createRecentLook } from '../../files/recent-look.ts'
import { appealOf, RETRY, refusedCall } from '../asks/appeal.ts'
import { formAsk, gatedCall, type ToolContext } from '../asks/ask-request.ts'
import { EVERYTHING, hookOutput, hookVerdict, isJudged, isYesHeard, REPEATED } from '../asks/gate-hook.ts'
import { hookedCall } from '../asks/hooked-call.ts'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { modeAfterPlan } from '../asks/mode-after-plan.ts'
import { deny, elicitationResult, permissionResult } from '../asks/permission-result.ts'
import { renewing } from '../asks/renewing.ts'
import type { Subagent } from '../asks/subagents.ts'
import { mayChangeWatched, type WatchedFiles } from '../asks/watched-files.ts'

export interface ToolGateOptions {
  readonly gate: () => Gate
  /** Whether the folder still counts as trusted by a person, or a program that embeds us answers for it. */
  readonly isTrusted: () => boolean
  /** Whether the agent has found this skill later than at its start, or that cannot be told. Left out: never. */
  readonly isNewSkill?: (skill: string) => boolean
  /** The files that the folder was trusted for, as they are now. Left out where the agent runs nothing of the folder's. */
  readonly watchedFiles?: () => Promise<WatchedFiles>
  /** The session's folder, for what acts in none: a form. */
  readonly cwd: string
  /** The folder that the agent has reported for a call. */
  readonly folderOf: (toolUseId: string) => string | undefined
  /** The request that the agent waits on with its hook before this call. */
  readonly hookRequest: (toolUseId: string) => string | undefined
  /** Ends the agent's turn: a hook can only say no. */
  readonly interrupt: () => Promise<void>
  readonly onTimeout: DriverStart['onTimeout']
  readonly tools: InteractiveTools
  readonly ask: DriverStart['ask']
  readonly judge: DriverStart['judge']
  readonly warn: LogFunction
  /** Tells people, in the session's thread, of what was refused without them. */
  readonly notice: (text: string) => void
  /** Who a subagent is that asks under this id. */
  readonly named?: (agentId: unknown) => Subagent
  /** A plan was allowed: the agent may go on in this mode, which it is told with the yes. */
  readonly onPlanMode?: (mode: DriverStart['permissionMode']) => void
  /** Whether a call that the SDK gives up was given up by the agent. Left out: always. */
  readonly wasCancelledByAgent?: () => boolean
  /** Whether somebody else will answer the agent later: then a failure says nothing at all. Left out: never. */
  readonly isDetaching?: () => boolean
}

export interface ToolGate {
  /** For the hook before each call. */
  readonly preToolUse: HookCallback
  /** For the hook after the agent's own gate has refused a call. */
  readonly permissionDenied: HookCallback
  readonly canUseTool: CanUseTool
  readonly onElicitation: OnElicitation
}

/** The agent's questions to its gate, put to people. Anything but a recorded yes is a no (I4). */
export function createToolGate(options: ToolGateOptions): ToolGate {
  const { cwd, tools, ask } = options
  /**
   * The tool and input that the hook has allowed, by call: some reach `canUseTool` all the same, and nobody is asked twice.
   * As a hash, for most do not, and an input may be megabytes.
   */
  const allowed = new Map<string, string>()
  const looks = createRecentLook()

  function resultOf(request: AskRequest, outcome: Outcome): PermissionResult {
    try {
      const onTimeout = options.onTimeout(request.kind)
      return permissionResult(request, outcome, onTimeout, () => tools.approvedInput(request, outcome))
    } catch (error) {
      options.warn('answer_not_delivered', { tool: request.tool?.name, error: String(error) })
      return deny('The answer of the user could not be applied to this call. It was not allowed.')
    }
  }

  /**
   * The SDK gives up its calls also when the process is gone or we leave. Then the agent has not taken anything back:
   * the ask is orphaned, or waits for the next gateway.
   */
  function takenBack(signal: AbortSignal): AbortSignal {
    const cancelled = new AbortController()
    const onAbort = () => {
      if (options.wasCancelledByAgent?.() ?? true) cancelled.abort(signal.reason)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    return cancelled.signal
  }

  /** Leaving is no answer: the next gateway will give it. Any other failure is a no. */
  function refused<Result>(error: unknown, no: (why: string) => Result): Promise<Result> | Result {
    // By its code as well: the waiting ends a moment before the driver is told to leave, and a no in that moment would
    // spend an ask that the next gateway still shows.
    const isDetaching = options.isDetaching?.() || isDetached(error)
    if (isDetaching) return new Promise<Result>(() => {})
    options.warn('ask_refused', { error: String(error) })
    return no(error instanceof Error ? error.message : String(error))
  }

  /** Puts a call to people, and says what came of it. */
  async function decide(
    name: string,
    given: Readonly<ToolInput>,
    { signal, ...context }: SignalledContext,
    how: { readonly mayRuleAllow: boolean; readonly isDenied?: boolean; readonly appeal?: AskRequest['appeal'] },
  ) {
    const from = options.named?.(context.agentID) ?? {}
    const folder = options.folderOf(context.toolUseID)
    const call = gatedCall(name, given, context, { ...(folder !== undefined && { cwd: folder }), from })
    const plainly = how.isDenied ?? false
    const toAsk = async (disk?: DiskLook) => ({
      ...(await tools.toAsk(call, { plainly, ...(disk && { disk }) })),
      ...(how.appeal && { appeal: how.appeal }),
    })
    const disk = looks.take(context.toolUseID)
    const first = await toAsk(disk)
    if ('refusal' in first) return { result: deny(first.refusal) }
    let request = first
    const renew = renewing(
      () => toAsk(),
      (next) => {
        request = next
      },
    )
    const outcome = await ask(first, { signal: takenBack(signal), renew, mayRuleAllow: how.mayRuleAllow, disk })
    return { request, outcome, result: resultOf(request, outcome) }
  }

  async function waitInHook(
    input: PreToolUseHookInput,
    { requestId, signal }: Waiting,
    { needsPerson, isDenied }: { readonly needsPerson: boolean; readonly isDenied: boolean },
  ): Promise<HookJSONOutput> {
    const { tool_name: name, tool_use_id: toolUseId } = input
    const why = options.gate() === 'everything' && { decisionReason: EVERYTHING }
    const context = { ...hookedCall(input, requestId), ...why, signal }
    const isHeard = isYesHeard(input)
    const how = { mayRuleAllow: isHeard && !needsPerson, isDenied }
    const { result, outcome } = await decide(name, input.tool_input as ToolInput, context, how)
    // After a rule's yes the agent asks only where it requires a person: what is stricter than a rule holds.
    const isRepeated = result.behavior === 'allow' && outcome?.rules === undefined
    if (isRepeated) allowed.set(toolUseId, callHash(name, result.updatedInput))
    if (result.behavior === 'allow' && !isHeard) return REPEATED
    // An ask that was withdrawn was so because the agent is being stopped already: the next turn is not to be hit.
    const stops = result.behavior === 'deny' && result.interrupt === true && outcome?.kind !== 'withdrawn'
    if (stops) stopSoon(name)
    return hookOutput(result)
  }

  /** Puts to people what the agent's own gate has refused. Anything but their yes leaves it refused. */
  async function appeal(input: PermissionDeniedHookInput, { requestId, signal }: Waiting): Promise<HookJSONOutput> {
    const { tool_name: name, tool_input: toolInput } = input
    // A yes is repeated by the hook before the next call. Where that is not heard, it would be an empty promise.
    if (!isYesHeard(input) || !isJudged(name) || tools.hasToAsk(name, toolInput as ToolInput)) return {}
    const context = { ...refusedCall(input, requestId), signal }
    const how = { mayRuleAllow: false, appeal: appealOf(input) }
    const { outcome } = await decide(name, toolInput as ToolInput, context, how)
    if (outcome?.kind === 'denied' && outcome.answer?.interrupt === true) stopSoon(name)
    return outcome?.kind === 'allowed' ? RETRY : {}
  }

  /** After the hook's answer has left: interrupted before it, the agent would not hear the reason. */
  function stopSoon(tool: string) {
    const notStopped = (error: unknown) =>
      options.warn('agent_not_stopped_after_denial', { tool, error: String(error) })
    setImmediate(() => void options.interrupt().catch(notStopped))
  }

  /** Claude Code asks again where its own rules want a person: about the same call, or about one that others changed. */
  function isAllowedAlready(context: ToolContext, name: string, input: Readonly<ToolInput>): boolean {
    const known = allowed.get(context.toolUseID)
    allowed.delete(context.toolUseID)
    return known !== undefined && known === callHash(name, input)
  }

  /** Looked at before each call: a hook or skill that nobody has seen must not decide about it. */
  async function watchedBy({
    tool_name: name,
    tool_input: input,
    cwd: folder,
    permission_mode: mode,
  }: PreToolUseHookInput) {
    // Where the person switched asking off, it stays off.
    if (mode === ('bypassPermissions' satisfies PermissionMode)) return undefined
    const files = await options.watchedFiles?.()
    if (!files) return undefined
    const mayChange = await mayChangeWatched(files, { name, input: input as ToolInput, cwd: folder })
    return { areUnchanged: files.areUnchanged, mayChange }
  }

  const notPut = (why: string) => deny(`Holdpoint could not ask a person (${why}). It was not allowed.`)

  return {
    async preToolUse(input, _, { signal }) {
      if (input.hook_event_name !== 'PreToolUse') return {}
      const { tool_name: name, tool_input: given, tool_use_id: toolUseId } = input
      allowed.delete(toolUseId)
      // Taken whether it is needed or not: the next call under this id has a request of its own.
      const requestId = options.hookRequest(toolUseId)
      try {
        const { isNewSkill } = options
        const tool = { name, input: given as ToolInput }
        const [watched, ruled] = await Promise.all([
          watchedBy(input),
          isJudged(name)
            ? options.judge({ tool, cwd: input.cwd, disk: looks.begin(toolUseId) }, requestId)
            : ('none' as const),
        ])
        const session = { gate: options.gate(), trusted: options.isTrusted(), tools, isNewSkill, watched, ruled }
        const verdict = hookVerdict(input, session)
        if (typeof verdict === 'object') return verdict.say
        const how = { needsPerson: verdict === 'wait-for-person', isDenied: ruled === 'deny' }
        return await waitInHook(input, waiting(requestId, signal), how)
      } catch (error) {
        return refused(error, (why) => hookOutput(notPut(why)))
      }
    },
    async permissionDenied(input, _, { signal }) {
      if (input.hook_event_name !== 'PermissionDenied') return {}
      const requestId = options.hookRequest(input.tool_use_id)
      try {
        return await appeal(input, waiting(requestId, signal))
      } catch (error) {
        return refused(error, () => ({}))
      }
    },
    async canUseTool(name, given, context) {
      try {
        if (isAllowedAlready(context, name, given)) return { behavior: 'allow', updatedInput: given }
        const { request, outcome, result } = await decide(name, given, context, { mayRuleAllow: false })
        const next = request && outcome && modeAfterPlan(request, outcome)
        if (next !== undefined) options.onPlanMode?.(next)
        return result
      } catch (error) {
        return refused(error, notPut)
      }
    },
    async onElicitation(request, { signal, requestId }) {
      try {
        const form = formAsk(request, requestId, cwd)
        if ('refusal' in form) {
          options.notice(form.refusal)
          return { action: 'cancel' }
        }
        const outcome = await ask(form, { signal: takenBack(signal) })
        // A reply to a form cannot say that the turn is to end.
        if (outcome.kind === 'expired' && options.onTimeout('form') === 'interrupt') stopSoon(request.serverName)
        return elicitationResult(outcome)
      } catch (error) {
        return refused(error, () => ({ action: 'cancel' as const }))
      }
    },
  }
}

function callHash(name: string, input: Readonly<ToolInput> | undefined): string {
  return hash('sha256', canonicalJson([name, input]), 'hex')
}

type SignalledContext = ToolContext & { readonly signal: AbortSignal }

/** The request that the agent waits on with a hook. */
interface Waiting {
  readonly requestId: string
  readonly signal: AbortSignal
}

function waiting(requestId: string | undefined, signal: AbortSignal): Waiting {
  if (requestId === undefined) throw new Error('the agent did not say which request waits')
  return { requestId, signal }
}
