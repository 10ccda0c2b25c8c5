import { createTurn } from '@holdpoint/core/turns'
import type { FollowedRecords } from './followed-records.ts'

/** A record as it is now. Without a value it is gone. */
export interface RecordNow {
  readonly key: string
  readonly value: unknown
}

/** A collection of which this gateway keeps in memory what is on record. */
export interface KeptRecords {
  /** Resolves when it is on record, and taken up here. */
  put(key: string, value: unknown): Promise<void>
  remove(key: string): Promise<boolean>
  /**
   * Puts what `make` makes of the record as it is now, unless it makes nothing of it. `make` runs again when another gateway has
   * changed the record meanwhile: so what it decides holds for what it was given. Not called where there is no record. What is
   * on record is taken up in any case. Resolves with what was put.
   */
  update<Value>(key: string, make: (now: unknown) => Value | undefined): Promise<Value | undefined>
  /** Takes up what is on record under this key now: for a decision that another gateway must not have overtaken. */
  refresh(key: string): Promise<void>
}

/** More keys than these are read together with all others. */
const MANY = 50

/**
 * Gives a collection's records to `take`: all of them now, and from then on each one that is put or removed, here or by
 * another gateway. `take` is the only way into memory, and what it is given was read after everything that it was given
 * before: so whichever of two changes at once comes last on record is the last one everywhere.
 */
export async function keepRecords(
  records: FollowedRecords,
  collection: string,
  take: (now: readonly RecordNow[]) => void | Promise<void>,
): Promise<KeptRecords> {
  const known = new Set<string>()
  const wanted = new Set<string>()
  let isAllWanted = true
  let next: Promise<void> | undefined
  let isReading = false
  let reads = 0
  const inTurn = createTurn()

  async function accept(now: readonly RecordNow[]) {
    for (const { key, value } of now) {
      if (value === undefined) known.delete(key)
      else known.add(key)
    }
    await take(now)
  }

  async function all(): Promise<readonly RecordNow[]> {
    const listed = await records.list(collection)
    const there = new Set(listed.map(({ key }) => key))
    const gone = [...known].filter((key) => !there.has(key))
    return [...listed, ...gone.map((key) => ({ key, value: undefined }))]
  }

  async function read(): Promise<void> {
    next = undefined
    reads++
    isReading = true
    const [isAll, keys] = [isAllWanted || wanted.size > MANY, [...wanted]]
    isAllWanted = false
    wanted.clear()
    try {
      const one = async (key: string) => ({ key, value: await records.get(collection, key) })
      await accept(isAll ? await all() : await Promise.all(keys.map(one)))
    } catch (error) {
      isAllWanted = true
      throw error
    } finally {
      isReading = false
    }
  }

  function readAgain(key?: string): Promise<void> {
    if (key === undefined) isAllWanted = true
    else wanted.add(key)
    next ??= inTurn(read)
    return next
  }

  /** Takes up what was written here since that read. Where others were read meanwhile, only the record says which came last. */
  async function takeUp(now: RecordNow, since: number): Promise<void> {
    const own = () => inTurn(() => accept([now]))
    if (next || isReading || reads !== since) await readAgain(now.key).catch(own)
    else await own()
  }

  records.follow?.(collection, readAgain)
  await readAgain()
  return {
    async put(key, value) {
      const since = reads
      await records.put(collection, key, value)
      await takeUp({ key, value }, since)
    },
    async update(key, make) {
      for (;;) {
        const since = reads
        const before = await records.get(collection, key)
        const value = before === undefined ? undefined : make(before)
        if (value !== undefined && !(await records.replace(collection, key, value, before))) continue
        await takeUp({ key, value: value ?? before }, since)
        return value
      }
    },
    async remove(key) {
      const since = reads
      const wasThere = await records.remove(collection, key)
      await takeUp({ key, value: undefined }, since)
      return wasThere
    },
    refresh: async (key) => (records.follow ? readAgain(key) : undefined),
  }
}
