import { type Entry, entryBelow, isSameEntry } from '../files/safe-file.ts'
import type { KnownFile } from './known-file.ts'

/** A file that is not what it was. Without a `before` it is new, without an `after` it is gone. */
export interface Pair {
  readonly path: string
  readonly before?: KnownFile
  readonly after?: KnownFile
}

export interface EarlierTree {
  readonly files: ReadonlyMap<string, KnownFile>
  readonly at: number
  /** Folders that were not looked into: what is there now may have been there then. */
  readonly unread: readonly string[]
}

type ContentOf = (path: string, entry: Entry) => KnownFile

/** A file that was written to in the last moment before it was looked at may have been written to again in the same one. */
const CLOCK_STEP_MS = 50

/** Whether the entry tells that the content is the same. */
export function isSurelySame(known: Entry, at: number, now: Entry): boolean {
  return isSameEntry(known, now) && Math.max(known.ctimeMs, known.mtimeMs) < at - CLOCK_STEP_MS
}

/** What is another file than before. `contentOf` reads the content of one that may be. */
export async function compareTrees(
  root: string,
  earlier: EarlierTree,
  now: ReadonlyMap<string, Entry>,
  options: {
    readonly contentOf: ContentOf
    /** The same for one that was not there before. */
    readonly contentOfNew: ContentOf
    readonly pause: () => Promise<void>
  },
): Promise<Pair[]> {
  const { contentOf, contentOfNew, pause } = options
  const pairs: Pair[] = []
  for (const [path, before] of earlier.files) {
    // One that is left out by now, by a line that the session wrote, is looked at nevertheless.
    const entry = now.get(path) ?? entryBelow(root, path)
    const pair = pairFor(path, { before, entry, at: earlier.at, contentOf })
    if (pair) pairs.push(pair)
    await pause()
  }
  for (const [path, entry] of now) {
    if (earlier.files.has(path) || earlier.unread.some((folder) => isIn(folder, path))) continue
    pairs.push({ path, after: contentOfNew(path, entry) })
    await pause()
  }
  return pairs.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** The same for one file. */
export function comparePath(root: string, earlier: EarlierTree, path: string, contentOf: ContentOf): Pair | undefined {
  const before = earlier.files.get(path)
  const entry = entryBelow(root, path)
  if (before) return pairFor(path, { before, entry, at: earlier.at, contentOf })
  return entry && { path, after: entry }
}

function pairFor(
  path: string,
  given: {
    readonly before: KnownFile
    readonly entry: Entry | undefined
    readonly at: number
    readonly contentOf: ContentOf
  },
): Pair | undefined {
  const { before, entry, at, contentOf } = given
  if (!entry) return { path, before }
  if (isSurelySame(before, at, entry)) return undefined
  const after = contentOf(path, entry)
  const isSame = isSameContent(before, after) && before.isExecutable === after.isExecutable
  return isSame ? undefined : { path, before, after }
}

function isSameContent(before: KnownFile, after: KnownFile): boolean {
  if (before.kind !== after.kind) return false
  if (before.hash !== undefined && after.hash !== undefined) return before.hash === after.hash
  // Nothing was read of it. What is as large and as old as before, and the same file, is taken for the same.
  return isSameEntry(before, after)
}

function isIn(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}
