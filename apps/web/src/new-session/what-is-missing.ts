import type { FolderCheck } from './use-folder.ts'

export interface Missing {
  readonly part: 'machine' | 'folder' | 'message' | 'budget' | 'files'
  readonly words: string
}

export interface StartParts {
  /** Why none can be started on the chosen machine, where there are several. */
  readonly whyNotThere: string | undefined
  readonly agent: string | undefined
  /** Left out for an agent that brings its own folder. */
  readonly folder: FolderCheck | undefined
  readonly prompt: string
  /** Of a budget that was typed and is none. */
  readonly budgetIsWrong: boolean
  readonly filesAreOnTheirWay: boolean
}

/** What keeps a session from being started: the first thing, from the top of the page. */
export function whatIsMissing(parts: StartParts): Missing | undefined {
  const { whyNotThere, agent, folder, prompt, budgetIsWrong, filesAreOnTheirWay } = parts
  if (whyNotThere !== undefined) return { part: 'machine', words: `Choose another machine: this one ${whyNotThere}.` }
  if (agent === undefined) return { part: 'machine', words: 'No agents can be started on this machine.' }
  if (folder && folder.state !== 'found') return { part: 'folder', words: FOLDER_WORDS[folder.state] }
  if (prompt.trim() === '') return { part: 'message', words: 'Write the first message.' }
  if (budgetIsWrong) return { part: 'budget', words: 'Type a budget such as 5, or none.' }
  return filesAreOnTheirWay ? { part: 'files', words: 'A file is still being uploaded.' } : undefined
}

const FOLDER_WORDS: Readonly<Record<Exclude<FolderCheck['state'], 'found'>, string>> = {
  empty: 'Choose a folder.',
  checking: 'The folder is being checked.',
  missing: 'Choose a folder that exists.',
  failed: 'The folder could not be checked.',
}
