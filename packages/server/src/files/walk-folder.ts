import { type Dirent, opendirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { chainAbove, type IgnoreChain, isIgnored, rulesIn } from './ignore-chain.ts'
import type { CompareBudget } from './ignore-rules.ts'
import { createPause } from './pause.ts'
import { isRealFolder } from './safe-file.ts'

/** Never looked into: what programs for versions keep, and what package managers put there by the thousand. */
const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules'])
const DEEPEST = 64
/** Of one folder: more is not read of it. */
const MOST_ENTRIES = 100_000
/** Of one walk. A repository writes both the names and the lines that they are compared with (T49). */
const MOST_COMPARED = 100_000_000

export interface WalkOptions<Found> {
  /** What to take of an entry, given its path below the folder, with `/` between the names; undefined for nothing. */
  readonly take: (entry: Dirent, path: string) => Found | undefined
  /** Leaves out more than what is ignored. */
  readonly isLeftOut: (entry: Dirent, path: string) => boolean
  /** Once so much is taken, no further folder is looked into. */
  readonly most: number
  readonly signal: AbortSignal
  /** One folder below alone, without those in it. */
  readonly within?: readonly string[]
}

export interface Walked<Found> {
  readonly found: readonly Found[]
  /** Folders of which nothing or not all was looked at, by path; an empty path is the folder itself. */
  readonly unread: readonly string[]
}

interface Folder {
  readonly names: readonly string[]
  readonly chain: IgnoreChain
}

/**
 * What is in a folder, without what its repository ignores. Nothing of a repository runs for that: `.gitignore` is read as a
 * text, and git's configuration not at all (T67). No link is followed, and a folder that is not where its path says is
 * passed over (T53). The folders near the top come first, so a limit leaves out what is deep.
 */
export async function walkFolder<Found>(root: string, options: WalkOptions<Found>): Promise<Walked<Found>> {
  const { take, isLeftOut, most, signal, within } = options
  const pause = createPause()
  const budget: CompareBudget = { left: MOST_COMPARED }
  // A disk that does not answer keeps nobody else waiting: whatever is read at once was asked for without waiting before.
  await realpath(root).catch(() => {})
  const { above, chain: start } = chainAbove(root, budget)
  const found: Found[] = []
  const unread: string[] = []
  const waiting = within ? placeOf(within) : [{ names: [], chain: start }]
  for (const folder of waiting) {
    const path = folder.names.join('/')
    const isRead = !isOver() && found.length < most && (await look(folder, path))
    if (!isRead) unread.push(path)
  }
  return { found, unread }

  function isOver(): boolean {
    return signal.aborted || budget.left < 0
  }

  /** False where it is not known what is in it, or not all of it. */
  async function look({ names, chain }: Folder, path: string): Promise<boolean> {
    const full = join(root, path)
    const inside = await entriesOf(full)
    if (!inside) return false
    const own = inside.entries.some(({ name }) => name === '.gitignore') ? withRulesOf(names, chain) : chain
    const taken: Found[] = []
    const folders: Folder[] = []
    let { isWhole } = inside
    for (const entry of inside.entries) {
      await pause()
      const below = [...names, entry.name]
      const place = below.join('/')
      if (leavesOut(own, below, entry.isDirectory()) || isLeftOut(entry, place)) continue
      const one = take(entry, place)
      // Called off, also by `take`; or the budget is at its end, and nothing is known of the rest.
      if (isOver()) {
        isWhole = false
        break
      }
      if (one !== undefined) taken.push(one)
      if (entry.isDirectory() && !within) folders.push({ names: below, chain: own })
    }
    // A link may have taken its place meanwhile: then all this is of another folder.
    if (!isRealFolder(full)) return false
    for (const one of taken) found.push(one)
    for (const one of folders)
      if (one.names.length <= DEEPEST) waiting.push(one)
      else unread.push(one.names.join('/'))
    return isWhole
  }

  async function entriesOf(full: string): Promise<{ entries: Dirent[]; isWhole: boolean } | undefined> {
    const entries: Dirent[] = []
    try {
      if ((await realpath(full)) !== full) return undefined
      const folder = opendirSync(full, { bufferSize: 512 })
      try {
        for (
          let entry = folder.readSync();
          entry && entries.length < MOST_ENTRIES && !isOver();
          entry = folder.readSync()
        ) {
          entries.push(entry)
          await pause()
        }
      } finally {
        folder.closeSync()
      }
    } catch {
      // It went, or nobody may read it.
      return undefined
    }
    entries.sort((one, other) => (one.name < other.name ? -1 : 1))
    return { entries, isWhole: entries.length < MOST_ENTRIES && !isOver() }
  }

  function leavesOut(chain: IgnoreChain, names: readonly string[], isFolder: boolean): boolean {
    return NEVER.has(names.at(-1) ?? '') || isIgnored(chain, [...above, ...names], isFolder, budget)
  }

  function withRulesOf(names: readonly string[], chain: IgnoreChain): IgnoreChain {
    const rules = rulesIn(root, [...names, '.gitignore'].join('/'))
    return rules ? [{ depth: above.length + names.length, rules }, ...chain] : chain
  }

  /** Nothing where a folder on the way is left out itself. */
  function placeOf(names: readonly string[]): Folder[] {
    let chain = start
    for (const [at, name] of names.entries()) {
      if (name === '' || name === '.' || name === '..' || name.includes('\0')) return []
      chain = withRulesOf(names.slice(0, at), chain)
      if (leavesOut(chain, names.slice(0, at + 1), true)) return []
    }
    return [{ names, chain }]
  }
}
