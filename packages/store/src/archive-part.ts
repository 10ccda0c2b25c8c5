import { gunzipSync, gzipSync } from 'node:zlib'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogRow } from './log-row.ts'

/** Characters of events that are compressed together: reading one of them costs a millisecond or two. */
const BLOCK_SIZE = 256 * 1024
const FORMAT = 1

/** A block of a part: whole gzip members, so that `zcat` prints an archive. */
export interface ArchiveBlock {
  /** The session's own number of the first event in it. */
  readonly first: number
  readonly bytes: Buffer
}

/** A session as it is written to an archive: a line that says what follows, then each event as it was hashed. */
export function createPartWriter(header: {
  readonly session: SessionId
  readonly archive: string
  readonly events: number
  readonly head: string
}) {
  let lines = [JSON.stringify({ holdpoint: 'archive', format: FORMAT, ...header })]
  let size = 0
  let first = 1

  function block(next: number): ArchiveBlock {
    const made = { first, bytes: gzipSync(`${lines.join('\n')}\n`) }
    lines = []
    size = 0
    first = next
    return made
  }

  return {
    /** The block that is full with this event, if one is. */
    add(row: LogRow): ArchiveBlock | undefined {
      lines.push(JSON.stringify(row))
      size += row.data.length
      return size >= BLOCK_SIZE ? block(row.sessionSeq + 1) : undefined
    },
    end: (): ArchiveBlock | undefined => (lines.length > 0 ? block(0) : undefined),
  }
}

/** The texts of the events in a block, by the session's own numbers; undefined where it cannot be read. */
export function readBlock(bytes: Uint8Array): ReadonlyMap<number, string> | undefined {
  try {
    const texts = new Map<number, string>()
    for (const line of gunzipSync(bytes).toString().split('\n')) {
      if (line === '') continue
      const { sessionSeq, data } = JSON.parse(line) as Partial<LogRow>
      if (sessionSeq !== undefined && data !== undefined) texts.set(sessionSeq, data)
    }
    return texts
  } catch {
    return undefined
  }
}

/** An empty gzip member with a field of this many bytes that says nothing. */
const EMPTY = 22
const MAX_FIELD = 65_535

/**
 * What takes the place of a part that was taken out: empty gzip members of exactly its size, so that nothing else moves, and
 * the archive can still be printed. The smallest part is larger than the smallest filler.
 */
export function fillerOf(size: number): Buffer {
  const made: Buffer[] = []
  for (let left = size; left > 0; ) {
    const most = Math.min(left, EMPTY + MAX_FIELD)
    // What is left has to be enough for another member.
    const next = left - most > 0 && left - most < EMPTY ? most - EMPTY : most
    made.push(emptyMember(next - EMPTY))
    left -= next
  }
  return Buffer.concat(made)
}

function emptyMember(field: number): Buffer {
  const bytes = Buffer.alloc(EMPTY + field)
  // Deflated, with an extra field, no time, of an unknown system.
  Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]).copy(bytes)
  bytes.writeUInt16LE(field, 10)
  // An empty deflate block; the checksum and the size of nothing are zero.
  bytes[12 + field] = 3
  return bytes
}
