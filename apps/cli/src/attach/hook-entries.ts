import { hookSocket } from '@holdpoint/agents/claude/hooks/hook-access'

export interface HookProgram {
  /** For a machine without curl. */
  readonly node: string
  readonly hookMain: string
  readonly dataDir: string
}

export interface HookEntry {
  readonly matcher?: string
  readonly hooks: readonly unknown[]
}

/** How a command of ours begins: a no-op for the shell, a name for people and for us. */
const MARK = ': holdpoint; '
/** A person may take a day. Claude Code would give up after a minute. */
const ASK_SECONDS = 86_400
const LIFE_SECONDS = 10

/**
 * What Claude Code hands to the shell. It does nothing, and says nothing, where there is nothing to do: no gateway runs,
 * or Holdpoint is not there any more; or a program drives Claude Code through the SDK and is asked itself, as the gateway
 * is. The shell is replaced by the hook (exec), so that ending one ends the other.
 */
export function hookCommand({ node, hookMain, dataDir }: HookProgram): string {
  const [program, script, folder, socket] = [node, hookMain, dataDir, hookSocket(dataDir)].map(quoted)
  return `${MARK}case "$CLAUDE_CODE_ENTRYPOINT" in sdk-ts|sdk-py) exit 0;; esac; [ ! -S ${socket} ] || [ ! -r ${script} ] || exec /bin/sh ${script} --data ${folder} --node ${program} --parent "$PPID"`
}

/**
 * The hooks to install, by event. One asks and is waited for; the others follow the session's life in the background.
 * All of these events are older than 2.1.101; before that version a name that Claude Code did not know made it drop the
 * whole settings file.
 */
export function wantedHooks(command: string): ReadonlyMap<string, HookEntry> {
  const follow = { type: 'command', command: `${command} --life`, timeout: LIFE_SECONDS, async: true }
  return new Map<string, HookEntry>([
    ['PermissionRequest', { matcher: '*', hooks: [{ type: 'command', command, timeout: ASK_SECONDS }] }],
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

/** Whether a hook of a settings file is one of ours, of this version or another. */
export function isOurs(hook: unknown): hook is { command: string } {
  const command = (hook as { command?: unknown } | null)?.command
  return typeof command === 'string' && command.startsWith(MARK)
}

export function dataFolderIn(command: string): string | undefined {
  return unquoted(/ --data '((?:[^']|'\\'')*)' /.exec(command)?.[1])
}

/** The program that a command of ours runs. */
export function scriptIn(command: string): string | undefined {
  return unquoted(/ exec \/bin\/sh '((?:[^']|'\\'')*)' --data /.exec(command)?.[1])
}

function unquoted(word: string | undefined): string | undefined {
  return word?.replaceAll("'\\''", "'")
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
