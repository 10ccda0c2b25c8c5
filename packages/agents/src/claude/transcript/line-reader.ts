import { createHash } from 'node:crypto'
import { type OpenFile, openFile, readAt } from '../../files/open-file.ts'
import { MAX_LINE_BYTES } from './entry.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const CHUNK_BYTES = 256 * 1024
/** Enough for a whole small file, and of a transcript for a line's own id and time: its last words alone are in every line. */
const MARK_BYTES = 1024

export interface Line {
  /** Without its end. Only good until the call that brought it returns: the memory is used again. */
  readonly bytes: Buffer
  /** Of its first byte in the file. */
  readonly offset: number
}

/** Why the whole file was read again from its start. */
export type Restart = 'truncated' | 'replaced' | 'rewritten'

export interface ReadReport {
  /** Nothing is there, or nothing that may be read. */
  readonly isGone: boolean
  readonly restart?: Restart
  /** Lines over the limit, left out. */
  readonly skipped: number
  /** The bytes of the file that were looked at. */
  readonly size: number
}

export interface LineReaderOptions {
  readonly path: string
  /** Where to begin: the start of the file, or where it ended at this size. A line cut in two there is read whole. */
  readonly from?: number
  /** Of the file that was there at that size; see `fileIdentity`. */
  readonly identity?: string
  readonly maxLineBytes?: number
  readonly chunkBytes?: number
}

export interface LineReader {
  readonly path: string
  /** How far lines were handed over. */
  readonly offset: number
  /**
   * Hands over each whole line since the last call, to the end of the file. `onChunk` is called after a bounded number
   * of bytes and waited for, so that whoever collects lines never has to keep the whole file. One call at a time.
   */
  read(take: (line: Line) => void, options?: ReadOptions): Promise<ReadReport>
}

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Called before the first line of a file that is read again from its start. */
  readonly onRestart?: (why: Restart) => void
  readonly onChunk?: () => Promise<void> | void
}

/**
 * Follows a file that grows. Between calls it keeps positions and no content: an unfinished line is read again when it is
 * whole, so thousands of files cost nothing. It notices a file that was cut, replaced, or written anew, also while it reads.
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { path, maxLineBytes = MAX_LINE_BYTES, chunkBytes = CHUNK_BYTES } = options
  let { identity } = options
  /** Of the first byte that belongs to no line handed over. */
  let lineStart = options.from ?? 0
  /** No newline between `lineStart` and here. */
  let scanned = lineStart
  /** Of the bytes before `scanned`: when others stand there now, the file is another one under the same name. */
  let mark: string | undefined
  let needsLineStart = lineStart > 0

  function startOver() {
    lineStart = 0
    scanned = 0
    mark = undefined
    needsLineStart = false
  }

  async function read(
    take: (line: Line) => void,
    { signal, onRestart, onChunk }: ReadOptions = {},
  ): Promise<ReadReport> {
    const file = await openFile(path)
    if (!file) {
      // What comes in its place is another file.
      identity = 'none'
      return { isGone: true, skipped: 0, size: 0 }
    }
    let restart: Restart | undefined
    let skipped = 0
    function begin(why: Restart) {
      startOver()
      restart = why
      skipped = 0
      onRestart?.(why)
    }
    try {
      if (identity !== undefined && identity !== file.identity) begin('replaced')
      identity = file.identity
      if (needsLineStart) await findLineStart(file)
      const buffer = Buffer.allocUnsafe(chunkBytes)
      while (!signal?.aborted) {
        const { bytesRead } = await file.handle.read(buffer, 0, chunkBytes, scanned)
        const chunk = buffer.subarray(0, bytesRead)
        const head = await lineHead(file, chunk)
        // After the reads and before any of it is handed over: what was read is the old file's if that is still there now.
        const before = await bytesBefore(file)
        const why = changeIn(before)
        if (why) {
          begin(why)
          continue
        }
        if (bytesRead === 0) break
        skipped += handOver(chunk, head, take)
        mark = markOf(chunk.length < MARK_BYTES ? Buffer.concat([before, chunk]) : chunk)
        await onChunk?.()
      }
      return { isGone: false, ...(restart && { restart }), skipped, size: scanned }
    } finally {
      await file.handle.close()
    }
  }

  /** Nothing but what stands before `scanned` says whether this is still the file that was read so far. */
  function changeIn(before: Buffer): Restart | undefined {
    if (before.length < Math.min(scanned, MARK_BYTES)) return 'truncated'
    return mark === undefined || mark === markOf(before) ? undefined : 'rewritten'
  }

  function bytesBefore({ handle }: OpenFile): Promise<Buffer> {
    const length = Math.min(scanned, MARK_BYTES)
    return readAt(handle, scanned - length, length)
  }

  /** We began in the middle of the file: most likely at the end of a line, perhaps in the middle of one. */
  async function findLineStart(file: OpenFile) {
    const before = await bytesBefore(file)
    if (before.length === Math.min(scanned, MARK_BYTES)) mark = markOf(before)
    if (before.at(-1) !== NEWLINE) lineStart = await lastLineStart(file.handle, scanned, maxLineBytes, chunkBytes)
    needsLineStart = false
  }

  /** Of the line that ends in this chunk and began before it, what stands there; unless it is too long. */
  async function lineHead({ handle }: OpenFile, chunk: Buffer): Promise<Buffer | undefined> {
    const end = chunk.indexOf(NEWLINE)
    const length = scanned - lineStart
    return end < 0 || length === 0 || length + end > maxLineBytes ? undefined : readAt(handle, lineStart, length)
  }

  /** Says how many lines were left out. */
  function handOver(chunk: Buffer, head: Buffer | undefined, take: (line: Line) => void): number {
    let skipped = 0
    for (let from = 0; ; ) {
      const end = chunk.indexOf(NEWLINE, from)
      if (end < 0) break
      const length = scanned + end - lineStart
      const rest = chunk.subarray(from, end)
      if (length > maxLineBytes) skipped++
      else if (length > 0) {
        const bytes = lineStart < scanned && head ? Buffer.concat([head, rest]) : rest
        take({ bytes: withoutReturn(bytes), offset: lineStart })
      }
      lineStart = scanned + end + 1
      from = end + 1
    }
    scanned += chunk.length
    return skipped
  }

  return {
    path,
    get offset() {
      return lineStart
    },
    read,
  }
}

/** Of the last bytes of these. */
function markOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes.subarray(-MARK_BYTES)).digest('base64')
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
}

/** Of the line that `end` is in. Looks back no further than a line may be long. */
async function lastLineStart(
  handle: OpenFile['handle'],
  end: number,
  maxLineBytes: number,
  chunkBytes: number,
): Promise<number> {
  const limit = Math.max(0, end - maxLineBytes - 1)
  for (let to = end; to > limit; ) {
    const from = Math.max(limit, to - chunkBytes)
    const newline = (await readAt(handle, from, to - from)).lastIndexOf(NEWLINE)
    if (newline >= 0) return from + newline + 1
    to = from
  }
  return limit
}
