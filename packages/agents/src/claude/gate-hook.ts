import type {
  HookJSONOutput,
  PermissionMode,
  PermissionResult,
  PreToolUseHookInput,
} from '@anthropic-ai/claude-agent-sdk'
import type { ToolInput } from '@holdpoint/schema/ask'
import type { Gate } from '@holdpoint/schema/session'
import { mayRunFolderCode } from './folder-code.ts'
import type { InteractiveTools } from './interactive-tools.ts'

/** A month. A hook that overruns its time is refused by the agent; left out, it would have ten minutes. */
export const HOOK_TIMEOUT_SECONDS = 2_592_000

/** Claude Code puts these to `canUseTool` in every mode, and takes their answers there. */
const ASKED_ANYWAY: readonly string[] = ['AskUserQuestion', 'ExitPlanMode']

export type HookVerdict = 'wait' | { readonly say: HookJSONOutput }

/**
 * What the hook before a call says at once, or that it waits for a person itself. Where everything has to ask it waits:
 * its `ask` would leave the last word to other hooks and modes. After its no nothing runs. After its yes no other hook
 * or mode has a say; where Claude Code's own rules want a person all the same, `canUseTool` follows, which repeats the
 * yes for the same input and asks anew for any other.
 */
export function hookVerdict(
  { tool_name: name, tool_input: input, permission_mode: mode }: PreToolUseHookInput,
  session: {
    readonly gate: Gate
    readonly trusted: boolean
    readonly tools: InteractiveTools
    /** Whether the agent has found this skill later than at its start, or that cannot be told. Left out: never. */
    readonly isNewSkill?: ((skill: string) => boolean) | undefined
  },
): HookVerdict {
  if (session.gate === 'everything') {
    // In plan mode a hook's yes is not heard.
    const isAskedLater = mode === ('plan' satisfies PermissionMode) || ASKED_ANYWAY.includes(name)
    return isAskedLater ? { say: decision('ask', EVERYTHING) } : 'wait'
  }
  // One that came later brings hooks and rules of its own, which no look at the folder has seen.
  if (name === 'Skill' && session.isNewSkill?.(String((input as ToolInput).skill))) {
    return { say: decision('deny', NEW_SKILL) }
  }
  // A rule of the agent's own would let such a call through without the answer that it is made for.
  if (session.tools.hasToAsk(name, input as ToolInput)) return { say: decision('ask', 'This tool asks each time.') }
  // Where the person switched asking off, it stays off.
  if (mode === ('bypassPermissions' satisfies PermissionMode)) return { say: {} }
  if (!session.trusted && mayRunFolderCode(name, input as ToolInput)) return { say: decision('ask', UNTRUSTED) }
  return { say: name === 'Skill' && String((input as ToolInput).args).includes('@') ? decision('ask', MENTIONS) : {} }
}

const NEW_SKILL =
  'This skill was not there when the session began, so nobody has seen what it runs. To use it, move it to .claude/skills of the session’s folder, look at the trust of that folder again, and resume the session.'

const MENTIONS = 'Files that are named with @ in what a skill is given are read with it, without an ask of their own.'

const UNTRUSTED = 'Nobody has trusted this folder, and git can run programs named in its .git/config.'

export const EVERYTHING = 'Every call asks in this session.'

/** The same answer as `canUseTool` would give, for the hook. To stop the agent as well is another matter. */
export function hookOutput(result: PermissionResult): HookJSONOutput {
  return result.behavior === 'allow'
    ? decision('allow', 'A person allowed this.', { updatedInput: result.updatedInput })
    : decision('deny', result.message)
}

function decision(
  permissionDecision: 'allow' | 'ask' | 'deny',
  permissionDecisionReason: string,
  more: { updatedInput?: Record<string, unknown> } = {},
): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason, ...more },
  }
}
