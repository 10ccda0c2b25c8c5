import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const SIZE_LIMIT = 1024 * 1024

export type TextFile = { readonly text: string; readonly exists: boolean } | { readonly why: string }

/**
 * Reads a file that an agent has named. It may be anything: opening a pipe could wait for ever, a device has no end,
 * and between a look and the opening it may have become something else. So: open without waiting, then look.
 */
export async function readTextFile(path: string): Promise<TextFile> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile()) return { why: 'this is not a regular file' }
      if (found.size > SIZE_LIMIT) return { why: 'the file is too large to compare' }
      const bytes = Buffer.alloc(SIZE_LIMIT + 1)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
      if (bytesRead > SIZE_LIMIT) return { why: 'the file is too large to compare' }
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead))
      return text.includes('\0') ? { why: 'the file is not text' } : { text, exists: true }
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { text: '', exists: false }
    return { why: error instanceof TypeError ? 'the file is not text' : 'the file cannot be read' }
  }
}
