import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Where a file is or would be made: links in the folders before its name are followed, as far as there are any. The name
 * itself stays as it is. Undefined when it cannot be told.
 */
export async function realPlace(path: string): Promise<string | undefined> {
  const folder = dirname(path)
  if (folder === path) return path
  const real = await realFolderToBe(folder)
  return real === undefined ? undefined : join(real, basename(path))
}

async function realFolderToBe(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? realPlace(folder) : undefined
  }
}
