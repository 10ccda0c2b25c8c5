import { createTurn } from '../system/turns.ts'
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

  /** Takes up what was written here. Where others were read meanwhile, only the record says which came last. */
  async function change<Result>(write: () => Promise<Result>, now: RecordNow): Promise<Result> {
    const before = reads
    const result = await write()
    const own = () => inTurn(() => accept([now]))
    if (next || isReading || reads !== before) await readAgain(now.key).catch(own)
    else await own()
    return result
  }

  records.follow?.(collection, readAgain)
  await readAgain()
  return {
    put: (key, value) => change(() => records.put(collection, key, value), { key, value }),
    remove: (key) => change(() => records.remove(collection, key), { key, value: undefined }),
    refresh: async (key) => (records.follow ? readAgain(key) : undefined),
  }
}
