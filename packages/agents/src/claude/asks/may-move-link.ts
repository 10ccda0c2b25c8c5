import { lstat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { ShellCommand } from '@holdpoint/core/shell/commands-in'

/**
 * Whether a command may make a link, or bring one to another place. What the rest of the line then writes through it cannot
 * be told from the disk as it is before.
 */
export async function mayMoveLink({ words: [program, ...args], folders }: ShellCommand, cwd: string): Promise<boolean> {
  const names = [program, ...args].map((word) => basename(word ?? ''))
  if (names.includes('ln')) return true
  if (!names.includes('mv') && !names.includes('cp')) return false
  // The last word is where things go. With an option it need not be.
  const sources = args.some((word) => word?.startsWith('-')) ? args : args.slice(0, -1)
  for (const folder of folders) {
    for (const source of sources) {
      if (source === undefined || !(await isFileOrMissing(resolve(cwd, folder, source)))) return true
    }
  }
  return false
}

async function isFileOrMissing(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}
