import type { HookCallback, HookJSONOutput, Options } from '@anthropic-ai/claude-agent-sdk'
import type { DriverStart, RanTool } from '@holdpoint/core/driver'
import type { ToolInput } from '@holdpoint/schema/ask'
import type { InteractiveTools } from './interactive-tools.ts'

export interface LaunchSettings {
  /** All of the agent's environment. */
  readonly env: Record<string, string | undefined>
  /** A `claude` to use instead of the one that comes with the SDK. */
  readonly executable?: string
  readonly mcpServers?: Options['mcpServers']
}

/**
 * How Claude Code is started so that ours is the gate of record: its mode is always said, a folder's own settings act
 * only if a person has trusted it, nothing is allowed beforehand, and a gate that fails blocks.
 */
export function launchOptions(
  start: DriverStart,
  settings: LaunchSettings,
  { tools, ran }: { tools: InteractiveTools; ran: (tool: RanTool) => void },
): Options {
  const everything = start.gate === 'everything'
  return {
    cwd: start.cwd,
    permissionMode: start.permissionMode,
    ...(start.permissionMode === 'bypassPermissions' && { allowDangerouslySkipPermissions: true }),
    ...(start.model !== undefined && { model: start.model }),
    ...(start.resume !== undefined && { resume: start.resume }),
    settingSources: start.trusted ? ['user', 'project', 'local'] : ['user'],
    strictMcpConfig: !start.trusted,
    includePartialMessages: true,
    env: { ...settings.env },
    ...(settings.executable !== undefined && { pathToClaudeCodeExecutable: settings.executable }),
    ...(settings.mcpServers && { mcpServers: settings.mcpServers }),
    hooks: {
      // Says `ask` at once and never waits for a person: a hook that has not answered when the gateway dies is failed.
      ...((everything || tools.added > 0) && {
        PreToolUse: [{ hooks: [everything ? askAlways : askFor(tools)], onFailure: 'block' as const }],
      }),
      PostToolUse: [{ hooks: [watch(ran)] }],
      PostToolUseFailure: [{ hooks: [watch(ran)] }],
    },
  }
}

const askAlways: HookCallback = async () => ask('Every call asks in this session.')

/** A rule of the agent's own would let such a call through without the answer that it is made for. */
function askFor(tools: InteractiveTools): HookCallback {
  return async (input) =>
    input.hook_event_name === 'PreToolUse' && tools.hasToAsk(input.tool_name, input.tool_input as ToolInput)
      ? ask('This tool asks each time.')
      : {}
}

function ask(permissionDecisionReason: string): HookJSONOutput {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason } }
}

/** The agent does not wait for the comparison: the host has answered it already. */
function watch(ran: (tool: RanTool) => void): HookCallback {
  return async (input) => {
    if (input.hook_event_name === 'PostToolUse' || input.hook_event_name === 'PostToolUseFailure') {
      ran({ toolUseId: input.tool_use_id, name: input.tool_name, input: input.tool_input })
    }
    return {}
  }
}
