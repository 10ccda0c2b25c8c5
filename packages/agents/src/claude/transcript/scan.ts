import { type OpenFile, openFile } from '../../files/open-file.ts'
import { MAX_LINE_BYTES, readEntry, type TranscriptEntry } from './entry.ts'

const NEWLINE = 0x0a
const CHUNK_BYTES = 1024 * 1024
/** As Claude Code writes it, without spaces. The longer what is looked for, the more is skipped at a step. */
const MARK = '"type":"tool_use"'

/** Where a line with a tool call lies in the buffer. */
export type TakeCallLine = (start: number, end: number) => void

/**
 * Finds the lines that hold a tool call, without looking for the ends of the others: this is what makes it faster than a
 * loop over lines. The buffer ends with a whole line.
 */
export function scanCallLines(buffer: Buffer, take: TakeCallLine): void {
  for (let from = 0; ; ) {
    const mark = buffer.indexOf(MARK, from, 'latin1')
    if (mark < 0) return
    const newline = buffer.indexOf(NEWLINE, mark)
    const end = newline < 0 ? buffer.length : newline
    take(buffer.lastIndexOf(NEWLINE, mark) + 1, end)
    from = end + 1
  }
}

export interface ScanOptions {
  readonly signal?: AbortSignal
}

/** Hands over every entry of a file with a tool call, and where its line starts. False without a file. */
export async function scanFile(
  path: string,
  take: (entry: TranscriptEntry, offset: number) => void,
  options: ScanOptions = {},
): Promise<boolean> {
  const file = await openFile(path)
  if (!file) return false
  try {
    await scanHandle(file, take, options)
    return true
  } finally {
    await file.handle.close()
  }
}

async function scanHandle(
  { handle }: OpenFile,
  take: (entry: TranscriptEntry, offset: number) => void,
  { signal }: ScanOptions,
): Promise<void> {
  /** The beginning of a line that goes on in the next chunk; given up when it gets too long. */
  let parts: Buffer[] | undefined = []
  let partBytes = 0
  let offset = 0

  function scan(lines: Buffer, at: number) {
    scanCallLines(lines, (start, end) => {
      const entry = readEntry(lines.subarray(start, end))
      if (entry) take(entry, at + start)
    })
  }
  function keep(part: Buffer) {
    partBytes += part.length
    // The chunk's memory is used again.
    if (partBytes <= MAX_LINE_BYTES) parts?.push(Buffer.from(part))
    else parts = undefined
  }
  function finish(at: number) {
    if (parts && partBytes > 0) scan(Buffer.concat(parts), at - partBytes)
    parts = []
    partBytes = 0
  }

  for await (const chunk of chunksOf(handle)) {
    signal?.throwIfAborted()
    const first = chunk.indexOf(NEWLINE)
    const last = first < 0 ? -1 : chunk.lastIndexOf(NEWLINE)
    let start = 0
    if (first >= 0 && partBytes > 0) {
      keep(chunk.subarray(0, first))
      finish(offset + first)
      start = first + 1
    }
    if (last >= start) scan(chunk.subarray(start, last + 1), offset + start)
    keep(chunk.subarray(last + 1))
    offset += chunk.length
  }
  // The last line counts also without an end: a program that was killed leaves one.
  finish(offset)
}

/** A chunk is good until the next one is asked for; that one is being read meanwhile. */
async function* chunksOf(handle: OpenFile['handle']): AsyncGenerator<Buffer> {
  let [current, next] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)]
  let reading = handle.read(current, 0, CHUNK_BYTES, 0)
  try {
    for (let position = 0; ; ) {
      const { bytesRead } = await reading
      if (bytesRead === 0) return
      position += bytesRead
      reading = handle.read(next, 0, CHUNK_BYTES, position)
      yield current.subarray(0, bytesRead)
      const used = current
      current = next
      next = used
    }
  } finally {
    // The handle is closed by whoever opened it, and not under a read.
    await reading.catch(() => {})
  }
}
