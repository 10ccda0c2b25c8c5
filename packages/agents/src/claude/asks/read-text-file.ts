import { readBytes } from '../../files/read-bytes.ts'

const SIZE_LIMIT = 1024 * 1024

export type TextFile = { readonly text: string; readonly exists: boolean } | { readonly why: string }

/** Reads a text file that an agent has named. It may be anything. */
export async function readTextFile(path: string): Promise<TextFile> {
  const found = await readBytes(path, SIZE_LIMIT)
  if ('why' in found) return { why: `the file ${found.why}` }
  if (!found.bytes) return { text: '', exists: false }
  const text = decoded(found.bytes)
  return text === undefined || text.includes('\0') ? { why: 'the file is not text' } : { text, exists: true }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
