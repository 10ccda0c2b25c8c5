import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { type ArchiveBlock, fillerOf, readBlock } from './archive-part.ts'
import { KeptTexts } from './kept-texts.ts'
import { archiveFile } from './retired-row.ts'
import { runToEnd } from './run-to-end.ts'
import { storeFault } from './sqlite-error.ts'

const READ_BYTES = 1024 * 1024
const ARCHIVE_FILE = /^(\d{4}-\d{2})\.hpa$/

/** Where a part is in its file, and where its blocks begin in it: the first event of each, and the bytes before it. */
export interface PartPlace {
  readonly archive: string
  readonly place: number
  readonly size: number
  readonly blocks: readonly (readonly [first: number, offset: number])[]
}

export interface WrittenPart extends PartPlace {
  readonly sum: string
}

/** The archives beside a database: one file for each month, one part after another. */
export class ArchiveFiles {
  readonly #dataDir: string
  readonly #kept = new KeptTexts()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /**
   * Writes a part at `place`, the end of the last one that counts: what is behind that was left by a write that was cut off.
   * On disk when it returns, file and folder, and read back.
   */
  async write(archive: string, place: number, blocks: AsyncIterable<ArchiveBlock>): Promise<WrittenPart> {
    const path = this.#path(archive)
    let file: FileHandle | undefined
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      file = await open(path, existsSync(path) ? 'r+' : 'wx+', 0o600)
      const { size: before } = await file.stat()
      if (before < place) throw new StoreFault('corrupt', `${path} is shorter than it was: its end is missing.`)
      await file.truncate(place)
      const index: [number, number][] = []
      const hash = createHash('sha256')
      let size = 0
      for await (const { first, bytes } of blocks) {
        index.push([first, size])
        await writeAll(file, bytes, place + size)
        hash.update(bytes)
        size += bytes.length
      }
      await file.sync()
      await syncFolder(dirname(path))
      await syncFolder(this.#dataDir)
      const part = { archive, place, size, blocks: index, sum: hash.digest('hex') }
      if (runToEnd(this.sumOf(part)) !== part.sum)
        throw new StoreFault('io', `${path} could not be read back as it was written.`)
      return part
    } catch (error) {
      // Room is given back; if that fails too, the next write does it.
      await file?.truncate(place).catch(() => {})
      throw isNodeFault(error) ? archiveFault(error, path) : error
    } finally {
      await file?.close()
    }
  }

  /** The text of one event of a part, if it is there. It is for the caller to check it against its hash. */
  text(sessionId: SessionId, part: PartPlace, sessionSeq: number): string | undefined {
    const n = part.blocks.findLastIndex(([first]) => first <= sessionSeq)
    const block = part.blocks[n]
    if (!block) return undefined
    const key = `${sessionId} ${part.archive} ${part.place} ${n}`
    const known = this.#kept.get(key)
    if (known) return known.get(sessionSeq)
    const end = part.blocks[n + 1]?.[1] ?? part.size
    const bytes = this.#read(part.archive, part.place + block[1], end - block[1])
    const texts = bytes && readBlock(bytes)
    if (texts) this.#kept.put(key, texts)
    return texts?.get(sessionSeq)
  }

  /** In steps: the SHA-256 of a part's bytes as they are in the file; undefined where they are not there. */
  *sumOf({ archive, place, size }: Pick<PartPlace, 'archive' | 'place' | 'size'>): Generator<void, string | undefined> {
    const hash = createHash('sha256')
    for (let done = 0; done < size; done += READ_BYTES) {
      const bytes = this.#read(archive, place + done, Math.min(READ_BYTES, size - done))
      if (!bytes) return undefined
      hash.update(bytes)
      yield
    }
    return hash.digest('hex')
  }

  names(): readonly string[] {
    const folder = dirname(this.#path(''))
    const files = existsSync(folder) ? readdirSync(folder) : []
    return files.flatMap((file) => ARCHIVE_FILE.exec(file)?.[1] ?? [])
  }

  size(archive: string): number {
    return statSync(this.#path(archive), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Removes everything from `end` on. */
  async cut(archive: string, end: number): Promise<void> {
    const path = this.#path(archive)
    if (!existsSync(path)) return
    const file = await open(path, 'r+')
    try {
      if ((await file.stat()).size <= end) return
      await file.truncate(end)
      await file.sync()
    } catch (error) {
      throw isNodeFault(error) ? archiveFault(error, path) : error
    } finally {
      await file.close()
    }
  }

  /** Overwrites a part that was taken out. Once more does no harm. */
  async fill({ archive, place, size }: Pick<PartPlace, 'archive' | 'place' | 'size'>): Promise<void> {
    this.#kept.clear()
    const path = this.#path(archive)
    if (!existsSync(path)) return
    const file = await open(path, 'r+')
    try {
      await writeAll(file, fillerOf(size), place)
      await file.sync()
    } catch (error) {
      throw isNodeFault(error) ? archiveFault(error, path) : error
    } finally {
      await file.close()
    }
  }

  isFilled({ archive, place, size }: Pick<PartPlace, 'archive' | 'place' | 'size'>): boolean {
    return this.#read(archive, place, size)?.equals(fillerOf(size)) ?? false
  }

  #path(archive: string): string {
    return join(this.#dataDir, archiveFile(archive))
  }

  #read(archive: string, place: number, size: number): Buffer | undefined {
    let file: number | undefined
    try {
      file = openSync(this.#path(archive), 'r')
      if (fstatSync(file).size < place + size) return undefined
      const bytes = Buffer.alloc(size)
      for (let done = 0; done < size; ) {
        const read = readSync(file, bytes, done, size - done, place + done)
        if (read === 0) return undefined
        done += read
      }
      return bytes
    } catch (error) {
      if (isNodeFault(error)) return undefined
      throw error
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done)
    done += bytesWritten
  }
}

/** A file's name is on disk only once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isNodeFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && !(error instanceof StoreFault)
}

function archiveFault(error: NodeJS.ErrnoException, path: string): StoreFault {
  if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') return storeFault(error, path)
  return new StoreFault('full', `The disk with the archive is full. Free some space. (${path})`, { cause: error })
}
