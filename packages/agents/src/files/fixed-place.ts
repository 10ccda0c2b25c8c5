import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const MAX_STEPS = 500
/** Under these, a path leads to another place for each process. */
const BY_PROCESS = /^\/(proc|dev)(\/|$)/

/**
 * Whether a path leads to the same place for every process. Under `/proc` and `/dev` it does not, and a link can lead
 * there: `/proc/self/cwd/x` is one file to us and another to the command.
 */
export async function isFixedPlace(path: string): Promise<boolean> {
  if (await isOwnPlace(path)) return true
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
export async function isOwnPlace(path: string): Promise<boolean> {
  if (path !== resolve(path) || BY_PROCESS.test(path)) return false
  const real = await unlessMissing(realpath(path))
  if (real !== MISSING) return real === path
  const [entry, isFolderOwn] = await Promise.all([unlessMissing(lstat(path)), isOwnPlace(dirname(path))])
  return entry === MISSING && isFolderOwn
}

const MISSING = Symbol('missing')

/** Undefined where it cannot be told. */
function unlessMissing<Value>(look: Promise<Value>): Promise<Value | typeof MISSING | undefined> {
  return look.catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : undefined,
  )
}
