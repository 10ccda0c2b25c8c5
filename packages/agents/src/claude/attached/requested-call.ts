import type { ToolInput } from '@holdpoint/schema/ask'
import { type GatedCall, gatedCall, type ToolContext } from '../asks/ask-request.ts'
import { guardedFlags } from '../asks/hooked-call.ts'
import type { Subagent } from '../asks/subagents.ts'
import type { HookCall } from './hook-call.ts'

/** The call that a permission request of Claude Code's is about, in the form in which it is put to people. */
export function requestedCall(
  { requestId, hook }: HookCall,
  tool: { name: string; input: ToolInput; toolUseId: string | undefined; from: Subagent },
): GatedCall {
  const { name, input, toolUseId, from } = tool
  const { permission_suggestions: suggestions = [] } = hook
  const flags = guardedFlags(name, input)
  const context = {
    requestId,
    ...(toolUseId !== undefined && { toolUseID: toolUseId }),
    suggestions,
    ...flags,
    // Where Claude Code itself offers no more than this once, a rule or a check wants a person each time.
    suppressAlwaysAllowRule: flags.suppressAlwaysAllowRule || suggestions.length === 0,
    ...(hook.mcp_server && { mcpServer: hook.mcp_server }),
  } as unknown as ToolContext
  // The folder of this very call, as its hook tells it: a shell may have led it elsewhere.
  return gatedCall(name, input, context, { cwd: hook.cwd, from })
}
