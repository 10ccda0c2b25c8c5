import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { mayBeRememberedUnsaid } from '@holdpoint/core/remembering'
import type { ToolContext } from './ask-request.ts'
import { EVERYTHING } from './gate-hook.ts'

/** Files that Claude Code guards whatever was allowed before: settings, hooks, what a shell or an editor starts. */
const GUARDED =
  /(?:^|[^\w.-])\.(?:git|claude|vscode|idea|husky|mcp\.json|claude\.json|gitmodules|gitconfig|ripgreprc|bash\w*|zsh\w*|z?profile|zlogin)(?:$|[^\w-])/i

/** What is known of a call before `canUseTool` would be asked: what that alone tells is left out, in doubt strictly. */
export function hookedCall(input: PreToolUseHookInput, requestId: string): ToolContext {
  const { tool_name: name, tool_input: given, tool_use_id: toolUseID, agent_id: agentID, mcp_server: mcpServer } = input
  return {
    requestId,
    toolUseID,
    displayName: displayName(name),
    decisionReason: EVERYTHING,
    suppressAlwaysAllowRule: !mayBeRememberedUnsaid(name) || GUARDED.test(JSON.stringify(given) ?? ''),
    ...(agentID !== undefined && { agentID }),
    ...(mcpServer && { mcpServer }),
  }
}

/** As Claude Code does where a tool brings no name of its own: `mcp__server__do_it` is "Do It". */
function displayName(name: string): string {
  const tool = /^mcp__.+?__(.+)$/.exec(name)?.[1]
  return tool === undefined ? name : tool.replace(/[_-]+/g, ' ').replace(/\b\p{Ll}/gu, (letter) => letter.toUpperCase())
}
