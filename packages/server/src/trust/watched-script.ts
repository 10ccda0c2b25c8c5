import type { SettingsCommand } from './settings-commands.ts'

/** They run the file that follows, and nothing else that stands in the line. */
const INTERPRETERS = /^(sh|bash|node|python3?)$/
const PLAIN_PATH = /^(?!-)[\w@+.-]+(\/[\w@+.-]+)*$/
/** A shell reads the name of such a folder as one word, with quotes around it or without. */
const PLAIN_FOLDER = /^[\w/.@+-]+$/
/** One that could name a file, an option or an expression is none. */
const PLAIN_ARGUMENT = /^\w[\w-]*$/

/**
 * The one file in the folder that a command of its settings runs, relative to the folder; undefined for all that is more,
 * or that would be another file in another folder. A list of what is known: whatever nobody thought of is not watched, and
 * the person is told so.
 */
export function watchedScript({ run, by }: SettingsCommand, folder: string): string | undefined {
  if (by === 'other') return undefined
  const words = typeof run === 'string' ? wordsOf(run, PLAIN_FOLDER.test(folder)) : run.map(inFolder)
  const [first, ...rest] = words
  if (first === undefined) return undefined
  const isInterpreted = typeof first === 'string' && INTERPRETERS.test(first)
  const script = isInterpreted ? rest.shift() : first
  if (!rest.every((word) => typeof word === 'string' && PLAIN_ARGUMENT.test(word))) return undefined
  // A relative one is another file in another folder: a server that ended is started again where the agent is by then.
  if (typeof script !== 'object') return undefined
  const path = script.inFolder
  return PLAIN_PATH.test(path) && !path.split('/').includes('..') ? path : undefined
}

type Word = string | { readonly inFolder: string }

/** Of a line that a shell reads: quotes only around the whole path, or around the variable. */
const IN_FOLDER = /^("?)\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR\})(?:\1\/([^"]+)|\/([^"]+)\1)$/

function wordsOf(line: string, mayBeBare: boolean): Word[] {
  return line.split(' ').map((word) => {
    const [, quote, afterQuotes, inQuotes] = IN_FOLDER.exec(word) ?? []
    const path = afterQuotes ?? inQuotes
    return path === undefined || (quote === '' && !mayBeBare) ? word : { inFolder: path }
  })
}

/** Of a list, Claude Code replaces the variable itself. With a default behind it, it becomes a relative path. */
const FOLDER_VARIABLE = /^\$\{CLAUDE_PROJECT_DIR\}\//

function inFolder(word: string): Word {
  return FOLDER_VARIABLE.test(word) ? { inFolder: word.replace(FOLDER_VARIABLE, '') } : word
}
