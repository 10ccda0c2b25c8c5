import { realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'

/** The folder's real path, if there is one at this absolute path. */
export async function existingFolder(path: string): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
