import type { Dirent } from 'node:fs'
import { lstat, opendir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Budget, type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import { openFile, readAt } from './open-file.ts'

/** Of one listing (I10). */
const MOST_ENTRIES = 50_000
const MOST_CHARACTERS = 4_000_000
const MOST_COMPARED = 100_000_000
const DEEPEST = 64
const LONGEST_PATH = 1000
const MOST_IGNORE_BYTES = 256 * 1024
/** Never of use in a message, whether or not a repository says so. */
const LEFT_OUT = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules'])
/** A name with one of these cannot be written in a message, or stands for bytes that are no text. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/u

export interface FolderFiles {
  /** Relative to the folder; nearest first. Folders end with a slash. */
  readonly paths: readonly string[]
  /** There is more: the listing was bounded, or called off. */
  readonly isPartial: boolean
}

/** What says which paths are ignored, with the length of the path to its folder in names. Deepest first. */
type Chain = readonly { readonly depth: number; readonly rules: IgnoreRules }[]

/**
 * The files of a folder and of the folders in it, without what its repository ignores. Nothing of a repository runs for
 * that: `.gitignore` is read as a text, and git's configuration not at all (T67). No link is followed or listed, and a
 * folder that is not where its path says is passed over (T53). `within`: one folder of it alone, without those in it.
 */
export async function listFolderFiles(
  root: string,
  { signal, within }: { readonly signal: AbortSignal; readonly within?: readonly string[] },
): Promise<FolderFiles> {
  const budget: Budget = { left: MOST_COMPARED }
  const paths: string[] = []
  let characters = 0
  let isPartial = false
  const isOver = () =>
    signal.aborted || budget.left < 0 || paths.length >= MOST_ENTRIES || characters >= MOST_CHARACTERS

  const { above, start } = await rulesAbove(root)
  const place = await chainTo(within ?? [])
  const folders = place ? [{ names: within ?? [], chain: place }] : []
  for (const { names, chain } of folders) {
    if (isOver()) return { paths, isPartial: true }
    const found = await entriesOf(names)
    isPartial ||= found.isPartial
    const hasRules = found.entries.some(({ name }) => name === '.gitignore')
    const inside = hasRules ? await withRulesOf(names, chain) : chain
    for (const entry of found.entries) {
      if (isOver()) return { paths, isPartial: true }
      const isFolder = entry.isDirectory()
      if (!isFolder && !entry.isFile()) continue
      const own = [...names, entry.name]
      if (isLeftOut(own, isFolder, inside)) continue
      const path = own.join('/') + (isFolder ? '/' : '')
      if (path.length > LONGEST_PATH) continue
      paths.push(path)
      characters += path.length
      if (isFolder && !within && own.length < DEEPEST) folders.push({ names: own, chain: inside })
    }
  }
  return { paths, isPartial: isPartial || isOver() }

  /** The rules that hold in a folder below, unless it is left out itself. */
  async function chainTo(names: readonly string[]): Promise<Chain | undefined> {
    let chain = start
    for (const [at, name] of names.entries()) {
      if (name === '' || name === '.' || name === '..' || name.includes('\0')) return undefined
      chain = await withRulesOf(names.slice(0, at), chain)
      if (isLeftOut(names.slice(0, at + 1), true, chain)) return undefined
    }
    return chain
  }

  function isLeftOut(names: readonly string[], isFolder: boolean, chain: Chain): boolean {
    const name = names.at(-1) ?? ''
    if (LEFT_OUT.has(name) || UNWRITABLE.test(name)) return true
    const whole = [...above, ...names]
    for (const { depth, rules } of chain) {
      const said = rules(whole.slice(depth), isFolder, budget)
      if (said !== undefined) return said
    }
    return false
  }

  async function withRulesOf(names: readonly string[], chain: Chain): Promise<Chain> {
    const rules = await rulesIn(join(root, ...names, '.gitignore'))
    return rules ? [{ depth: above.length + names.length, rules }, ...chain] : chain
  }

  async function entriesOf(names: readonly string[]): Promise<{ entries: Dirent[]; isPartial: boolean }> {
    const folder = join(root, ...names)
    const entries: Dirent[] = []
    try {
      if (!(await isInPlace(folder))) return { entries: [], isPartial: true }
      for await (const entry of await opendir(folder, { bufferSize: 512 })) {
        if (signal.aborted || entries.length >= MOST_ENTRIES) return { entries, isPartial: true }
        entries.push(entry)
      }
      // A link may have taken its place before it was opened.
      if (!(await isInPlace(folder))) return { entries: [], isPartial: true }
    } catch {
      // It went, or nobody may read it.
      return { entries: [], isPartial: true }
    }
    return { entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)), isPartial: false }
  }
}

async function isInPlace(folder: string): Promise<boolean> {
  return (await realpath(folder)) === folder
}

/** Of the folders above, up to the one with the repository: `above` leads from there to the folder. */
async function rulesAbove(root: string): Promise<{ above: readonly string[]; start: Chain }> {
  const above: string[] = []
  for (let folder = root; above.length < DEEPEST; folder = dirname(folder)) {
    const git = await lstat(join(folder, '.git')).catch(() => undefined)
    if (git) return { above, start: await chainFrom(folder, above, git.isDirectory()) }
    if (folder === dirname(folder)) break
    above.unshift(folder.slice(folder.lastIndexOf('/') + 1))
  }
  // Without a repository nothing above says anything.
  return { above: [], start: [] }
}

async function chainFrom(repository: string, above: readonly string[], isOwn: boolean): Promise<Chain> {
  const files = [
    ...(isOwn ? [{ path: join(repository, '.git/info/exclude'), depth: 0 }] : []),
    ...above.map((_, depth) => ({ path: join(repository, ...above.slice(0, depth), '.gitignore'), depth })),
  ]
  const chain: { depth: number; rules: IgnoreRules }[] = []
  for (const { path, depth } of files) {
    const rules = await rulesIn(path)
    if (rules) chain.unshift({ depth, rules })
  }
  return chain
}

async function rulesIn(path: string): Promise<IgnoreRules | undefined> {
  const file = await openFile(path).catch(() => undefined)
  if (!file) return undefined
  try {
    return ignoreRules((await readAt(file.handle, 0, MOST_IGNORE_BYTES)).toString())
  } catch {
    return undefined
  } finally {
    await file.handle.close()
  }
}
