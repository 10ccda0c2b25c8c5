import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Contents, openContents } from './contents.ts'
import { foldersIn } from './session-folder.ts'

/** The contents that are kept of each folder in which sessions work. */
export function createPacks(folder: string, limits: { readonly folderBytes: number; readonly totalBytes: number }) {
  const open = new Map<string, Contents>()
  const closed = new Map(foldersIn(folder).map((key) => [key, sizeOf(join(folder, key, 'contents'))]))
  const keyOf = (root: string) => createHash('sha256').update(root).digest('hex').slice(0, 32)

  function total(): number {
    let sum = 0
    for (const size of closed.values()) sum += size
    for (const contents of open.values()) sum += contents.size()
    return sum
  }

  return {
    of(root: string): Contents {
      const key = keyOf(root)
      const known = open.get(key)
      if (known) return known
      mkdirSync(join(folder, key), { recursive: true, mode: 0o700 })
      const opened: Contents = openContents(
        join(folder, key),
        (bytes) => opened.size() + bytes <= limits.folderBytes && total() + bytes <= limits.totalBytes,
      )
      closed.delete(key)
      open.set(key, opened)
      return opened
    },
    remove(root: string) {
      const key = keyOf(root)
      open.get(key)?.close()
      open.delete(key)
      closed.delete(key)
      rmSync(join(folder, key), { recursive: true, force: true })
    },
    close() {
      for (const contents of open.values()) contents.close()
      open.clear()
    },
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
