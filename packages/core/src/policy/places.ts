import { joinPath } from '../shell/join-path.ts'
import { withAddedEndings } from './added-endings.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import type { CommandPart, RedirectPart } from './shell-parts.ts'
import type { Word } from './shell-word.ts'

/** Whether a path is a folder or lies in it, by whole names. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

type Placed = Pick<CommandPart, 'folder' | 'mayRunIn' | 'words'>

/** Paths that the words of a command may name, each seen from its folder, or from those that it may run in. */
export function pathsOfCommand(part: Placed): readonly string[] {
  const named = namedPaths(part)
  return part.folder === undefined ? named : [part.folder, ...named]
}

/** The same without the folder itself, unless a word names it. */
function namedPaths(part: Placed): readonly string[] {
  return wordsOf(part)
    .flatMap(piecesOf)
    .flatMap((name) => from(foldersOf(part), name))
}

/** The same with globs as they are written. */
export function writtenPaths(part: Placed): readonly string[] {
  return wordsOf(part)
    .flatMap((word) => ('glob' in word ? [word.glob] : 'dynamic' in word ? (word.path ?? []) : piecesOf(word)))
    .flatMap((name) => from(foldersOf(part), name))
}

function wordsOf({ words }: Placed): readonly Word[] {
  return words.flatMap((word) => withAddedEndings(words, word))
}

const ANYWHERE = ['/**']

/** Where a command may run, perhaps with a glob. */
export function foldersOf({ folder, mayRunIn = ANYWHERE }: Pick<Placed, 'folder' | 'mayRunIn'>): readonly string[] {
  return folder === undefined ? mayRunIn : [folder]
}

/** The folder that a glob searches; of a path without one, itself. */
export function fixedFolder(path: string): string {
  return path.replace(/\/[^/]*[*?[].*$/s, '') || '/'
}

/**
 * A written path by its own words, and by where it leads. Of one with a glob, that is where the folder leads that it
 * searches; what looks like a glob may be in quotes, and so be a name.
 */
export function bothPlaces(path: string, { realPaths }: Pick<PolicyFacts, 'realPaths'>): readonly string[] {
  const fixed = fixedFolder(path)
  const real = realPaths.get(fixed)
  const searched = real === undefined ? path : joinPath(real, `./${path.slice(fixed.length)}`)
  return [...new Set([path, searched, realPaths.get(path) ?? path])]
}

/** The files that a redirection may be about. */
export function pathsOfRedirect({
  path,
  name,
  mayRunIn = [],
}: Pick<RedirectPart, 'path' | 'name' | 'mayRunIn'>): readonly string[] {
  if (path !== undefined) return [path]
  return name === undefined ? [] : from(mayRunIn, name)
}

function from(folders: readonly string[], name: string): string[] {
  return name.startsWith('/') ? [joinPath('/', name)] : folders.map((folder) => joinPath(folder, name))
}

/** What in a word may be a path: `a.txt` and `/b` in `--in=a.txt:/b`; of a glob the folder that it searches. */
function piecesOf(word: Word): readonly string[] {
  if ('dynamic' in word) return word.path === undefined ? [] : [word.path.replace(/[^/]*[*?[].*$/s, '') || '.']
  if ('glob' in word) return [word.prefix.slice(0, word.prefix.lastIndexOf('/') + 1) || '.']
  const { text } = word
  // `-t.git`, `-rt.git`: where the letters of options end and a value begins is not known.
  const attached = /^-[^-]/.test(text) ? [2, 3, 4].map((at) => text.slice(at)) : []
  const split = /[=:,@]/.test(text) ? text.split(/[=:,@]/) : []
  return [text, ...attached, ...split].filter((piece) => piece !== '')
}

/** Why a word that a wildcard stands for may name something outside of the project: the end of a sentence. */
export function whyOutside(
  word: Word,
  { folder, isDash }: { folder: string; isDash: boolean },
  { project }: Pick<PolicyCall, 'project'>,
  { realPaths }: Pick<PolicyFacts, 'realPaths'>,
): string | undefined {
  if ('dynamic' in word) return 'is known only at run time'
  const text = 'text' in word ? word.text : word.glob
  if (text.includes('://')) return 'is a URL'
  if (/(^|[/=:,@])\.\.(\/|$)/.test(text)) return 'may lead out of the project'
  if (/(^|[=:,@])~/.test(text)) return 'may lead to a home folder'
  // `-I/usr/include`: where the option ends and the path begins is not known.
  if (isDash && /^-[^=]*(\/|\.\.)/.test(text)) return 'may lead out of the project'
  for (const piece of piecesOf(word)) {
    const real = realPaths.get(joinPath(folder, piece))
    if (real === undefined) return 'leads to an unknown place'
    if (!isInside(project, real)) return 'leads out of the project'
  }
  return undefined
}

/**
 * Why a glob may become more than names of files in the project: the end of a sentence. Files that it finds may begin with
 * a dash, and `.*` stands for the folder above too.
 */
export function whyUnsafeGlob(
  { glob, prefix }: { glob: string; prefix: string },
  anyGlob: boolean,
): string | undefined {
  if (glob.split('/').some((name) => /^\.\S*[*?[]/.test(name))) return 'may match the parent folder'
  if (anyGlob || /^([A-Za-z0-9]|\.\/)/.test(prefix)) return undefined
  return 'may expand to an option'
}
