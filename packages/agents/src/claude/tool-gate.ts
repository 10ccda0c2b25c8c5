import type { CanUseTool, OnElicitation, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { formAsk, gatedCall } from './ask-request.ts'
import type { InteractiveTools } from './interactive-tools.ts'
import { deny, elicitationResult, permissionResult } from './permission-result.ts'
import type { Subagent } from './subagents.ts'

export interface ToolGateOptions {
  readonly cwd: string
  readonly onTimeout: DriverStart['onTimeout']
  readonly tools: InteractiveTools
  readonly ask: DriverStart['ask']
  readonly warn: (message: string, details: Record<string, unknown>) => void
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
  readonly canUseTool: CanUseTool
  readonly onElicitation: OnElicitation
}

/** The agent's questions to its gate, put to people. Anything but a recorded yes is a no (I4). */
export function createToolGate(options: ToolGateOptions): ToolGate {
  const { cwd, tools, ask } = options

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

  return {
    async canUseTool(name, given, context) {
      try {
        const from = options.named?.(context.agentID) ?? {}
        const call = gatedCall(name, given, context, { cwd, from })
        const request = await tools.toAsk(call)
        if ('refusal' in request) return deny(request.refusal)
        const renew = () => tools.toAsk(call)
        const outcome = await ask(request, { signal: takenBack(context.signal), renew })
        const next = outcome.kind === 'allowed' && request.kind === 'plan' ? outcome.answer?.permissionMode : undefined
        if (next !== undefined) options.onPlanMode?.(next as DriverStart['permissionMode'])
        return resultOf(request, outcome)
      } catch (error) {
        return refused(error, (why) => deny(`Holdpoint could not put this to a person (${why}). It was not allowed.`))
      }
    },
    async onElicitation(request, { signal, requestId }) {
      try {
        return elicitationResult(await ask(formAsk(request, requestId, cwd), { signal: takenBack(signal) }))
      } catch (error) {
        return refused(error, () => ({ action: 'cancel' as const }))
      }
    },
  }
}
