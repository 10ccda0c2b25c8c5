import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** What a file holds, undefined when there is none, or why it cannot be read. */
export type FileBytes = { readonly bytes: Buffer | undefined } | { readonly why: string }

/**
 * Reads a file that an agent has named, links followed. It may be anything: opening a pipe could wait for ever, a device
 * has no end, and between a look and the opening it may have become something else. So: open without waiting, then look.
 */
export async function readBytes(path: string, limit: number): Promise<FileBytes> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile()) return { why: 'is not a regular file' }
      if (found.size > limit) return { why: tooLarge(limit) }
      const bytes = Buffer.alloc(found.size + 1)
      let at = 0
      for (;;) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, at)
        at += bytesRead
        if (bytesRead === 0) return { bytes: bytes.subarray(0, at) }
        // It grows while it is read.
        if (at === bytes.length) return { why: 'is being written to' }
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { bytes: undefined } : { why: 'cannot be read' }
  }
}

function tooLarge(limit: number): string {
  return `is larger than ${limit / 1024 / 1024} MiB`
}
