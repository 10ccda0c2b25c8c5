import { lstatSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ChangedFiles, ChangesSince, FileDiff } from '@holdpoint/schema/changed-files'
import type { SessionId } from '@holdpoint/schema/id'
import { createPause } from '../files/pause.ts'
import { type Entry, entryBelow, entryOf, isRealFolder } from '../files/safe-file.ts'
import { walkFolder } from '../files/walk-folder.ts'
import { comparePath, compareTrees, isSurelySame, type Pair } from './compare-trees.ts'
import { createDiffs, type Sources } from './diffs.ts'
import { createHeldSessions, type Held } from './held-sessions.ts'
import { type KnownFile, keepContent } from './known-file.ts'
import { createPacks } from './packs.ts'
import { BEGAN_LATE, FOLDER_GONE, noRoomRemark, slowRemark, unreadRemark } from './remarks.ts'
import type { SessionNote } from './session-folder.ts'

export interface ChangeLimits {
  /** Of one look at a folder. */
  readonly files: number
  readonly ms: number
  /** Of one file: what is larger is not kept and not compared line by line. */
  readonly fileBytes: number
  /** Of what is kept of one folder, and of all of them. */
  readonly folderBytes: number
  readonly totalBytes: number
  /** Changed files that a list names. */
  readonly listed: number
}

export const CHANGE_LIMITS: ChangeLimits = {
  files: 100_000,
  ms: 10_000,
  fileBytes: 1024 * 1024,
  folderBytes: 256 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  listed: 1000,
}

export interface ChangeStoreOptions {
  /** Where it keeps everything. */
  readonly folder: string
  /** Files and folders that are never read, absolute; and folders inside of those that are like any other. */
  readonly leftOut: readonly string[]
  readonly leftIn: readonly string[]
  /** It holds credentials, and what other programs keep: a session there, or in a folder above it, is not watched. */
  readonly home: string
  readonly limits: ChangeLimits
  /** A message waits no longer than this for the files to be looked at. */
  readonly waitMs: number
}

/** Keeps how the folders of sessions were, and says what is another now. Reads files and runs nothing (T67). */
export interface ChangeStore {
  /**
   * Notes how a folder is as its session begins, or goes on after its end. Resolves when the contents are kept, too.
   * `isLate`: the session had begun before.
   */
  begin(id: SessionId, options: { readonly folder: string; readonly isLate: boolean }): Promise<void>
  /** Notes how it is as a message is handed to the agent. */
  mark(id: SessionId): Promise<void>
  /** Keeps what the session has changed, and forgets the rest. */
  end(id: SessionId): Promise<void>
  /** Undefined where nothing is known of the session. */
  list(id: SessionId, since: ChangesSince): Promise<ChangedFiles | undefined>
  /** Undefined also where the file is not another one than it was. */
  file(id: SessionId, since: ChangesSince, path: string): Promise<FileDiff | undefined>
  /** Sessions whose end was not noted. */
  open(): Promise<readonly SessionId[]>
  /** Forgets everything of a session. */
  remove(id: SessionId): Promise<void>
  close(): Promise<void>
}

