import type { PermissionDeniedHookInput, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { mayBeRememberedUnsaid } from '@holdpoint/core/remembering'
import type { ToolInput } from '@holdpoint/schema/ask'
import type { ToolContext } from './ask-request.ts'

/** Files that Claude Code guards whatever was allowed before: settings, hooks, what a shell or an editor starts. */
const GUARDED =
  /(?:^|[^\w.-])\.(?:git|claude|vscode|idea|husky|mcp\.json|claude\.json|gitmodules|gitconfig|ripgreprc|bash\w*|zsh\w*|z?profile|zlogin)(?:$|[^\w-])/i

/** Tools whose input says what they write to, and where in it. */
const WRITES_TO: ReadonlyMap<string, string> = new Map([
  ['Bash', 'command'],
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
])

/** For hooks, which are not told what `canUseTool` is: a guarded file is for a person each time, and for itself alone. */
export function guardedFlags(name: string, input: Readonly<ToolInput>): Required<Flags> {
  const target = input[WRITES_TO.get(name) ?? '']
  return {
    suppressAlwaysAllowRule: GUARDED.test(JSON.stringify(input)),
    defaultToNo: typeof target === 'string' && GUARDED.test(target),
  }
}
type Flags = Pick<ToolContext, 'suppressAlwaysAllowRule' | 'defaultToNo'>

/** What is known of a call before `canUseTool` would be asked: what that alone tells is left out, in doubt strictly. */
export function hookedCall(input: PreToolUseHookInput | PermissionDeniedHookInput, requestId: string): ToolContext {
  const { tool_name: name, tool_input: given, tool_use_id: toolUseID, agent_id: agentID, mcp_server: mcpServer } = input
  const flags = guardedFlags(name, given as ToolInput)
  return {
    requestId,
    toolUseID,
    displayName: displayName(name),
    ...flags,
    suppressAlwaysAllowRule: flags.suppressAlwaysAllowRule || !mayBeRememberedUnsaid(name),
    ...(agentID !== undefined && { agentID }),
    ...(mcpServer && { mcpServer }),
  }
}

/** As Claude Code does where a tool brings no name of its own: `mcp__server__do_it` is "Do It". */
function displayName(name: string): string {
  const tool = /^mcp__.+?__(.+)$/.exec(name)?.[1]
  return tool === undefined ? name : tool.replace(/[_-]+/g, ' ').replace(/\b\p{Ll}/gu, (letter) => letter.toUpperCase())
}
