import { AUTHORITY_COLLECTIONS, type RecordChange } from '@holdpoint/core/cluster'
import { describe, expect, it } from 'vitest'
import { eventsOf, sampleAppend } from '../store-contract/store-samples.ts'
import type { ClusterMember, ClusterWorld } from './cluster-world.ts'

let sessions = 0

export function authorityContract(world: ClusterWorld): void {
  /** An append to a session of its own, as an answer that was decided by this number. */
  function answer({ cluster }: ClusterMember, authority: number) {
    const n = ++sessions
    return { ...sampleAppend({ n, after: 0, events: [eventsOf(n, cluster.now()).started()] }), authority }
  }

  async function two() {
    const [a, b] = [await world.join('a'), await world.join('b')]
    const heard: (RecordChange | undefined)[] = []
    /** Until it is let go, what `b` reads again takes its time. */
    const reading = { go: () => {}, until: Promise.resolve() }
    reading.until = new Promise((resolve) => {
      reading.go = resolve
    })
    b.cluster.onRecords(async (change) => {
      heard.push(change)
      await reading.until
    })
    return { a, b, heard, reading }
  }

  describe('a changed record', () => {
    it('is told to all others, and not to the one who changed it', async () => {
      const { a, b, heard, reading } = await two()
      reading.go()
      let own = 0
      a.cluster.onRecords(async () => void own++)
      const key = 'NUL \0, half of a pair \ud800, a "quote"'
      await a.store.records.put('attachments', key, 1)
      await a.store.records.remove('attachments', key)
      await a.store.records.remove('attachments', 'there is none')
      const change = { collection: 'attachments', key }
      await expect.poll(() => heard).toEqual([change, change])
      expect(await b.store.records.get('attachments', key)).toBeUndefined()
      expect(own).toBe(0)
    })

    it('[I8] of rights raises the number of the authority, and the others take it up once they have read it', async () => {
      const { a, b, heard, reading } = await two()
      await expect.poll(() => a.cluster.authority()).toBe(b.cluster.authority())
      const before = a.cluster.authority()
      const put = a.store.records.put('devices', 'phone', 1)
      await expect.poll(() => heard.length).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(b.cluster.authority()).toBe(before)
      // Decided by what b knows.
      expect(await b.store.append([answer(b, before)])).toMatchObject([{ ok: false, seq: 0, because: 'authority' }])
      const waited = b.cluster.authorityAfter(before, { signal: new AbortController().signal })
      reading.go()
      await put
      await waited
      expect(b.cluster.authority()).toBe(before + 1)
      await expect.poll(() => a.cluster.authority()).toBe(before + 1)
      expect(await b.store.append([answer(b, before + 1)])).toMatchObject([{ ok: true }])
      expect(await a.store.append([answer(a, before + 1)])).toMatchObject([{ ok: true }])
    })

    it('refuses what older rights have decided, and nothing beside it', async () => {
      const { a, b, reading } = await two()
      reading.go()
      const before = b.cluster.authority()
      await a.store.records.put('devices', 'phone', 2)
      const stale = answer(b, before)
      const { authority: _, ...other } = answer(b, 0)
      expect(await b.store.append([stale, other])).toMatchObject([
        { ok: false, seq: 0, because: 'authority' },
        { ok: true },
      ])
    })

    it('of rights is one of those that say so, and only where something has changed', async () => {
      const { a, reading } = await two()
      reading.go()
      const before = a.cluster.authority()
      for (const collection of AUTHORITY_COLLECTIONS) await a.store.records.put(collection, 'key', 1)
      const after = before + AUTHORITY_COLLECTIONS.length
      await expect.poll(() => a.cluster.authority()).toBe(after)
      await a.store.records.put('attachments', 'key', 1)
      await a.store.records.remove('devices', 'there is none')
      await a.store.records.remove('devices', 'key')
      await expect.poll(() => a.cluster.authority()).toBe(after + 1)
    })

    it('is waited for until it comes, or nobody waits any more', async () => {
      const { a, b, reading } = await two()
      reading.go()
      const stop = new AbortController()
      const newest = b.cluster.authority()
      await b.cluster.authorityAfter(newest - 1, { signal: stop.signal })
      const waited = [0, 1].map(() => b.cluster.authorityAfter(newest, { signal: stop.signal }))
      const never = b.cluster.authorityAfter(newest + 1000, { signal: stop.signal })
      await a.store.records.put('devices', 'key', 2)
      await Promise.all(waited)
      stop.abort()
      await never
    })
  })

  describe('what one appends', () => {
    it('is told to the others, and not to itself', async () => {
      const { a, b } = await two()
      const told = [0, 0]
      a.cluster.onAppended(() => (told[0] = (told[0] ?? 0) + 1))
      b.cluster.onAppended(() => (told[1] = (told[1] ?? 0) + 1))
      await a.store.append([answer(a, a.cluster.authority())])
      await expect.poll(() => told[1]).toBeGreaterThan(0)
      expect(told[0]).toBe(0)
    })
  })
}
