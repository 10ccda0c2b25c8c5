import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'

/** Makes the folder, or refuses one that another user of this machine could read or change (T54). */
export function prepareDataFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'something else is at this path' : code
    throw new StoreFault('io', `${folder} cannot be created (${why}). Choose another data folder.`, { cause: error })
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
      `Other users can access ${folder}, and its mode cannot be changed. Choose another data folder.`,
    )
  }
}

/** Node's own recursive way tries for ever where the system refuses new folders (in /proc, say). */
function makeFolder(folder: string): void {
  const parent = dirname(folder)
  if (!existsSync(parent) && parent !== folder) makeFolder(parent)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

function isPrivate(folder: string): boolean {
  return process.platform === 'win32' || (statSync(folder).mode & 0o077) === 0
}
