import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, renameSync, writevSync } from 'node:fs'
import { join } from 'node:path'

/** Contents of files, each once, by its hash. */
export interface Contents {
  /** Bytes on the disk. */
  size(): number
  has(hash: string): boolean
  /** False where there is no room for it. */
  put(hash: string, bytes: Buffer): boolean
  /** Undefined where it was never put, or is not what it was any more. */
  get(hash: string): Buffer | undefined
  /** Forgets all others. */
  keepOnly(hashes: ReadonlySet<string>): void
  close(): void
}

const NAME = 'contents'
const HASH_BYTES = 32
const HEAD_BYTES = HASH_BYTES + 4

interface Place {
  readonly at: number
  readonly length: number
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url')
}

/**
 * One file, which only grows: a hash and a length before each content. A process that dies while it writes leaves a piece at
 * the end, which the next one cuts off.
 */
export function openContents(folder: string, hasRoom: (bytes: number) => boolean): Contents {
  const path = join(folder, NAME)
  let file = open(path)
  let { places, end } = readPlaces(file)

  function read({ at, length }: Place): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(length)
    return readSync(file, bytes, 0, length, at) === length ? bytes : undefined
  }

  function get(hash: string): Buffer | undefined {
    const place = places.get(hash)
    const bytes = place && read(place)
    return bytes && hashOf(bytes) === hash ? bytes : undefined
  }

  return {
    size: () => end,
    has: (hash) => places.has(hash),
    put(hash, bytes) {
      if (places.has(hash)) return true
      if (!hasRoom(HEAD_BYTES + bytes.length)) return false
      try {
        const next = append(file, end, hash, bytes)
        places.set(hash, { at: end + HEAD_BYTES, length: bytes.length })
        end = next
        return true
      } catch {
        // The disk is full, for example: what was written of it is overwritten by the next.
        return false
      }
    },
    get,
    keepOnly(hashes) {
      if ([...places.keys()].every((hash) => hashes.has(hash))) return
      const next = open(`${path}.next`)
      ftruncateSync(next)
      let nextEnd = 0
      const nextPlaces = new Map<string, Place>()
      for (const hash of places.keys()) {
        const bytes = hashes.has(hash) ? get(hash) : undefined
        if (!bytes) continue
        nextPlaces.set(hash, { at: nextEnd + HEAD_BYTES, length: bytes.length })
        nextEnd = append(next, nextEnd, hash, bytes)
      }
      renameSync(`${path}.next`, path)
      closeSync(file)
      file = next
      places = nextPlaces
      end = nextEnd
    },
    close: () => closeSync(file),
  }
}

function open(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

function append(file: number, at: number, hash: string, bytes: Buffer): number {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(hash, 'base64url')
  head.writeUInt32BE(bytes.length, HASH_BYTES)
  const length = HEAD_BYTES + bytes.length
  if (writevSync(file, [head, bytes], at) !== length) throw new Error('not all of it was written')
  return at + length
}

function readPlaces(file: number) {
  const size = fstatSync(file).size
  const places = new Map<string, Place>()
  const head = Buffer.alloc(HEAD_BYTES)
  let end = 0
  while (end + HEAD_BYTES <= size && readSync(file, head, 0, HEAD_BYTES, end) === HEAD_BYTES) {
    const length = head.readUInt32BE(HASH_BYTES)
    const at = end + HEAD_BYTES
    if (at + length > size) break
    places.set(head.toString('base64url', 0, HASH_BYTES), { at, length })
    end = at + length
  }
  if (end < size) ftruncateSync(file, end)
  return { places, end }
}
