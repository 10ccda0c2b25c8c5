import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import type { DriverStart, RanTool } from '@holdpoint/core/driver'
import type { Gate } from '@holdpoint/schema/session'
import { HOOK_TIMEOUT_SECONDS } from '../asks/gate-hook.ts'

export interface LaunchSettings {
  /** All of the agent's environment. */
  readonly env: Record<string, string | undefined>
  /** A `claude` to use instead of the one that comes with the SDK. */
  readonly executable?: string
  readonly mcpServers?: Options['mcpServers']
  /** What people should know of the program that runs. */
  readonly notice?: string
}

/** Where everything has to ask, or nobody has trusted the folder: a skill's own commands would run with it, unseen. */
const NO_COMMANDS_IN_SKILLS = {
  disableSkillShellExecution: true,
  /** Of those that come with Claude Code, the one that runs git by itself all the same. */
  skillOverrides: { 'security-review': 'off' },
} as const

/** Where everything has to ask: another hook could change the input after a person's yes. The SDK's own run all the same. */
const NO_OTHER_HOOKS = { disableAllHooks: true } as const

/**
 * In every session: turns begin with a message of its thread, for the answers remembered in the session hold for every
 * turn. Claude Code would also begin one when another session of the user writes, unasked on both sides, and when a
 * task of `.claude/scheduled_tasks.json` is due, in a folder that nobody trusts as well. What is set here counts before
 * the settings of user and folder; the environment of the process would not. Subagents of the session itself are not
 * concerned.
 */
const NO_OTHER_TURNS = {
  /** Nothing of another session's is taken. */
  crossSessionInbound: 'refuse',
  env: {
    /** The agent's own switch for all of it: it also sends nothing, and opens no inbox. */
    CLAUDE_CODE_HARBOR_KITE: '0',
    /** No task of a file is begun, nor one that the agent itself has put off to a later time. */
    CLAUDE_CODE_DISABLE_CRON: '1',
  },
} as const

export type SessionSettings = typeof NO_OTHER_TURNS & Partial<typeof NO_COMMANDS_IN_SKILLS & typeof NO_OTHER_HOOKS>

/** The settings that we hand to the agent; they count before those of the user and the folder. */
export function sessionSettings({ gate, trusted }: { gate: Gate; trusted: boolean }): SessionSettings {
  const isStrict = gate === 'everything'
  return {
    ...NO_OTHER_TURNS,
    ...((isStrict || !trusted) && NO_COMMANDS_IN_SKILLS),
    ...(isStrict && NO_OTHER_HOOKS),
  }
}

export interface LaunchHooks {
  readonly preToolUse: HookCallback
  readonly permissionDenied: HookCallback
  readonly ran: (tool: RanTool) => void
}

/**
 * How Claude Code is started so that ours is the gate of record: its mode is always said, a folder's own settings act
 * only if a person has trusted it, nothing is allowed beforehand, and a gate that fails blocks.
 */
export function launchOptions(
  start: DriverStart,
  settings: LaunchSettings,
  { preToolUse, permissionDenied, ran }: LaunchHooks,
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
    settings: sessionSettings(start),
    hooks: {
      // In every session, for only hooks are told in which folder a call acts. And always the same: the host hands over
      // those that wait when a gateway dies, to functions that it knows by their place alone.
      PreToolUse: [{ hooks: [preToolUse], timeout: HOOK_TIMEOUT_SECONDS, onFailure: 'block' }],
      PostToolUse: [{ hooks: [watch(ran)] }],
      PostToolUseFailure: [{ hooks: [watch(ran)] }],
      ConfigChange: [{ hooks: [keepLoadedSettings], timeout: HOOK_TIMEOUT_SECONDS, onFailure: 'block' }],
      // If it fails, the call stays refused.
      PermissionDenied: [{ hooks: [permissionDenied], timeout: HOOK_TIMEOUT_SECONDS }],
    },
  }
}

/**
 * Claude Code loads settings and skills again when one of their files changes, the user's as well as the folder's: a hook
 * that nobody has looked at would run at once, although the folder was trusted for something else (T34).
 */
const keepLoadedSettings: HookCallback = async () => ({
  decision: 'block',
  reason: 'The settings stay as they were when the session began.',
})

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
