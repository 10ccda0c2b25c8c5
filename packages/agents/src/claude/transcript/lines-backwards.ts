import type { FileHandle } from 'node:fs/promises'
import { readAt } from '../../files/open-file.ts'
import { MAX_LINE_BYTES } from './entry.ts'
import type { Line } from './line-reader.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const CHUNK_BYTES = 256 * 1024

export interface BackwardsOptions {
  /** Lines that end before this position; the last one needs no end of its own. */
  readonly before: number
  /** Looks at no more bytes than this, in whole chunks. More than a line may have, or it could come to a stand. */
  readonly maxBytes: number
  readonly maxLineBytes?: number
  readonly chunkBytes?: number
}

/**
 * The lines of a file, the last one first, without those over the limit. Returns the position to go on from when it stopped
 * for having looked at enough; 0 at the start of the file. No more than a chunk and a line are in memory.
 */
export async function* linesBackwards(handle: FileHandle, options: BackwardsOptions): AsyncGenerator<Line, number> {
  const { before, maxBytes, maxLineBytes = MAX_LINE_BYTES, chunkBytes = CHUNK_BYTES } = options
  let lineEnd = before
  let to = before
  while (to > 0) {
    // In the middle of a line: from its end if it may still be read, else on from here.
    if (before - to >= maxBytes) return lineEnd - to > maxLineBytes ? to : lineEnd
    const from = Math.max(0, to - chunkBytes)
    const chunk = await readAt(handle, from, to - from)
    for (let at = chunk.length; at > 0; ) {
      const newline = chunk.lastIndexOf(NEWLINE, at - 1)
      if (newline < 0) break
      const start = from + newline + 1
      const isInChunk = lineEnd <= from + chunk.length
      const bytes = isInChunk ? chunk.subarray(newline + 1, lineEnd - from) : await whole(start, lineEnd)
      if (bytes.length > 0) yield { bytes: withoutReturn(bytes), offset: start }
      lineEnd = from + newline
      at = newline
    }
    to = from
  }
  const bytes = await whole(0, lineEnd)
  if (bytes.length > 0) yield { bytes: withoutReturn(bytes), offset: 0 }
  return 0

  async function whole(start: number, end: number): Promise<Buffer> {
    return end - start > maxLineBytes ? Buffer.alloc(0) : readAt(handle, start, end - start)
  }
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
}
