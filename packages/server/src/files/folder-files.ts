import type { Dirent } from 'node:fs'
import { walkFolder } from './walk-folder.ts'

/** Of one listing (I10). */
const MOST_ENTRIES = 50_000
const MOST_CHARACTERS = 4_000_000
const LONGEST_PATH = 1000
/** A path with one of these cannot be written in a message, or stands for bytes that are no text. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/u

export interface FolderFiles {
  /** Relative to the folder; nearest first. Folders end with a slash. */
  readonly paths: readonly string[]
  /** There is more: the listing was bounded, or called off. */
  readonly isPartial: boolean
}

/** Names the files of a folder and of the folders in it, without links. `within`: one folder of it alone. */
export async function listFolderFiles(
  root: string,
  { signal, within }: { readonly signal: AbortSignal; readonly within?: readonly string[] },
): Promise<FolderFiles> {
  const enough = new AbortController()
  let count = 0
  let characters = 0
  const { found, unread } = await walkFolder(root, {
    isLeftOut: (_, path) => UNWRITABLE.test(path) || path.length > LONGEST_PATH,
    take(entry, path) {
      const named = nameOf(entry, path)
      if (named === undefined) return undefined
      count++
      characters += named.length
      if (count > MOST_ENTRIES || characters > MOST_CHARACTERS) enough.abort()
      return named
    },
    most: MOST_ENTRIES,
    signal: AbortSignal.any([signal, enough.signal]),
    ...(within && { within }),
  })
  return { paths: found, isPartial: unread.length > 0 }
}

function nameOf(entry: Dirent, path: string): string | undefined {
  if (entry.isDirectory()) return `${path}/`
  return entry.isFile() ? path : undefined
}
