import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { StoreFault } from '@holdpoint/core/store'

/** Makes the folder, or refuses one that another user of this machine could read or change (T54). */
export function prepareDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'there is something else in its place' : code
    throw new StoreFault('io', `${folder} cannot be made (${why}). Choose another data folder.`, { cause: error })
  }
  const { uid } = statSync(folder)
  if (process.getuid && uid !== process.getuid()) {
    throw new StoreFault('io', `${folder} belongs to another user. Choose a data folder of your own.`)
  }
  if (isPrivate(folder)) return
  chmodSync(folder, 0o700)
  if (!isPrivate(folder)) {
    throw new StoreFault(
      'io',
      `Other users can reach ${folder}, and its mode cannot be changed. Choose another data folder.`,
    )
  }
}

function isPrivate(folder: string): boolean {
  return process.platform === 'win32' || (statSync(folder).mode & 0o077) === 0
}
