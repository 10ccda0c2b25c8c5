import type { HookJSONOutput, PermissionDeniedHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { ToolContext } from './ask-request.ts'
import { hookedCall } from './hooked-call.ts'

/** It comes from a model, and may be of any length. */
const MAX_REASON = 2000

/** The one thing that a hook can say to the agent after its own gate has refused a call. */
export const RETRY: HookJSONOutput = { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } }

/** Why the agent's own gate has refused the call, as people are shown it. */
export function appealOf({ reason }: PermissionDeniedHookInput): NonNullable<AskRequest['appeal']> {
  const isCut = reason.length > MAX_REASON
  return { reason: isCut ? `${reason.slice(0, MAX_REASON)}… (cut)` : reason }
}

/** What is known of the call. The reason is there also for those who know nothing of appeals. */
export function refusedCall(input: PermissionDeniedHookInput, requestId: string): ToolContext {
  const { reason } = appealOf(input)
  const decisionReason = `Claude Code refused this call itself. If you allow it, Claude Code may make exactly this call once, before its turn ends. Why it refused: ${reason}`
  return { ...hookedCall(input, requestId), decisionReason }
}
