import { hash } from 'node:crypto'
import { readBytes } from './read-bytes.ts'

/** Larger files are not read: what they hold cannot be bound to an ask. */
const MAX_BYTES = 16 * 1024 * 1024

/** The content's SHA-256, null when there is no such file, or why it cannot be told. */
export async function fileHash(path: string): Promise<{ readonly sha256: string | null } | { readonly why: string }> {
  const file = await readBytes(path, MAX_BYTES)
  return 'why' in file ? file : { sha256: file.bytes ? bytesHash(file.bytes) : null }
}

export function bytesHash(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}
