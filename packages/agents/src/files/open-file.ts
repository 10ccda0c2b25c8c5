import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

// A link in the file's place is not followed, and a pipe in its place does not keep us waiting for a writer.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'])

export interface OpenFile {
  readonly handle: FileHandle
  readonly size: number
  readonly modifiedAt: number
  /** Changes when another file takes the path. */
  readonly identity: string
}

/** Undefined when there is no ordinary file that we may read. The caller closes it. */
export async function openFile(path: string): Promise<OpenFile | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, FLAGS)
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stat = await handle.stat()
    if (stat.isFile()) {
      return { handle, size: stat.size, modifiedAt: stat.mtimeMs, identity: fileIdentity(stat) }
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

export function fileIdentity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`
}

/** As many bytes as there are, up to `length`. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
