import {
  beforeCommand,
  type HookProgram,
  hookCommand,
  type WhenStopped,
} from '@holdpoint/agents/claude/hooks/hook-command'

export interface HookEntry {
  readonly matcher?: string
  readonly hooks: readonly unknown[]
}

/** A person may take a day. Claude Code would give up after a minute. */
const ASK_SECONDS = 86_400
/** A month: Claude Code refuses a call whose hook overruns its time. */
const BEFORE_SECONDS = 2_592_000
const LIFE_SECONDS = 10

/**
 * The hooks to install, by event. One asks and is waited for, one is asked before each call; the others follow the session's
 * life in the background. All of these events are older than 2.1.101; before that version a name that Claude Code did not
 * know made it drop the whole settings file.
 */
export function wantedHooks(program: HookProgram, whenStopped: WhenStopped): ReadonlyMap<string, HookEntry> {
  const command = hookCommand(program)
  const before = {
    type: 'command',
    command: beforeCommand(program, whenStopped),
    timeout: BEFORE_SECONDS,
    // A hook that is killed or cannot be run must not let its call through.
    onFailure: 'block',
  }
  const follow = { type: 'command', command: `${command} --life`, timeout: LIFE_SECONDS, async: true }
  return new Map<string, HookEntry>([
    ['PermissionRequest', { matcher: '*', hooks: [{ type: 'command', command, timeout: ASK_SECONDS }] }],
    ['PreToolUse', { matcher: '*', hooks: [before] }],
    ['SessionStart', { hooks: [follow] }],
    ['UserPromptSubmit', { hooks: [follow] }],
    ['PostToolUse', { matcher: '*', hooks: [follow] }],
    ['PostToolUseFailure', { matcher: '*', hooks: [follow] }],
    ['Notification', { hooks: [follow] }],
    ['Stop', { hooks: [follow] }],
    ['StopFailure', { hooks: [follow] }],
    ['SessionEnd', { hooks: [follow] }],
  ])
}

/** The same as they stand in a settings file that has no others. */
export function hooksSetting(wanted: ReadonlyMap<string, HookEntry>): Record<string, readonly HookEntry[]> {
  return Object.fromEntries([...wanted].map(([event, entry]) => [event, [entry]]))
}

export const OLDEST_CLAUDE = '2.1.101'
