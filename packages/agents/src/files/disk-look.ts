import { lstat, realpath } from 'node:fs'
import { promisify } from 'node:util'
import { type DiskLook, MISSING } from '@holdpoint/core/disk-look'

/** These make less of an error than those of `node:fs/promises`, and most looks find nothing. */
const [statOf, realPathOf] = [promisify(lstat), promisify(realpath.native)]

export function diskLook(): DiskLook {
  const found = new Set<string>()
  return {
    realPath: once(async (path) => {
      const real = await realPathOf(path)
      if (real === path) found.add(path)
      return real
    }),
    // What is its own real path is none.
    isLink: once(async (path) => !found.has(path) && (await statOf(path)).isSymbolicLink()),
  }
}

function once<Found>(look: (path: string) => Promise<Found>) {
  const known = new Map<string, Promise<Found | typeof MISSING | undefined>>()
  return (path: string) => {
    const found = known.get(path) ?? unlessMissing(look(path))
    known.set(path, found)
    return found
  }
}

function unlessMissing<Found>(look: Promise<Found>): Promise<Found | typeof MISSING | undefined> {
  return look.catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : undefined,
  )
}
