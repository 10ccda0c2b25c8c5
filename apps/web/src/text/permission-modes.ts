import type { PermissionMode } from '@holdpoint/schema/permission-mode'

export interface ModeWords {
  readonly mode: PermissionMode
  readonly name: string
  /** What it really does, as docs/claude-code.md has it measured. */
  readonly meaning: string
}

/** The modes that most people need. */
export const COMMON_MODES: readonly ModeWords[] = [
  {
    mode: 'default',
    name: 'Ask',
    meaning: 'Asks before commands and changes. Commands that only read, such as ls or cat, run without asking.',
  },
  {
    mode: 'acceptEdits',
    name: 'Change files without asking',
    meaning: 'Also moves and deletes files of the folder without asking (mv, cp, rm, sed -i). Other commands ask.',
  },
  {
    mode: 'plan',
    name: 'Plan first',
    meaning:
      'Makes a plan for you to approve. Until then changes of files ask, and a safety check of the model’s service decides about commands.',
  },
]

export const OTHER_MODES: readonly ModeWords[] = [
  {
    mode: 'dontAsk',
    name: 'Refuse instead of asking',
    meaning: 'Nothing waits for you: what would have to ask is refused. Only your rules can still make it ask.',
  },
  {
    mode: 'auto',
    name: 'Let a check decide',
    meaning:
      'A safety check of the model’s service decides about each call. What it refuses you can still allow. Your rules come first.',
  },
  {
    mode: 'bypassPermissions',
    name: 'Run without asking',
    meaning:
      'Everything runs without asking, except what your rules ask about or deny. Use it only on a disposable machine, such as a container.',
  },
]

export const MODES: readonly ModeWords[] = [...COMMON_MODES, ...OTHER_MODES]

export function modeName(mode: PermissionMode): string {
  return MODES.find((words) => words.mode === mode)?.name ?? mode
}

export function modeMeaning(mode: PermissionMode): string | undefined {
  return MODES.find((words) => words.mode === mode)?.meaning
}

/** Whether it is asked once more before: nothing would ask afterwards. Where every call asks, this mode does not change that. */
export function needsConfirmation(mode: PermissionMode, gate: 'default' | 'everything'): boolean {
  return mode === 'bypassPermissions' && gate === 'default'
}
