import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Larger files are not read: what they hold cannot be bound to an ask. */
export const MAX_HASHED_BYTES = 16 * 1024 * 1024

/** The content's SHA-256, null when there is no such file, or why it cannot be told. */
export type FileHash = { readonly sha256: string | null } | { readonly why: string }

/**
 * Hashes a file that an agent has named, links followed. It may be anything: opening a pipe could wait for ever, and
 * between a look and the opening it may have become something else. So: open without waiting, then look.
 */
export async function fileHash(path: string): Promise<FileHash> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) return { why: 'is not a regular file' }
      const hash = createHash('sha256')
      const chunk = Buffer.alloc(256 * 1024)
      for (let at = 0; ; ) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
        if (bytesRead === 0) return { sha256: hash.digest('hex') }
        at += bytesRead
        if (at > MAX_HASHED_BYTES) return { why: 'is larger than 16 MiB' }
        hash.update(chunk.subarray(0, bytesRead))
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { sha256: null } : { why: 'cannot be read' }
  }
}
