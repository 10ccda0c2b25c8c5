import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import type { DriverStart, RanTool } from '@holdpoint/core/driver'

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
export function launchOptions(start: DriverStart, settings: LaunchSettings, ran: (tool: RanTool) => void): Options {
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
      ...(start.gate === 'everything' && { PreToolUse: [{ hooks: [askAlways], onFailure: 'block' as const }] }),
      PostToolUse: [{ hooks: [watch(ran)] }],
      PostToolUseFailure: [{ hooks: [watch(ran)] }],
    },
  }
}

const askAlways: HookCallback = async () => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: 'Every call asks in this session.',
  },
})

/** The agent does not wait for the comparison: the host has answered it already. */
function watch(ran: (tool: RanTool) => void): HookCallback {
  return async (input) => {
    if (input.hook_event_name === 'PostToolUse' || input.hook_event_name === 'PostToolUseFailure') {
      ran({ toolUseId: input.tool_use_id, name: input.tool_name, input: input.tool_input })
    }
    return {}
  }
}
