import { lstatSync, type Stats } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { type CompareBudget, type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import { readBelow } from './safe-file.ts'

const IGNORE_FILE_LIMIT = 1024 * 1024

/** All that is said of the paths below a folder, the deepest first, each with how many names its own folder has. */
export type IgnoreChain = readonly { readonly depth: number; readonly rules: IgnoreRules }[]

/** The deepest that says something counts. Whoever asks does not go into an ignored folder. */
export function isIgnored(
  chain: IgnoreChain,
  names: readonly string[],
  isFolder: boolean,
  budget: CompareBudget,
): boolean {
  for (const { depth, rules } of chain) {
    const said = rules(names.slice(depth), isFolder, budget)
    if (said !== undefined) return said
  }
  return false
}

/** Undefined where there is no such file, or a link in its place (git reads none either). */
export function rulesIn(root: string, path: string): IgnoreRules | undefined {
  const read = readBelow(root, path, IGNORE_FILE_LIMIT)
  return 'bytes' in read && read.entry.kind === 'file' ? ignoreRules(read.bytes.toString()) : undefined
}

/** Of the folders above a folder, up to the one with the repository: `above` leads from there to the folder. */
export function chainAbove(root: string, budget: CompareBudget): { above: readonly string[]; chain: IgnoreChain } {
  const nothing = { above: [], chain: [] }
  const found = repositoryOf(root)
  if (!found) return nothing
  const { repository, hasExclude } = found
  const above = relative(repository, root).split(sep).filter(Boolean)
  const exclude = hasExclude ? rulesIn(repository, '.git/info/exclude') : undefined
  let chain: IgnoreChain = exclude ? [{ depth: 0, rules: exclude }] : []
  for (const depth of above.keys()) {
    const rules = rulesIn(repository, [...above.slice(0, depth), '.gitignore'].join('/'))
    if (rules) chain = [{ depth, rules }, ...chain]
    // It is ignored as a whole, such as a project in a home folder that is a repository: then that one has no say in it.
    if (isIgnored(chain, above.slice(0, depth + 1), true, budget)) return nothing
  }
  return { above, chain }
}

function repositoryOf(root: string): { repository: string; hasExclude: boolean } | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = lstatOf(join(folder, '.git'))
    // In a worktree it is a file that names another place, which is not read.
    if (git) return { repository: folder, hasExclude: git.isDirectory() }
    if (folder === dirname(folder)) return undefined
  }
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
