import { realpath } from 'node:fs/promises'

/** Where a folder is, links followed; undefined when there is none. */
export async function realFolder(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
