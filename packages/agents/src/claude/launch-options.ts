import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import type { DriverStart, RanTool } from '@holdpoint/core/driver'
import { HOOK_TIMEOUT_SECONDS } from './gate-hook.ts'

export interface LaunchSettings {
  /** All of the agent's environment. */
  readonly env: Record<string, string | undefined>
  /** A `claude` to use instead of the one that comes with the SDK. */
  readonly executable?: string
  readonly mcpServers?: Options['mcpServers']
  /** What people should know of the program that runs. */
  readonly notice?: string
}

/**
 * Where everything has to ask. Another hook could change the input after a person's yes; the SDK's own callbacks run all
 * the same. A skill's own commands would run with the skill, and no card shows them.
 */
export const STRICT_SETTINGS = { disableAllHooks: true, disableSkillShellExecution: true } as const

/**
 * How Claude Code is started so that ours is the gate of record: its mode is always said, a folder's own settings act
 * only if a person has trusted it, nothing is allowed beforehand, and a gate that fails blocks.
 */
export function launchOptions(
  start: DriverStart,
  settings: LaunchSettings,
  { preToolUse, ran }: { preToolUse: HookCallback; ran: (tool: RanTool) => void },
): Options {
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
    ...(start.gate === 'everything' && { settings: STRICT_SETTINGS }),
    hooks: {
      // In every session, for only hooks are told in which folder a call acts. And always the same: the host hands over
      // those that wait when a gateway dies, to functions that it knows by their place alone.
      PreToolUse: [{ hooks: [preToolUse], timeout: HOOK_TIMEOUT_SECONDS, onFailure: 'block' }],
      PostToolUse: [{ hooks: [watch(ran)] }],
      PostToolUseFailure: [{ hooks: [watch(ran)] }],
    },
  }
}

/** The agent does not wait for the comparison: the host has answered it already. */
function watch(ran: (tool: RanTool) => void): HookCallback {
  return async (input) => {
    if (input.hook_event_name === 'PostToolUse' || input.hook_event_name === 'PostToolUseFailure') {
      const response = input.hook_event_name === 'PostToolUse' && { response: input.tool_response }
      ran({ toolUseId: input.tool_use_id, name: input.tool_name, input: input.tool_input, ...response })
    }
    return {}
  }
}
