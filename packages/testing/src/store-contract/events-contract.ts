import type { Stored } from '@holdpoint/schema/event'
import { describe, expect, it } from 'vitest'
import { eventsOf, sampleAppend, sampleMessage, sessionId } from './store-samples.ts'

import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const two = eventsOf(2)

/** Reading and following the log. */
export function eventsContract(world: StoreWorld): void {
  describe('events and follow', () => {
    async function fill(): Promise<void> {
      for (let n = 1; n <= 5; n++) {
        await world.appendOne(sampleAppend({ n: 1, after: n - 1, events: [one.added(sampleMessage(n))] }))
        await world.appendOne(sampleAppend({ n: 2, after: n - 1, events: [two.added(sampleMessage(n))] }))
      }
    }

    it('reads pages after a place, of all sessions or one', async () => {
      await fill()
      const seqs = (page: readonly Stored[]) => page.map(({ seq }) => seq)
      expect(seqs(await world.store.events({ after: 3, limit: 4 }))).toEqual([4, 5, 6, 7])
      expect(seqs(await world.store.events({ after: 3, limit: 3, sessionId: sessionId(2) }))).toEqual([4, 6, 8])
      expect(await world.store.events({ after: 10, limit: 4 })).toEqual([])
    })

    it('F58 ends a page of events soon after it has so many characters, and goes on from there', async () => {
      const texts = Array.from({ length: 30 }, (_, n) => one.added(sampleMessage(n + 1, { text: 'x'.repeat(1000) })))
      await world.appendOne(sampleAppend({ after: 0, events: texts }))
      for (const session of [{}, { sessionId: sessionId(1) }]) {
        const found: number[] = []
        for (let pages = 0; found.length < 30; pages++) {
          const page = await world.store.events({ ...session, after: found.at(-1) ?? 0, limit: 100, size: 1500 })
          expect(page.length).toBeGreaterThan(0)
          expect(page.length).toBeLessThanOrEqual(10)
          found.push(...page.map(({ seq }) => seq))
          expect(pages).toBeLessThan(30)
        }
        expect(found).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
      }
    })

    it("reads one session's events from among thousands of another's", async () => {
      await world.appendOne(sampleAppend({ n: 1, after: 0, events: [one.added(sampleMessage(1))] }))
      const others = Array.from({ length: 6000 }, (_, n) => two.added(sampleMessage(n + 1)))
      await world.appendOne(sampleAppend({ n: 2, after: 0, events: others }))
      const more = [2, 3, 4].map((n) => one.added(sampleMessage(n)))
      await world.appendOne(sampleAppend({ n: 1, after: 1, events: more }))
      const page = await world.store.events({ after: 0, limit: 3, sessionId: sessionId(1) })
      expect(page.map(({ seq, sessionSeq }) => [seq, sessionSeq])).toEqual([
        [1, 1],
        [6002, 2],
        [6003, 3],
      ])
    })

    it('follows from a place through what exists into what comes, without gap or repeat (I7)', async () => {
      await fill()
      const stop = new AbortController()
      const seen: number[] = []
      const following = (async () => {
        for await (const { seq } of world.store.follow(2, { signal: stop.signal })) {
          seen.push(seq)
          if (seq === 10) await world.appendOne(sampleAppend({ after: 5, events: [one.added(sampleMessage(6))] }))
          if (seq === 11)
            queueMicrotask(() => void world.appendOne(sampleAppend({ after: 6, events: [one.started()] })))
          if (seq === 12) stop.abort()
        }
      })()
      await following
      expect(seen).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    })

    it('ends a waiting follower when it is aborted and when the world.store closes', async () => {
      const stop = new AbortController()
      const collect = async (signal: AbortSignal) => {
        const seen: number[] = []
        for await (const { seq } of world.store.follow(0, { signal })) seen.push(seq)
        return seen
      }
      const aborted = collect(stop.signal)
      const closed = collect(new AbortController().signal)
      await world.appendOne(sampleAppend({ after: 0, events: [one.started()] }))
      stop.abort()
      await aborted
      await world.store.close()
      expect(await closed).toEqual([1])
    })
  })
}
