import { joinPath } from '../shell/join-path.ts'
import { type Word, writtenWord } from './shell-word.ts'

/** Where the commands of a line may run, as far as its `cd` say. More than where they do, never less. */
export interface PossibleFolders {
  /** Undefined: anywhere. */
  readonly all: readonly string[] | undefined
  readonly hasMoved: boolean
  /** Whether a `cd` led to a place that is known only when it runs. */
  readonly isVague: boolean
}

/** How often, and when, a command of a line runs: in its turn, in a loop, or whenever a function or a trap is called. */
export type Turn = 'once' | 'again' | 'later'

/** With more of them, nobody can say where a command runs. */
const MAX_FOLDERS = 64
const ANYWHERE = undefined

export function startingIn(cwd: string | undefined, line: string): PossibleFolders {
  // It names folders in which `cd` looks for others.
  const all = /\bCDPATH\b/.test(line) ? ANYWHERE : cwd === undefined ? [] : [cwd]
  return { all, hasMoved: false, isVague: false }
}

export function isMove([name]: readonly Word[]): boolean {
  return name !== undefined && 'text' in name && /^(cd|chdir|pushd|popd)$/.test(name.text)
}

/** Where commands may run behind a `cd`, which may have failed. */
export function foldersAfter(
  before: PossibleFolders,
  words: readonly Word[],
  { home, turn }: { readonly home: string | undefined; readonly turn: Turn },
): PossibleFolders {
  const { all, hasMoved, isVague } = before
  const [name, ...args] = words
  const [target, ...others] = args.filter((word) => !('text' in word && /^(--|-[Le@n]+)$/.test(word.text)))
  // One `cd` to a variable is everyday use: like other words that are known only when it runs, it is not followed.
  if (target && 'dynamic' in target && target.path === undefined && !hasMoved)
    return { all, hasMoved: true, isVague: true }
  const found = others.length > 0 ? ANYWHERE : ledTo()
  const both = all && found && [...new Set([...all, ...found])]
  return { all: both && both.length <= MAX_FOLDERS ? both : ANYWHERE, hasMoved: true, isVague }

  function ledTo(): readonly string[] | undefined {
    if (!target) return name && writtenWord(name).startsWith('c') && home !== undefined ? [home] : []
    // Back to a folder of before.
    if (writtenWord(target) === '-') return hasMoved ? [] : ANYWHERE
    const path = 'dynamic' in target ? target.path : 'text' in target ? target.text : undefined
    if (path === undefined || /^[-+]/.test(path) || ('dynamic' in target && /[*?[]/.test(path))) return ANYWHERE
    if (path.startsWith('/')) return [joinPath('/', path)]
    return turn === 'once' && !isVague ? all?.map((folder) => joinPath(folder, path)) : ANYWHERE
  }
}
