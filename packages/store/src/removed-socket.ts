import { type Stats, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

const LISTENS = 0x10000

/**
 * Whether a process of this machine listens on the socket's name, be it that its file was removed: Linux lists every
 * socket with the name that it was given until its process ends. Elsewhere nobody can tell: false.
 */
export async function isListenedOn(path: string): Promise<boolean> {
  const listed = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const folder = look(dirname(path))
  return listed.split('\n').some((line) => {
    // Num, RefCount, Protocol, Flags, Type, St, Inode, Path
    const found = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\d+ (\/.*)$/.exec(line)
    const [, flags = '', name = ''] = found ?? []
    if (basename(name) !== basename(path) || (Number.parseInt(flags, 16) & LISTENS) === 0) return false
    // The same folder may have been given by another name.
    const other = look(dirname(name))
    return folder !== undefined && other?.dev === folder.dev && other.ino === folder.ino
  })
}

function look(folder: string): Stats | undefined {
  try {
    return statSync(folder)
  } catch {
    // Another user's, say: then it is not ours.
    return undefined
  }
}
