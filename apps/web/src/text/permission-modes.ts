import type { PermissionMode } from '@holdpoint/schema/permission-mode'

export interface ModeWords {
  readonly mode: PermissionMode
  readonly name: string
  readonly meaning: string
}

/** The modes that most people need, the most careful last. */
export const COMMON_MODES: readonly ModeWords[] = [
  { mode: 'default', name: 'Ask', meaning: 'Asks before commands and changes. What only reads runs unasked.' },
  { mode: 'acceptEdits', name: 'Accept edits', meaning: 'Changes files in the folder unasked; asks before commands.' },
  { mode: 'plan', name: 'Plan first', meaning: 'Reads and makes a plan; changes nothing before you approve it.' },
]

export const OTHER_MODES: readonly ModeWords[] = [
  { mode: 'dontAsk', name: 'Do not ask', meaning: 'What would need an answer is refused without asking.' },
  { mode: 'auto', name: 'Auto', meaning: 'The agent judges by itself what is safe, and asks for the rest.' },
  {
    mode: 'bypassPermissions',
    name: 'Never ask',
    meaning: 'Everything runs unasked. Only in a machine you can throw away.',
  },
]

export const MODES: readonly ModeWords[] = [...COMMON_MODES, ...OTHER_MODES]

export function modeName(mode: PermissionMode): string {
  return MODES.find((words) => words.mode === mode)?.name ?? mode
}
