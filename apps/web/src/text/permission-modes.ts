import type { PermissionMode } from '@holdpoint/schema/permission-mode'

export interface ModeWords {
  readonly mode: PermissionMode
  readonly name: string
  readonly meaning: string
}

/** The modes that most people need, the most careful last. */
export const COMMON_MODES: readonly ModeWords[] = [
  { mode: 'default', name: 'Ask', meaning: 'Asks before commands and changes. Read-only tools run without asking.' },
  {
    mode: 'acceptEdits',
    name: 'Accept edits',
    meaning: 'Changes files in the folder without asking; asks before commands.',
  },
  { mode: 'plan', name: 'Plan first', meaning: 'Reads and makes a plan; changes nothing before you approve it.' },
]

export const OTHER_MODES: readonly ModeWords[] = [
  { mode: 'dontAsk', name: 'Refuse instead of asking', meaning: 'Calls that would need an answer are refused.' },
  {
    mode: 'auto',
    name: 'Auto',
    meaning: 'The agent decides what is safe, and asks about the rest. Your rules come first.',
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
