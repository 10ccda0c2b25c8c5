import { lstat } from 'node:fs/promises'
import type { Clock } from '@holdpoint/core/clock'
import { fileIdentity } from '../../files/open-file.ts'
import { readEntry, type TranscriptEntry } from './entry.ts'
import type { TreeFile } from './folder-tree.ts'
import { createLineReader, type LineReader, type Restart } from './line-reader.ts'
import { createSlots } from './slots.ts'

/** An event can come before the last bytes do: each file is looked at once more after its last event. */
const TRAILING_MS = 120
/** Files that changed lately are looked at even without events, which some file systems do not give. */
const LIVE_MS = 10 * 60_000
const MAX_LIVE = 256
const READS_AT_ONCE = 8
const LOOKS_AT_ONCE = 32

export interface FileNews {
  readonly entries: readonly TranscriptEntry[]
  readonly restart?: Restart
  readonly isGone?: true
}

export interface FollowOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly emit: (file: TreeFile, news: FileNews) => Promise<void>
  readonly onFault: (error: unknown) => void
}

interface Followed {
  readonly file: TreeFile
  /** Where the reader begins, and in which file. */
  start: { readonly from: number; readonly identity?: string }
  /** Made when the file first changes: most never do. */
  reader?: LineReader
  /** The file's size when it was last read. */
  size: number
  activeAt: number
  /** Seen, and not told gone since: a file goes once, however often its folder says so. */
  isThere: boolean
  isReading: boolean
  hasChanged: boolean
  cancelTrailing?: () => void
}

/** Reads the files of a tree as they grow, each in order, a bounded number at once. */
export function createFollowedFiles({ clock, signal, emit, onFault }: FollowOptions) {
  const files = new Map<string, Followed>()
  /** The last ones that changed, the newest last. */
  const live = new Set<string>()
  const reads = createSlots(READS_AT_ONCE)
  const looks = createSlots(LOOKS_AT_ONCE)
  const running = new Set<Promise<void>>()

  function follow(file: TreeFile, from: number, identity?: string): Followed {
    const followed: Followed = {
      file,
      start: { from, ...(identity !== undefined && { identity }) },
      size: from,
      activeAt: clock.now(),
      isThere: identity !== undefined,
      isReading: false,
      hasChanged: false,
    }
    files.set(file.path, followed)
    return followed
  }

  /** What is old is followed from its end; what came later, from its start. */
  async function found(list: readonly TreeFile[], isOld: boolean) {
    await Promise.all(
      list.map((file) =>
        looks(async () => {
          if (!isOld && !files.has(file.path)) return changed(file)
          const stat = await lstat(file.path).catch(() => undefined)
          const known = files.get(file.path)
          if (known) return stat?.size === known.size ? undefined : changed(file)
          if (stat?.isFile()) follow(file, stat.size, fileIdentity(stat))
        }),
      ),
    )
  }

  function changed(file: TreeFile, isLastLook = false) {
    if (signal.aborted) return
    const followed = files.get(file.path) ?? follow(file, 0)
    followed.hasChanged = true
    if (followed.isReading) return
    followed.isReading = true
    const run = readAll(followed, isLastLook)
      .catch(onFault)
      .finally(() => running.delete(run))
    running.add(run)
  }

  async function readAll(followed: Followed, isLastLook: boolean) {
    const { file } = followed
    followed.cancelTrailing?.()
    const before = followed.size
    try {
      while (followed.hasChanged && !signal.aborted) {
        followed.hasChanged = false
        await reads(() => readOnce(followed))
      }
    } finally {
      followed.isReading = false
    }
    if (signal.aborted) return
    // Only now, when nothing more is known of it: an event of what takes its place comes to the same one, and not beside.
    if (!followed.isThere) return forget(file.path)
    if (followed.size !== before) {
      followed.activeAt = clock.now()
      keepLive(file.path)
    } else if (isLastLook) return
    followed.cancelTrailing = clock.after(TRAILING_MS, () => changed(file, true))
  }

  async function readOnce(followed: Followed) {
    const { file } = followed
    followed.reader ??= createLineReader({ path: file.path, ...followed.start })
    let entries: TranscriptEntry[] = []
    let restart: Restart | undefined
    const flush = async () => {
      if (entries.length === 0 && restart === undefined) return
      const news = { entries, ...(restart && { restart }) }
      entries = []
      restart = undefined
      await emit(file, news)
    }
    const report = await followed.reader.read(
      ({ bytes }) => {
        const entry = readEntry(bytes)
        if (entry) entries.push(entry)
      },
      {
        signal,
        onRestart: (why) => {
          restart = why
        },
        onChunk() {
          followed.isThere = true
          return flush()
        },
      },
    )
    await flush()
    followed.size = report.size
    const wasThere = followed.isThere
    followed.isThere = !report.isGone
    if (!report.isGone) return
    delete followed.reader
    followed.start = { from: 0 }
    if (wasThere) await emit(file, { entries: [], isGone: true })
  }

  function forget(path: string) {
    files.delete(path)
    live.delete(path)
  }

  function keepLive(path: string) {
    live.delete(path)
    live.add(path)
    for (const oldest of live) {
      if (live.size <= MAX_LIVE) return
      live.delete(oldest)
    }
  }

  return {
    /** Of those that are there. */
    get size() {
      return [...files.values()].filter(({ isThere }) => isThere).length
    },
    found,
    changed,
    folderGone(isIn: (path: string) => boolean) {
      for (const { file } of [...files.values()]) if (isIn(file.path)) changed(file)
    },
    async checkLive() {
      const since = clock.now() - LIVE_MS
      await Promise.all(
        [...live].map((path) =>
          looks(async () => {
            const followed = files.get(path)
            if (!followed || followed.activeAt < since) return void live.delete(path)
            const stat = await lstat(path).catch(() => undefined)
            if (stat?.size !== followed.size) changed(followed.file)
          }),
        ),
      )
    },
    /** When nothing is being read. */
    async whenIdle() {
      while (running.size > 0) await Promise.all(running)
    },
    close() {
      for (const { cancelTrailing } of files.values()) cancelTrailing?.()
    },
  }
}
