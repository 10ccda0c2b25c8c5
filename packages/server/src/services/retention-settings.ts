import { createTurn } from '@holdpoint/core/turns'
import { Keep, type KeepPlace } from '@holdpoint/schema/endpoints/retention'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords } from '../cluster/kept-records.ts'
import type { Log } from '../system/log.ts'

const COLLECTION = 'retention'
export const MAX_KEEPS = 1000

/** How long ended sessions stay in the log. */
export interface RetentionSettings {
  /** Those that people have set. */
  list(): readonly Keep[]
  /** In days, where no setting is. */
  readonly ofGateway: number | undefined
  /** For sessions of this folder; undefined: for ever. */
  daysFor(folder: string): number | undefined
  /** Whether a folder has a setting of its own. */
  hasOwn(folder: string): boolean
  /** The shortest time of all; undefined: nothing ever leaves. */
  shortestDays(): number | undefined
  /** Takes the place of the setting for the same folder. Says whether there was room for it. */
  set(keep: Keep): Promise<boolean>
  /** Says whether there was one. */
  remove(place: KeepPlace): Promise<boolean>
  /** Told after each change, here or at another gateway. */
  subscribe(listener: () => void): void
}

export async function createRetentionSettings(deps: {
  readonly records: FollowedRecords
  readonly log: Log
  readonly ofGateway: number | undefined
}): Promise<RetentionSettings> {
  const { records, ofGateway } = deps
  const byFolder = new Map<string | undefined, Keep>()
  const listeners = new Set<() => void>()
  const kept = await keepRecords(records, COLLECTION, (now) => {
    for (const { key, value } of now) {
      const read = Keep.safeParse(value)
      byFolder.delete(folderOf(key))
      if (read.success) byFolder.set(folderOf(key), read.data)
      // Without it sessions stay for longer, which loses nothing.
      else if (value !== undefined) deps.log.warn('retention_not_read', { key })
    }
    for (const listener of listeners) listener()
  })
  /** One change at a time: what is in force is what was stored last. */
  const inTurn = createTurn()

  function ofAll(): number | undefined {
    const set = byFolder.get(undefined)
    return set ? (set.days ?? undefined) : ofGateway
  }

  return {
    list: () => [...byFolder.values()],
    ofGateway,
    daysFor(folder) {
      const own = byFolder.get(folder)
      return own ? (own.days ?? undefined) : ofAll()
    },
    hasOwn: (folder) => byFolder.has(folder),
    shortestDays() {
      const all = [ofAll(), ...[...byFolder.values()].map(({ days }) => days ?? undefined)]
      const given = all.filter((days) => days !== undefined)
      return given.length > 0 ? Math.min(...given) : undefined
    },
    set: (keep) =>
      inTurn(async () => {
        if (!byFolder.has(keep.project) && byFolder.size >= MAX_KEEPS) return false
        await kept.put(keyOf(keep), keep)
        return true
      }),
    remove: (place) => inTurn(() => kept.remove(keyOf(place))),
    subscribe: (listener) => void listeners.add(listener),
  }
}

function keyOf({ project }: KeepPlace): string {
  return project === undefined ? 'all' : `in ${project}`
}

function folderOf(key: string): string | undefined {
  return key === 'all' ? undefined : key.slice('in '.length)
}
