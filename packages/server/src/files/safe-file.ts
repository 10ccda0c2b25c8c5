import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** How an entry of a folder stands: what is different after every change of it, and what a person should see of it. */
export interface Entry {
  /** A link is an entry with a text, where it leads to. Nothing of ours ever goes there. */
  readonly kind: 'file' | 'link'
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly ino: number
  readonly isExecutable: boolean
}

/** Folders, and what reading could wait for or set off (pipes, sockets, devices), are none. */
export function entryOf(stats: Stats): Entry | undefined {
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : undefined
  if (!kind) return undefined
  const { size, mtimeMs, ctimeMs, ino, mode } = stats
  return { kind, size, mtimeMs, ctimeMs, ino, isExecutable: kind === 'file' && (mode & 0o111) !== 0 }
}

export function isSameEntry(one: Entry, other: Entry): boolean {
  return (
    one.kind === other.kind &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.ino === other.ino &&
    one.isExecutable === other.isExecutable
  )
}

/** Whether this is the real path of a folder, with no link in it. */
export function isRealFolder(path: string): boolean {
  try {
    return realpathSync.native(path) === path && lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The entry below a folder as it is now. Undefined where there is none, or a link is on the way to it. */
export function entryBelow(root: string, path: string): Entry | undefined {
  const full = join(root, path)
  try {
    if (!isPlain(path) || !isRealFolder(dirname(full))) return undefined
    return entryOf(lstatSync(full))
  } catch {
    return undefined
  }
}

/** Whether it leads nowhere but down. */
function isPlain(path: string): boolean {
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
}

export type ReadResult =
  | { readonly entry: Entry; readonly bytes: Buffer }
  | { readonly entry?: Entry; readonly why: 'large' | 'unreadable' }

/**
 * Reads an entry below a folder, through no link and out of no other folder, also while somebody exchanges folders for
 * links (T53). Never waits: a pipe is not opened, and one that takes a file's place at the last moment is closed unread.
 */
export function readBelow(root: string, path: string, limit: number): ReadResult {
  const before = entryBelow(root, path)
  if (!before) return { why: 'unreadable' }
  const full = join(root, path)
  if (before.kind === 'link') return readLink(full, before)
  if (before.size > limit) return { entry: before, why: 'large' }
  let file: number | undefined
  try {
    file = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    const entry = entryOf(stats)
    if (entry?.kind !== 'file' || !isAt(file, full, entry)) return { why: 'unreadable' }
    if (entry.size > limit) return { entry, why: 'large' }
    // One byte more, to notice what has grown.
    const bytes = Buffer.allocUnsafe(entry.size + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(file, bytes, length, bytes.length - length, length)
    const after = entryOf(fstatSync(file))
    // Written to while it was read: that is a mix of two contents.
    if (length !== entry.size || !after || !isSameEntry(entry, after)) return { why: 'unreadable' }
    return { entry, bytes: bytes.subarray(0, length) }
  } catch {
    return { why: 'unreadable' }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function readLink(full: string, before: Entry): ReadResult {
  try {
    const bytes = readlinkSync(full, { encoding: 'buffer' })
    const after = entryOf(lstatSync(full))
    return after && isSameEntry(before, after) && isRealFolder(dirname(full))
      ? { entry: before, bytes }
      : { why: 'unreadable' }
  } catch {
    return { why: 'unreadable' }
  }
}

/** Whether the open file is the one at this path. Linux says where it is; elsewhere the path is looked at again. */
function isAt(file: number, full: string, entry: Entry): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${file}`) === full
  const now = isRealFolder(dirname(full)) ? entryOf(lstatSync(full)) : undefined
  return now !== undefined && isSameEntry(now, entry)
}
