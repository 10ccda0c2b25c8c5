import { hookSocket } from './hook-access.ts'

export interface HookProgram {
  /** For a machine without curl. */
  readonly node: string
  /** The shell script. */
  readonly hookMain: string
  readonly dataDir: string
}

/** What becomes of a call while no gateway runs: the terminal decides as if there were no rules, or it is denied. */
export const WHEN_STOPPED = ['ask-here', 'deny'] as const
export type WhenStopped = (typeof WHEN_STOPPED)[number]

/** How a command of ours begins: a no-op for the shell, a name for people and for us. */
const MARK = ': holdpoint; '
/** No opinion: the agent's own gate decides. */
const NO_OPINION = '{}'
const STOPPED =
  'Holdpoint is not running, and the user wants no call to run without it. Nobody refused this call. Tell the user to start Holdpoint.'
/** What the hook prints when it hears of no gateway. Without apostrophes and backslashes: it stands in a shell command. */
const PRINTED: Readonly<Record<WhenStopped, string>> = {
  'ask-here': NO_OPINION,
  deny: JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: STOPPED,
    },
  }),
}

/**
 * What Claude Code hands to the shell. It does nothing, and says nothing, where there is nothing to do: no gateway runs,
 * or Holdpoint is not there any more; or a program drives Claude Code through the SDK and is asked itself, as the gateway
 * is. The shell is replaced by the hook (exec), so that ending one ends the other.
 */
export function hookCommand(program: HookProgram): string {
  return `${MARK}case "$CLAUDE_CODE_ENTRYPOINT" in sdk-ts|sdk-py) exit 0;; esac; ${running(program)}`
}

/** The same for the hook before each call, which always prints something: Claude Code takes silence for a yes or no of its own. */
export function beforeCommand(program: HookProgram, whenStopped: WhenStopped): string {
  const driven = `case "$CLAUDE_CODE_ENTRYPOINT" in sdk-ts|sdk-py) echo '${NO_OPINION}'; exit 0;; esac`
  return `${MARK}s='${PRINTED[whenStopped]}'; ${driven}; ${running(program)} --before "$s"; printf '%s\\n' "$s"`
}

function running({ node, hookMain, dataDir }: HookProgram): string {
  const [program, script, folder, socket] = [node, hookMain, dataDir, hookSocket(dataDir)].map(quoted)
  return `[ ! -S ${socket} ] || [ ! -r ${script} ] || exec /bin/sh ${script} --data ${folder} --node ${program} --parent "$PPID"`
}

/** Whether a hook of a settings file is one of ours, of this version or another: only a person's own file may say so. */
export function isOurs(hook: unknown): hook is { command: string } {
  const command = (hook as { command?: unknown } | null)?.command
  return typeof command === 'string' && command.startsWith(MARK)
}

/** Whether it runs exactly this program for this data folder, and nothing else: anybody can write our mark. */
export function isCommandOf(command: string, { hookMain, dataDir }: Omit<HookProgram, 'node'>): boolean {
  const node = unquoted(/ --node '((?:[^']|'\\'')*)' --parent /.exec(command)?.[1])
  if (node === undefined) return false
  const program = { node, hookMain, dataDir }
  const asking = hookCommand(program)
  return [asking, `${asking} --life`, ...WHEN_STOPPED.map((when) => beforeCommand(program, when))].includes(command)
}

export function dataFolderIn(command: string): string | undefined {
  return unquoted(/ --data '((?:[^']|'\\'')*)' /.exec(command)?.[1])
}

/** The program that a command of ours runs. */
export function scriptIn(command: string): string | undefined {
  return unquoted(/ exec \/bin\/sh '((?:[^']|'\\'')*)' --data /.exec(command)?.[1])
}

/** What a command of ours for the hook before each call does without a gateway; undefined for any other command. */
export function whenStoppedIn(command: string): WhenStopped | undefined {
  return WHEN_STOPPED.find((when) => command.startsWith(`${MARK}s='${PRINTED[when]}'; `))
}

function unquoted(word: string | undefined): string | undefined {
  return word?.replaceAll("'\\''", "'")
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
