import { lstat, realpath } from 'node:fs'
import { promisify } from 'node:util'

/** These make less of an error than those of `node:fs/promises`, and most looks find nothing. */
const [statOf, realPathOf] = [promisify(lstat), promisify(realpath.native)]

export const MISSING = Symbol('missing')

/**
 * One look at the disk: within it, each path is looked at once, however often it is asked for. Make a new one for each
 * decision: what an old one knows may have changed.
 */
export interface DiskLook {
  /** Where the path is, links followed; `MISSING` where there is nothing, undefined where it cannot be told. */
  realPath(path: string): Promise<string | typeof MISSING | undefined>
  /** Whether the path itself is a link; `MISSING` where there is nothing, undefined where it cannot be told. */
  isLink(path: string): Promise<boolean | typeof MISSING | undefined>
}

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
