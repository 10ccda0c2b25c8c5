import { readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type DiskLook, MISSING } from '@holdpoint/core/disk-look'
import { diskLook } from './disk-look.ts'

const MAX_STEPS = 500
/** Under these, a path leads to another place for each process. */
const BY_PROCESS = /^\/(proc|dev)(\/|$)/

/**
 * Whether a path leads to the same place for every process. Under `/proc` and `/dev` it does not, and a link can lead
 * there: `/proc/self/cwd/x` is one file to us and another to the command.
 */
export async function isFixedPlace(path: string, disk = diskLook()): Promise<boolean> {
  if (await isOwnPlace(path, disk)) return true
  let at = '/'
  let rest = path.split('/')
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const [part, ...after] = rest
    if (part === undefined) return true
    rest = after
    if (part === '' || part === '.') continue
    const next = part === '..' ? dirname(at) : join(at, part)
    if (BY_PROCESS.test(next)) return false
    const target = await readlink(next).catch(() => undefined)
    if (target === undefined) at = next
    else {
      if (target.startsWith('/')) at = '/'
      rest = [...target.split('/'), ...rest]
    }
  }
  return false
}

/**
 * Whether a path is the name of its own place, or of one that could be made there: nothing on the way or at its end is a
 * link. Nearly all are, and this takes one or two looks at the disk, where following a path takes one for each part.
 */
export async function isOwnPlace(path: string, disk: DiskLook): Promise<boolean> {
  if (path !== resolve(path) || BY_PROCESS.test(path)) return false
  const isLink = await disk.isLink(path)
  // By its whole path: a file system may take `Check.sh` for `check.sh`.
  if (isLink !== MISSING) return isLink === false && (await disk.realPath(path)) === path
  const folder = dirname(path)
  const realFolder = await disk.realPath(folder)
  return realFolder === MISSING ? isOwnPlace(folder, disk) : realFolder === folder
}
