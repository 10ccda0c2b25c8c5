import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@holdpoint/schema/id'
import type { Entry } from '../files/safe-file.ts'
import { isSurelySame } from './compare-trees.ts'
import type { KnownFile } from './known-file.ts'
import { type FinalChanges, foldersIn, type SessionFolder, type SessionNote, sessionFolder } from './session-folder.ts'

/** What is known of a session, in memory. */
export interface Held {
  readonly disk: SessionFolder
  note: SessionNote
  readonly start: Map<string, KnownFile>
  /** What was another than at the start when the last message was sent; undefined where it was gone. */
  message: ReadonlyMap<string, KnownFile | undefined>
  /** The files that were named the last time. */
  listed?: ReadonlySet<string>
  copying?: { readonly stop: AbortController; readonly done: Promise<void> }
}

/** Those of others are read from the disk again. */
const MAX_HELD = 8

/** The sessions of which something is kept: all on the disk, the last ones in memory. */
export function createHeldSessions(folder: string) {
  const held = new Map<SessionId, Held>()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const diskOf = (id: SessionId) => sessionFolder(join(folder, id))
  const ids = () => foldersIn(folder) as SessionId[]

  function hold(id: SessionId, one: Held): Held {
    // The last one that was used is the last to go.
    held.delete(id)
    held.set(id, one)
    for (const [other, { copying }] of held) {
      if (held.size <= MAX_HELD) break
      // What is still being kept is not on the disk yet.
      if (other !== id && !copying) held.delete(other)
    }
    return one
  }

  async function stopCopying(one: Held) {
    one.copying?.stop.abort()
    await one.copying?.done
  }

  return {
    load(id: SessionId): Held | undefined {
      const before = held.get(id)
      if (before) return hold(id, before)
      const disk = diskOf(id)
      const note = disk.note()
      if (!note) return undefined
      const isOver = note.endedAt !== undefined
      return hold(id, {
        disk,
        note,
        start: new Map(isOver ? [] : disk.start()),
        message: new Map(isOver ? [] : disk.message()),
      })
    },

    create(id: SessionId, note: SessionNote, start: Map<string, KnownFile>): Held {
      const disk = diskOf(id)
      disk.writeStart(start)
      disk.writeMessage(new Map())
      disk.writeNote(note)
      return hold(id, { disk, note, start, message: new Map() })
    },

    /** Its end: what it changed takes the place of everything else. */
    finish(id: SessionId, { disk, note }: Held, final: FinalChanges) {
      disk.writeFinal(final)
      disk.writeNote({ ...note, endedAt: Date.now() })
      disk.dropTrees()
      held.delete(id)
    },

    /** What is known of an entry by another session in the same folder: then it need not be read again. */
    sameAs(root: string, path: string, entry: Entry): KnownFile | undefined {
      for (const { note, start } of held.values()) {
        if (note.root !== root || note.endedAt !== undefined) continue
        const known = start.get(path)
        if (known?.hash !== undefined && isSurelySame(known, note.lookedAt, entry)) return known
      }
      return undefined
    },

    /** The hashes that sessions in this folder need, without one that goes; undefined where there is no session. */
    contentsIn(root: string, going?: SessionId): ReadonlySet<string> | undefined {
      const needed = new Set<string>()
      let isKnown = false
      for (const id of ids()) {
        const disk = diskOf(id)
        const note = disk.note()
        if (note?.root !== root || id === going) continue
        isKnown = true
        const { start = disk.start(), message = disk.message() } = held.get(id) ?? {}
        const final = disk.final()
        const pairs = note.endedAt === undefined ? [] : [...(final?.start ?? []), ...(final?.message ?? [])]
        const files = [...start.values(), ...message.values(), ...pairs.flatMap(({ before, after }) => [before, after])]
        for (const file of files) if (file?.hash !== undefined) needed.add(file.hash)
      }
      return isKnown ? needed : undefined
    },

    /** Does not begin a second time while the first is under way. */
    async copyOnce(one: Held, copy: (stopped: AbortSignal) => Promise<void>) {
      if (!one.copying) {
        const stop = new AbortController()
        const done = copy(stop.signal).finally(() => delete one.copying)
        one.copying = { stop, done }
      }
      await one.copying.done
    },
    stopCopying,

    open: () => ids().filter((id) => diskOf(id).note()?.endedAt === undefined),

    remove(id: SessionId) {
      held.delete(id)
      diskOf(id).remove()
    },

    async close() {
      await Promise.allSettled([...held.values()].map(stopCopying))
    },
  }
}
