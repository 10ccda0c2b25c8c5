import type {
  CanUseTool,
  HookCallback,
  HookJSONOutput,
  OnElicitation,
  PermissionResult,
  PreToolUseHookInput,
} from '@anthropic-ai/claude-agent-sdk'
import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import type { AskRequest, ToolInput } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Gate } from '@holdpoint/schema/session'
import { formAsk, gatedCall, type ToolContext } from './ask-request.ts'
import { hookOutput, hookVerdict } from './gate-hook.ts'
import { hookedCall } from './hooked-call.ts'
import type { InteractiveTools } from './interactive-tools.ts'
import { deny, elicitationResult, permissionResult } from './permission-result.ts'
import type { Subagent } from './subagents.ts'

export interface ToolGateOptions {
  readonly gate: () => Gate
  /** Whether the folder still counts as trusted by a person, or a program that embeds us answers for it. */
  readonly isTrusted: () => boolean
  /** Whether the agent has found this skill later than at its start, or that cannot be told. Left out: never. */
  readonly isNewSkill?: (skill: string) => boolean
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
  readonly warn: (message: string, details: Record<string, unknown>) => void
  /** Tells people, in the session's thread, of what was refused without them. */
  readonly notice: (text: string) => void
  /** Who a subagent is that asks under this id. */
  readonly named?: (agentId: unknown) => Subagent
  /** A plan was allowed, to go on in this mode. */
  readonly onPlanMode?: (mode: DriverStart['permissionMode']) => void
  /** Whether a call that the SDK gives up was given up by the agent. Left out: always. */
  readonly isTakenBack?: () => boolean
  /** Whether somebody else will answer the agent later: then a failure says nothing at all. Left out: never. */
  readonly isLeaving?: () => boolean
}

export interface ToolGate {
  /** For the hook before each call. */
  readonly preToolUse: HookCallback
  readonly canUseTool: CanUseTool
  readonly onElicitation: OnElicitation
}

/** The agent's questions to its gate, put to people. Anything but a recorded yes is a no (I4). */
export function createToolGate(options: ToolGateOptions): ToolGate {
  const { cwd, tools, ask } = options
  /** The tool and input that the hook has allowed, by call: some reach `canUseTool` all the same, and nobody is asked twice. */
  const allowed = new Map<string, string>()

  function resultOf(request: AskRequest, outcome: Outcome): PermissionResult {
    try {
      return permissionResult(request, outcome, options.onTimeout, () => tools.handed(request, outcome))
    } catch (error) {
      options.warn('an answer could not be handed over', { tool: request.tool?.name, error: String(error) })
      return deny('The answer of the user could not be worked into this call. It was not allowed.')
    }
  }

  /**
   * The SDK gives up its calls also when the process is gone or we leave. Then the agent has not taken anything back:
   * the ask is orphaned, or waits for the next gateway.
   */
  function takenBack(signal: AbortSignal): AbortSignal {
    const cancelled = new AbortController()
    const onAbort = () => {
      if (options.isTakenBack?.() ?? true) cancelled.abort(signal.reason)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    return cancelled.signal
  }

  /** Leaving is no answer: the next gateway will give it. Any other failure is a no. */
  function refused<Result>(error: unknown, no: (why: string) => Result): Promise<Result> | Result {
    // By its code as well: the waiting ends a moment before the driver is told to leave, and a no in that moment would
    // spend an ask that the next gateway still shows.
    const isLeaving = options.isLeaving?.() || (error instanceof DriverError && error.code === 'detached')
    if (isLeaving) return new Promise<Result>(() => {})
    options.warn('an ask was refused', { error: String(error) })
    return no(error instanceof Error ? error.message : String(error))
  }

  /** Puts a call to people, and says what came of it. */
  async function decide(name: string, given: Readonly<ToolInput>, { signal, ...context }: SignalledContext) {
    const from = options.named?.(context.agentID) ?? {}
    const folder = options.folderOf(context.toolUseID)
    const call = gatedCall(name, given, context, { ...(folder !== undefined && { cwd: folder }), from })
    const first = await tools.toAsk(call)
    if ('refusal' in first) return { result: deny(first.refusal) }
    let request = first
    const renew = async () => {
      const next = await tools.toAsk(call)
      // The answer is to what was shown last.
      if (!('refusal' in next)) request = next
      return next
    }
    const outcome = await ask(first, { signal: takenBack(signal), renew })
    return { request, outcome, result: resultOf(request, outcome) }
  }

  async function waitInHook(
    input: PreToolUseHookInput,
    given: { requestId: string | undefined; signal: AbortSignal },
  ): Promise<HookJSONOutput> {
    const { tool_name: name, tool_use_id: toolUseId } = input
    const { requestId, signal } = given
    if (requestId === undefined) throw new Error('the agent did not say which request it waits with')
    const context = { ...hookedCall(input, requestId), signal }
    const { result, outcome } = await decide(name, input.tool_input as ToolInput, context)
    if (result.behavior === 'allow') allowed.set(toolUseId, canonicalJson([name, result.updatedInput]))
    // An ask that was withdrawn was so because the agent is being stopped already: the next turn is not to be hit.
    const stops = result.behavior === 'deny' && result.interrupt === true && outcome?.kind !== 'withdrawn'
    // After the no has left: interrupted before it, the agent would not hear the reason.
    if (stops) setImmediate(() => void options.interrupt().catch((error: unknown) => notStopped(name, error)))
    return hookOutput(result)
  }

  function notStopped(tool: string, error: unknown) {
    options.warn('the agent was told no, and could not be stopped', { tool, error: String(error) })
  }

  /** Claude Code asks again where its own rules want a person: about the same call, or about one that others changed. */
  function isAllowedAlready(toolUseId: string, name: string, input: Readonly<ToolInput>): boolean {
    const known = allowed.get(toolUseId)
    allowed.delete(toolUseId)
    return known !== undefined && known === canonicalJson([name, input])
  }

  const notPut = (why: string) => deny(`Holdpoint could not put this to a person (${why}). It was not allowed.`)

  return {
    async preToolUse(input, _, { signal }) {
      if (input.hook_event_name !== 'PreToolUse') return {}
      allowed.delete(input.tool_use_id)
      // Taken whether it is needed or not: the next call under this id has a request of its own.
      const requestId = options.hookRequest(input.tool_use_id)
      try {
        const { isNewSkill } = options
        const verdict = hookVerdict(input, { gate: options.gate(), trusted: options.isTrusted(), tools, isNewSkill })
        return verdict === 'wait' ? await waitInHook(input, { requestId, signal }) : verdict.say
      } catch (error) {
        return refused(error, (why) => hookOutput(notPut(why)))
      }
    },
    async canUseTool(name, given, context) {
      try {
        if (isAllowedAlready(context.toolUseID, name, given)) return { behavior: 'allow', updatedInput: given }
        const { request, outcome, result } = await decide(name, given, context)
        const next =
          outcome?.kind === 'allowed' && request?.kind === 'plan' ? outcome.answer?.permissionMode : undefined
        if (next !== undefined) options.onPlanMode?.(next as DriverStart['permissionMode'])
        return result
      } catch (error) {
        return refused(error, notPut)
      }
    },
    async onElicitation(request, { signal, requestId }) {
      try {
        const form = formAsk(request, requestId, cwd)
        if (!('refusal' in form)) return elicitationResult(await ask(form, { signal: takenBack(signal) }))
        options.notice(form.refusal)
        return { action: 'cancel' }
      } catch (error) {
        return refused(error, () => ({ action: 'cancel' as const }))
      }
    },
  }
}

type SignalledContext = ToolContext & { readonly signal: AbortSignal }