export function createChangeStore(options: ChangeStoreOptions): ChangeStore {
  const { limits } = options
  const turns = new Map<SessionId, Promise<unknown>>()
  const packs = createPacks(join(options.folder, 'contents'), limits)
  const sessions = createHeldSessions(join(options.folder, 'sessions'))
  const pause = createPause()
  const diffs = createDiffs()

  /** One thing at a time for each session. */
  function inTurn<Result>(id: SessionId, act: () => Promise<Result>): Promise<Result> {
    const next = (turns.get(id) ?? Promise.resolve()).catch(() => {}).then(act)
    turns.set(id, next)
    const done = () => {
      if (turns.get(id) === next) turns.delete(id)
    }
    next.then(done, done)
    return next
  }

  const leftOut = withRealPaths(options.leftOut)
  const leftIn = withRealPaths(options.leftIn)
  function isLeftOut(path: string): boolean {
    const isUnder = (place: string) => path === place || path.startsWith(place + sep)
    return leftOut.some(isUnder) && !leftIn.some(isUnder)
  }

  const homes = withRealPaths([options.home])
  const holdsHome = (root: string) => homes.some((home) => home === root || home.startsWith(join(root, sep)))

  /** All files and links by path, and the folders that were not looked into, because a limit was reached before. */
  async function walk(root: string): Promise<{ entries: Map<string, Entry>; unread: readonly string[] }> {
    if (!isRealFolder(root)) return { entries: new Map(), unread: [] }
    const { found, unread } = await walkFolder(root, {
      take: (entry, path) => (entry.isDirectory() ? undefined : pathAndEntry(root, path)),
      isLeftOut: (_, path) => isLeftOut(join(root, path)),
      most: limits.files,
      signal: AbortSignal.timeout(limits.ms),
    })
    return { entries: new Map(found), unread }
  }

  const keeping = (root: string) => {
    const place = { root, contents: packs.of(root), limit: limits.fileBytes }
    return (path: string, entry: Entry) => keepContent(place, path, entry)
  }

  /** What is only compared leaves nothing behind. */
  const reading = (root: string) => {
    const contents = { ...packs.of(root), put: () => true }
    return (path: string, entry: Entry) => keepContent({ root, contents, limit: limits.fileBytes }, path, entry)
  }

  /** Keeps the contents of a tree, the newest first: those are the most likely to be changed. */
  async function copy(one: Held, stopped: AbortSignal) {
    const keep = keeping(one.note.root)
    const waiting = [...one.start].filter(([, { hash, why }]) => hash === undefined && why === undefined)
    waiting.sort(([, first], [, second]) => second.mtimeMs - first.mtimeMs)
    for (const [path, known] of waiting) {
      await pause()
      if (stopped.aborted) return
      one.start.set(path, keep(path, known))
    }
    if (waiting.length > 0) one.disk.writeStart(one.start)
  }

  async function begin(id: SessionId, { folder, isLate }: Parameters<ChangeStore['begin']>[1], asked: number) {
    const earlier = sessions.load(id)
    if (earlier && earlier.note.endedAt === undefined) return earlier
    const root = realpathSync.native(folder)
    if (isLeftOut(root) || holdsHome(root)) return undefined
    const at = Date.now()
    const { entries, unread } = await walk(root)
    const remarks = [...slowRemark(asked, options.waitMs), ...(isLate ? [BEGAN_LATE] : [])]
    const start = new Map<string, KnownFile>()
    for (const [path, entry] of entries) start.set(path, sessions.sameAs(root, path, entry) ?? entry)
    // What an earlier life of it changed stays changed.
    for (const { path, before } of earlier?.disk.final()?.start ?? []) {
      if (before) start.set(path, before)
      else start.delete(path)
    }
    const note: SessionNote = {
      version: 1,
      root,
      startedAt: earlier?.note.startedAt ?? at,
      lookedAt: at,
      unread,
      remarks: [...new Set([...(earlier?.note.remarks ?? []), ...remarks])],
    }
    return sessions.create(id, note, start)
  }

  async function mark(id: SessionId, asked: number) {
    const one = sessions.load(id)
    if (!one || one.note.endedAt !== undefined) return
    const at = Date.now()
    const { root, lookedAt } = one.note
    const { entries } = await walk(root)
    const keep = keeping(root)
    const message = new Map<string, KnownFile | undefined>()
    for (const [path, entry] of entries) {
      await pause()
      const first = one.start.get(path)
      if (first && isSurelySame(first, lookedAt, entry)) continue
      const last = one.message.get(path)
      const isKnown = last && isSurelySame(last, one.note.message?.at ?? 0, entry)
      message.set(path, isKnown ? last : keep(path, entry))
    }
    for (const path of one.start.keys())
      if (!entries.has(path)) {
        const entry = entryBelow(root, path)
        if (!entry) message.set(path, undefined)
      }
    one.message = message
    one.note = { ...one.note, message: { at, remarks: slowRemark(asked, options.waitMs) } }
    one.disk.writeMessage(message)
    one.disk.writeNote(one.note)
  }

  /** The tree that is compared with. What did not change up to the message is as it was at the start. */
  function treeAt({ note, start, message }: Held, since: ChangesSince) {
    const files = new Map(start)
    if (since === 'message') {
      for (const [path, known] of message) {
        if (known) files.set(path, known)
        else files.delete(path)
      }
    }
    return { files, at: note.lookedAt, unread: note.unread }
  }

  async function end(id: SessionId) {
    const one = sessions.load(id)
    if (!one || one.note.endedAt !== undefined) return
    await sessions.stopCopying(one)
    const { root } = one.note
    const { entries } = await walk(root)
    const contentOf = keeping(root)
    const compare = (since: ChangesSince) =>
      compareTrees(root, treeAt(one, since), entries, { pause, contentOf, contentOfNew: contentOf })
    const final = isRealFolder(root)
      ? { start: await compare('start'), message: await compare('message') }
      : { start: [], message: [] }
    sessions.finish(id, one, final)
    dropUnused(root)
  }

  /** Forgets the contents of a folder that no session needs any more, without the one that goes. */
  function dropUnused(root: string, going?: SessionId) {
    const needed = sessions.contentsIn(root, going)
    if (needed) packs.of(root).keepOnly(needed)
    else packs.remove(root)
  }

  async function pairsOf(one: Held, since: ChangesSince): Promise<readonly Pair[]> {
    const { root, endedAt } = one.note
    if (endedAt !== undefined) return one.disk.final()?.[since] ?? []
    if (!isRealFolder(root)) return []
    const { entries } = await walk(root)
    const contentOf = reading(root)
    // What is new has nothing to be compared with: it is read where its lines are counted.
    const contentOfNew = (_path: string, entry: Entry) => entry
    const pairs = await compareTrees(root, treeAt(one, since), entries, { pause, contentOf, contentOfNew })
    one.listed = new Set(pairs.map(({ path }) => path))
    return pairs
  }

  async function pairOf(one: Held, since: ChangesSince, path: string): Promise<Pair | undefined> {
    const { root, endedAt } = one.note
    const tree = treeAt(one, since)
    // What was not there before may be one that is left out: it is shown only where a list names it.
    const isListed = endedAt === undefined && (tree.files.has(path) || one.listed?.has(path))
    if (!isListed) return (await pairsOf(one, since)).find((pair) => pair.path === path)
    return comparePath(root, tree, path, reading(root))
  }

  function sourcesOf({ note }: Held): Sources {
    const contents = packs.of(note.root)
    const after = ({ after: known }: Pair) => (known?.hash === undefined ? undefined : contents.get(known.hash))
    return {
      contents,
      readAfter: note.endedAt === undefined ? diffs.readerOf(note.root, limits.fileBytes) : after,
    }
  }

  async function list(id: SessionId, since: ChangesSince): Promise<ChangedFiles | undefined> {
    const one = sessions.load(id)
    if (!one) return undefined
    const pairs = await pairsOf(one, since)
    const files = await diffs.list(pairs, { ...sourcesOf(one), limit: limits.listed, pause })
    const { startedAt, endedAt, root, unread, message } = one.note
    const ofMessage = since === 'message' ? message : undefined
    return {
      at: ofMessage?.at ?? startedAt,
      files,
      more: pairs.length - files.length,
      remarks: [
        ...one.note.remarks,
        ...(ofMessage?.remarks ?? []),
        ...unreadRemark(unread),
        ...noRoomRemark(one.start.values()),
        ...(endedAt === undefined && !isRealFolder(root) ? [FOLDER_GONE] : []),
      ],
      ...(endedAt !== undefined && { endedAt }),
    }
  }

  async function file(id: SessionId, since: ChangesSince, path: string): Promise<FileDiff | undefined> {
    const one = sessions.load(id)
    const pair = one && (await pairOf(one, since, path))
    return one && pair && diffs.one(pair, sourcesOf(one))
  }

  return {
    async begin(id, given) {
      const asked = performance.now()
      const one = await inTurn(id, () => begin(id, given, asked))
      if (one) await sessions.copyOnce(one, (stopped) => copy(one, stopped))
    },
    mark(id) {
      const asked = performance.now()
      return inTurn(id, () => mark(id, asked))
    },
    end: (id) => inTurn(id, () => end(id)),
    list: (id, since) => inTurn(id, () => list(id, since)),
    file: (id, since, path) => inTurn(id, () => file(id, since, path)),
    open: async () => sessions.open(),
    remove: (id) =>
      inTurn(id, async () => {
        const one = sessions.load(id)
        if (one) await sessions.stopCopying(one)
        // Its note goes last: it says where the contents are, if this is cut off and done again.
        if (one) dropUnused(one.note.root, id)
        sessions.remove(id)
      }),
    async close() {
      await sessions.close()
      await Promise.allSettled(turns.values())
      packs.close()
    },
  }
}

function pathAndEntry(root: string, path: string): readonly [string, Entry] | undefined {
  try {
    const entry = entryOf(lstatSync(join(root, path)))
    return entry && [path, entry]
  } catch {
    return undefined
  }
}

/** A folder is looked at under its real path. */
function withRealPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return [path, realpathSync.native(path)]
    } catch {
      return [path]
    }
  })
}
