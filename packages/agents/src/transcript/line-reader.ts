import { MAX_LINE_BYTES } from './entry.ts'
import { type OpenFile, openFile, readAt } from './open-file.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const CHUNK_BYTES = 256 * 1024
const SAMPLE_BYTES = 64

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
 * whole, so thousands of files cost nothing. It notices a file that was cut, replaced, or written anew at the same size.
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { path, maxLineBytes = MAX_LINE_BYTES, chunkBytes = CHUNK_BYTES } = options
  let { identity } = options
  /** Of the first byte that belongs to no line handed over. */
  let lineStart = options.from ?? 0
  /** No newline between `lineStart` and here. */
  let scanned = lineStart
  /** The bytes before `scanned`: when others stand there now, the file is another one under the same name. */
  let sample: Buffer | undefined
  let needsLineStart = lineStart > 0

  function startOver() {
    lineStart = 0
    scanned = 0
    sample = undefined
    needsLineStart = false
  }

  async function restartReason(file: OpenFile): Promise<Restart | undefined> {
    if (identity !== undefined && identity !== file.identity) return 'replaced'
    if (file.size < scanned) return 'truncated'
    if (!sample) return undefined
    const now = await readAt(file.handle, scanned - sample.length, sample.length)
    return now.equals(sample) ? undefined : 'rewritten'
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
    try {
      const restart = await restartReason(file)
      if (restart) {
        startOver()
        onRestart?.(restart)
      }
      identity = file.identity
      if (needsLineStart) await findLineStart(file)
      const skipped = await readLines(file, take, signal, onChunk)
      return { isGone: false, ...(restart && { restart }), skipped, size: scanned }
    } finally {
      await file.handle.close()
    }
  }

  /** We began in the middle of the file: most likely at the end of a line, perhaps in the middle of one. */
  async function findLineStart({ handle }: OpenFile) {
    const before = await readAt(handle, Math.max(0, scanned - 1), 1)
    if (before[0] !== NEWLINE) lineStart = await lastLineStart(handle, scanned, maxLineBytes, chunkBytes)
    needsLineStart = false
  }

  async function readLines(
    { handle }: OpenFile,
    take: (line: Line) => void,
    signal: AbortSignal | undefined,
    onChunk: ReadOptions['onChunk'],
  ): Promise<number> {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    let skipped = 0
    while (!signal?.aborted) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, scanned)
      if (bytesRead === 0) break
      const chunk = buffer.subarray(0, bytesRead)
      for (let from = 0; ; ) {
        const end = chunk.indexOf(NEWLINE, from)
        if (end < 0) break
        const length = scanned + end - lineStart
        if (length > maxLineBytes) skipped++
        else if (length > 0) {
          const isWhole = lineStart >= scanned
          const bytes = isWhole ? chunk.subarray(from, end) : await readAt(handle, lineStart, length)
          take({ bytes: withoutReturn(bytes), offset: lineStart })
        }
        lineStart = scanned + end + 1
        from = end + 1
      }
      scanned += bytesRead
      sample = chunk.length >= SAMPLE_BYTES ? Buffer.from(chunk.subarray(-SAMPLE_BYTES)) : joined(sample, chunk)
      await onChunk?.()
    }
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

function joined(sample: Buffer | undefined, chunk: Buffer): Buffer {
  return Buffer.concat(sample ? [sample, chunk] : [chunk]).subarray(-SAMPLE_BYTES)
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
