import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_ENTRIES = 2000

/**
 * The links in a folder, with `deep` also those in the folders below it. None if there is no such folder; undefined if it
 * has too much in it, or cannot be read.
 */
export async function linksIn(folder: string, deep: boolean): Promise<readonly string[] | undefined> {
  const links: string[] = []
  const folders = [folder]
  let left = MAX_ENTRIES
  for (const at of folders) {
    const entries = await entriesOf(at)
    left -= entries?.length ?? 0
    if (!entries || left < 0) return undefined
    for (const entry of entries) {
      const path = join(at, entry.name)
      if (entry.isSymbolicLink()) links.push(path)
      else if (deep && entry.isDirectory()) folders.push(path)
    }
  }
  return links
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined
  }
}
