import type {
  HookJSONOutput,
  PermissionMode,
  PermissionResult,
  PreToolUseHookInput,
} from '@anthropic-ai/claude-agent-sdk'
import type { ToolInput } from '@holdpoint/schema/ask'
import type { Verdict } from '@holdpoint/schema/policy'
import type { Gate } from '@holdpoint/schema/session'
import { makesWorktree, mayRunFolderCode } from './folder-code.ts'
import type { InteractiveTools } from './interactive-tools.ts'

/** A month. A hook that overruns its time is refused by the agent; left out, it would have ten minutes. */
export const HOOK_TIMEOUT_SECONDS = 2_592_000

/** Claude Code puts these to `canUseTool` in every mode, and takes their answers there. */
const ASKED_ANYWAY: readonly string[] = ['AskUserQuestion', 'ExitPlanMode']

/** `wait-for-person`: a rule may deny the call, and none may allow it. */
export type HookVerdict = 'wait' | 'wait-for-person' | { readonly say: HookJSONOutput }

/**
 * What the hook before a call says at once, or that it waits for a person itself. Where everything has to ask it waits:
 * its `ask` would leave the last word to other hooks and modes. After its no nothing runs. After its yes no other hook
 * or mode has a say; where Claude Code's own rules want a person all the same, `canUseTool` follows, which repeats the
 * yes for the same input and asks anew for any other.
 */
export function hookVerdict(call: PreToolUseHookInput, session: GatedSession): HookVerdict {
  const { tool_name: name, tool_input: input, permission_mode: mode } = call
  const stricter = whyPerson(call, session)
  // Made for a person's answer: neither a rule of the agent's own nor one of ours lets such a call through without it.
  const hasToAsk = session.tools.hasToAsk(name, input as ToolInput)
  const wait = stricter === undefined && !hasToAsk ? 'wait' : 'wait-for-person'
  // In plan mode a hook's yes is not heard, and `canUseTool` is not told whether a rule of the agent's own wants a person.
  const ruled = mode === PLAN && session.ruled === 'allow' ? 'none' : session.ruled
  // What a rule says is on record before the agent hears it.
  if (ruled === 'deny') return wait
  if (session.gate === 'everything') {
    const isAskedLater = (mode === PLAN && ruled === 'none') || ASKED_ANYWAY.includes(name)
    return isAskedLater ? { say: decision('ask', EVERYTHING) } : wait
  }
  // The folder's hooks still run. One of them could answer in our place, or put another input in the place of the one that
  // was shown, if it answers after us.
  if (session.watched?.areUnchanged === false) return { say: decision('deny', CHANGED) }
  // One that came later brings hooks and rules of its own, which no look at the folder has seen.
  if (name === 'Skill' && session.isNewSkill?.(String((input as ToolInput).skill))) {
    return { say: decision('deny', NEW_SKILL) }
  }
  if (hasToAsk) return { say: decision('ask', 'This tool asks each time.') }
  if (ruled === 'ask') return wait
  if (stricter !== undefined) return { say: decision('ask', stricter) }
  return ruled === 'allow' ? 'wait' : { say: {} }
}

interface GatedSession {
  readonly gate: Gate
  readonly trusted: boolean
  readonly tools: InteractiveTools
  /** Whether the agent has found this skill later than at its start, or that cannot be told. Left out: never. */
  readonly isNewSkill?: ((skill: string) => boolean) | undefined
  /** What is known of the files that the folder was trusted for, and of what this call does to them. Left out: nothing. */
  readonly watched?: { readonly areUnchanged: boolean; readonly mayChange: boolean } | undefined
  /** What the policy says of this call. */
  readonly ruled: Verdict['effect']
}

/** Why the call needs a person although a rule may allow it, if so. */
function whyPerson(
  { tool_name: name, tool_input: given, permission_mode: mode }: PreToolUseHookInput,
  { watched, trusted }: GatedSession,
): string | undefined {
  // Where the person switched asking off, it stays off for all that no rule asks about.
  if (mode === ('bypassPermissions' satisfies PermissionMode)) return undefined
  const input = given as ToolInput
  if (watched?.mayChange) return name === 'Skill' ? ARGUMENTS : WATCHED
  if (makesWorktree(name, input)) return WORKTREE
  if (!trusted && mayRunFolderCode(name, input)) return UNTRUSTED
  return name === 'Skill' && String(input.args).includes('@') ? MENTIONS : undefined
}

/** Calls that no rule is about: a person answers them with more than yes or no. */
export function isJudged(name: string): boolean {
  return !ASKED_ANYWAY.includes(name)
}

const PLAN: PermissionMode = 'plan'

/** In plan mode a hook's yes is not heard: `canUseTool` has to repeat it. */
export function isYesHeard({ permission_mode: mode }: { readonly permission_mode?: string | undefined }): boolean {
  return mode !== PLAN
}

export const REPEATED = decision('ask', 'This was allowed already.')

const NEW_SKILL =
  'This skill was added after the session began, so nobody has seen what it runs. To use it, move it to .claude/skills in the session’s folder, review the trust of that folder, and resume the session.'

const MENTIONS = 'A skill reads the files that its arguments name with @, without asking for each of them.'

const ARGUMENTS =
  'A skill may put its arguments into commands of its own, which run without asking, and reads the files that they name with @.'

const WORKTREE = 'A worktree is another checkout. Nobody has reviewed the settings, hooks and servers in it.'

const WATCHED =
  'This may change what the hooks, servers or skills of this trusted folder run. Claude Code runs them without asking.'

const CHANGED =
  'The settings, hooks or skills of this folder have changed since it was trusted. One of its hooks could answer for the user, or change what runs, so every call is refused. End your turn: the session then continues without them.'

const UNTRUSTED = 'This folder is not trusted, and git can run programs named in its .git/config.'

export const EVERYTHING = 'Every call asks in this session.'

/** The same answer as `canUseTool` would give, for the hook. To stop the agent as well is another matter. */
export function hookOutput(result: PermissionResult): HookJSONOutput {
  return result.behavior === 'allow'
    ? decision('allow', 'A person or a rule of the user allowed this.', { updatedInput: result.updatedInput })
    : decision('deny', result.message)
}

export function decision(
  permissionDecision: 'allow' | 'ask' | 'deny',
  permissionDecisionReason: string,
  more: { updatedInput?: Record<string, unknown> } = {},
): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason, ...more },
  }
}
