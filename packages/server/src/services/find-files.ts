import type { Clock } from '@holdpoint/core/clock'
import type { FoundFiles } from '@holdpoint/schema/endpoints/sessions'
import { type FolderFiles, listFolderFiles } from '../files/folder-files.ts'
import { rankPaths } from './rank-paths.ts'

const MOST_FOUND = 50
const MOST_KEPT = 4
/** A person types on: the folder is read again for what they type later. */
const KEPT_MS = 4000
const LISTING_MS = 2000

/** Finds names of files for a message, as they are typed, in a folder as a session has it, without links. */
export function createFindFiles(clock: Pick<Clock, 'after'>): (folder: string, typed: string) => Promise<FoundFiles> {
  const kept = new Map<string, Promise<FolderFiles>>()

  function listed(folder: string): Promise<FolderFiles> {
    const before = kept.get(folder)
    if (before) return before
    const listing = listFolderFiles(folder, { signal: AbortSignal.timeout(LISTING_MS) })
    kept.set(folder, listing)
    clock.after(KEPT_MS, () => {
      if (kept.get(folder) === listing) kept.delete(folder)
    })
    for (const [oldest] of kept) if (kept.size > MOST_KEPT) kept.delete(oldest)
    return listing
  }

  return async (folder, typed) => {
    const { paths, isPartial } = await listed(folder)
    const found = rankPaths(paths, typed, MOST_FOUND)
    const within = typed.split('/').slice(0, -1)
    if (!isPartial || within.length === 0) return { files: found, isPartial }
    // What was not reached can be named by its folder.
    const named = await listFolderFiles(folder, { signal: AbortSignal.timeout(LISTING_MS), within })
    const files = [...new Set([...rankPaths(named.paths, typed, MOST_FOUND), ...found])].slice(0, MOST_FOUND)
    return { files, isPartial }
  }
}
