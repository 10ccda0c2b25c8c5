import { LOOKED_THROUGH, type Store } from '@holdpoint/core/store'
import type { AskId } from '@holdpoint/schema/id'
import { askItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import {
  askId,
  deviceId,
  eventsOf,
  itemId,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sessionId,
} from './store-samples.ts'

import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const two = eventsOf(2)

/** Pages of sessions, asks and threads. */
export function listsContract(world: StoreWorld): void {
  describe('lists', () => {
    it('F55 gives ended sessions by newest activity, page by page, each once', async () => {
      // Of several with the same time the later id is the newer one.
      const times = [100, 300, 200, 300, 300, 50, 400]
      for (const [index, at] of times.entries()) {
        const n = index + 1
        const append = sampleAppend({ n, after: 0, events: [eventsOf(n, at).started()] })
        const changes = n === times.length ? {} : { state: 'dead' as const, projectId: `project ${n % 2}` }
        await world.appendOne({ ...append, session: { ...append.session, ...changes } })
      }
      const expected = [5, 4, 2, 3, 1, 6].map(sessionId)
      for (const limit of [1, 2, 3, 6, 100]) {
        const ids: string[] = []
        for (let before: string | undefined; ; ) {
          const page = await world.store.endedSessions({ limit, ...(before !== undefined && { before }) })
          expect(page.sessions.length).toBeLessThanOrEqual(limit)
          ids.push(...page.sessions.map(({ id }) => id))
          before = page.nextBefore
          if (before === undefined) break
        }
        expect(ids).toEqual(expected)
      }
      const { sessions } = await world.store.endedSessions({ limit: 2, projectId: 'project 1' })
      expect(sessions.map(({ id }) => id)).toEqual([5, 3].map(sessionId))
      expect(await world.store.session(sessionId(9))).toBeUndefined()
    })

    it('finds the ended sessions of a conversation', async () => {
      for (const n of [1, 2, 3]) {
        const append = sampleAppend({ n, after: 0, events: [eventsOf(n, n * 100).started()] })
        const state = n === 3 ? 'user_turn' : 'dead'
        await world.appendOne({ ...append, session: { ...append.session, state, vendorSessionId: 'conversation' } })
      }
      const ids = (await world.store.endedSessionsOf('conversation')).map(({ id }) => id)
      expect(ids).toEqual([sessionId(2), sessionId(1)])
      expect(await world.store.endedSessionsOf('another')).toEqual([])
    })

    it('F55 gives settled asks page by page, each once', async () => {
      const events = [1, 2, 3, 4, 5].map((n) => one.raised(sampleAsk(n)))
      await world.appendOne(sampleAppend({ after: 0, events: [...events, ...[2, 4, 1, 3].map((n) => one.settled(n))] }))
      const found: number[] = []
      for (let before: AskId | undefined; ; ) {
        const page = await world.store.asks({ status: 'settled', limit: 3, ...(before && { before }) })
        found.push(...page.map(({ ask }) => Number(ask.id.slice(4))))
        before = page.at(-1)?.ask.id
        if (page.length < 3) break
      }
      expect(found).toEqual([3, 1, 4, 2])
    })

    it('F58 reads no more settled asks for a page than have so many characters, and one in any case', async () => {
      const large = { tool: { name: 'Write', input: { content: 'x'.repeat(1000) } } }
      const raised = [1, 2, 3, 4, 5].map((n) => one.raised(sampleAsk(n, large)))
      await world.appendOne(sampleAppend({ after: 0, events: [...raised, ...[1, 2, 3, 4].map((n) => one.settled(n))] }))
      const numbers = async (query: Parameters<Store['asks']>[0]) =>
        (await world.store.asks(query)).map(({ ask }) => Number(ask.id.slice(4)))
      expect(await numbers({ status: 'settled', limit: 9, size: 1 })).toEqual([4])
      expect(await numbers({ status: 'settled', limit: 9, size: 2000 })).toEqual([4, 3])
      expect(await numbers({ status: 'settled', limit: 9, size: 2000, before: askId(3) })).toEqual([2, 1])
      expect(await numbers({ status: 'all', limit: 9, size: 2000 })).toEqual([5, 4, 3])
      expect(await numbers({ status: 'settled', limit: 1, size: 2000 })).toEqual([4])
    })

    it('gives open asks oldest first, then settled ones newest first', async () => {
      const raised = [1, 2, 3, 4, 5, 6].map((n) => one.raised(sampleAsk(n)))
      const settled = [5, 2, 4].map((n) => one.settled(n))
      await world.appendOne(sampleAppend({ after: 0, events: [...raised, ...settled] }))
      await world.appendOne(sampleAppend({ n: 2, after: 0, events: [two.raised(sampleAsk(7))] }))
      const numbers = async (query: Parameters<Store['asks']>[0]) =>
        (await world.store.asks(query)).map(({ ask }) => Number(ask.id.slice(4)))
      expect(await numbers({ status: 'open', limit: 100 })).toEqual([1, 3, 6, 7])
      expect(await numbers({ status: 'settled', limit: 2 })).toEqual([4, 2])
      expect(await numbers({ status: 'all', limit: 6 })).toEqual([1, 3, 6, 7, 4, 2])
      expect(await numbers({ status: 'all', limit: 100, sessionId: sessionId(1) })).toEqual([1, 3, 6, 4, 2, 5])
      expect(await numbers({ status: 'open', limit: 100, sessionId: sessionId(2) })).toEqual([7])
      expect(await numbers({ status: 'all', limit: 100, sessionId: sessionId(3) })).toEqual([])
    })

    it('gives ended sessions that fit, reads a bounded number for a page, and misses none', async () => {
      const count = LOOKED_THROUGH + 2
      const appends = Array.from({ length: count }, (_, index) => {
        const n = index + 1
        const append = sampleAppend({ n, after: 0, events: [eventsOf(n, n).started()] })
        return { ...append, session: { ...append.session, state: 'dead' as const, title: `session ${n}` } }
      })
      await world.store.append(appends)
      const wanted = new Set([1, 2, 900, count])
      const fits = (session: Session) => wanted.has(Number(session.title.slice('session '.length)))
      for (const limit of [1, 2, 10]) {
        const pages: string[][] = []
        for (let before: string | undefined; ; ) {
          const page = await world.store.endedSessions({ limit, fits, ...(before !== undefined && { before }) })
          pages.push(page.sessions.map(({ title }) => title.slice('session '.length)))
          before = page.nextBefore
          if (before === undefined) break
        }
        expect(pages.flat()).toEqual([`${count}`, '900', '2', '1'])
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit)
        // The first page of many ends before the oldest were looked at.
        if (limit === 10)
          expect(pages).toEqual([
            [`${count}`, '900'],
            ['2', '1'],
          ])
      }
    })

    it('finds an ask by id, by request and by the newest of its tool use', async () => {
      await world.appendOne(
        sampleAppend({
          after: 0,
          events: [
            one.raised(sampleAsk(1, { toolUseId: 'same' })),
            one.raised(sampleAsk(2, { toolUseId: 'same' })),
            one.raised(sampleAsk(3, { toolUseId: 'same', epoch: 2 })),
          ],
        }),
      )
      const key = { sessionId: sessionId(1), epoch: 1 }
      expect((await world.store.ask(askId(1)))?.ask.id).toBe(askId(1))
      expect((await world.store.askByRequest({ ...key, requestId: 'request-2' }))?.ask.id).toBe(askId(2))
      expect(await world.store.askByRequest({ ...key, epoch: 2, requestId: 'request-2' })).toBeUndefined()
      const atOnce = [2, 9, 1, 2].map((n) => world.store.askByRequest({ ...key, requestId: `request-${n}` }))
      const found = await Promise.all(atOnce)
      expect(found.map((record) => record?.ask.id)).toEqual([askId(2), undefined, askId(1), askId(2)])
      expect((await world.store.askByToolUse({ ...key, toolUseId: 'same' }))?.ask.id).toBe(askId(2))
      expect(await world.store.askByToolUse({ ...key, sessionId: sessionId(2), toolUseId: 'same' })).toBeUndefined()
      expect(await world.store.ask(askId(9))).toBeUndefined()
    })

    it('has room for another ask of a request once the last was withdrawn as changed, and for no more', async () => {
      const same = { requestId: 'request', toolUseId: 'call' }
      const changed = { kind: 'withdrawn', at: 1, via: 'gateway', reason: 'changed' } as const
      await world.appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, same))] }))
      const again = (after: number, n: number) =>
        world.appendOne(sampleAppend({ after, events: [one.raised(sampleAsk(n, same))] }))
      expect(await again(1, 2)).toMatchObject({ ok: false })
      await world.appendOne(
        sampleAppend({ after: 1, events: [one.settled(1, changed), one.raised(sampleAsk(2, same))] }),
      )
      expect(await again(3, 3)).toMatchObject({ ok: false })
      await world.reloaded()
      const key = { sessionId: sessionId(1), epoch: 1 }
      const newest = async () => [
        (await world.store.askByRequest({ ...key, requestId: 'request' }))?.ask.id,
        (await world.store.askByToolUse({ ...key, toolUseId: 'call' }))?.ask.id,
      ]
      expect(await newest()).toEqual([askId(2), askId(2)])
      const first = await world.store.firstAskByToolUse({ sessionId: sessionId(1), toolUseId: 'call' })
      expect(first).toMatchObject({ ask: { id: askId(1) }, outcome: changed })
      await world.appendOne(sampleAppend({ after: 3, events: [one.settled(2, changed)] }))
      expect(await newest()).toEqual([askId(2), askId(2)])
      expect(await again(4, 3)).toMatchObject({ ok: true })
      await world.appendOne(sampleAppend({ after: 5, events: [one.settled(3)] }))
      expect(await again(6, 4)).toMatchObject({ ok: false })
      expect(await newest()).toEqual([askId(3), askId(3)])
      const { items } = await world.store.items({ sessionId: sessionId(1), limit: 10 })
      expect(items.map(({ type }) => type)).toEqual(['ask', 'ask', 'ask'])
      expect((await world.store.asks({ status: 'all', limit: 10 })).map(({ ask }) => ask.id)).toEqual(
        [3, 2, 1].map(askId),
      )
      expect((await world.store.verify()).fault).toBeUndefined()
    })

    it("finds the agent's own ask of a tool use, looked for before or from an earlier start", async () => {
      const key = { sessionId: sessionId(1), epoch: 1 }
      await world.appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, { toolUseId: 'first' }))] }))
      expect(await world.store.askByToolUse({ ...key, toolUseId: 'second' })).toBeUndefined()
      await world.appendOne(sampleAppend({ after: 1, events: [one.raised(sampleAsk(2, { toolUseId: 'second' }))] }))
      const raised = sampleAsk(3, { toolUseId: 'second', raisedBy: deviceId(1) })
      await world.appendOne(sampleAppend({ after: 2, events: [one.raised(raised)] }))
      expect((await world.store.askByToolUse({ ...key, toolUseId: 'second' }))?.ask.id).toBe(askId(2))
      const again = sampleAsk(4, { toolUseId: 'first', epoch: 2 })
      await world.appendOne(sampleAppend({ after: 3, events: [one.raised(again)] }))
      const first = (toolUseId: string) => world.store.firstAskByToolUse({ sessionId: sessionId(1), toolUseId })
      expect((await first('first'))?.ask.id).toBe(askId(1))
      expect((await first('second'))?.ask.id).toBe(askId(2))
      expect(await first('third')).toBeUndefined()
      await world.reloaded()
      expect((await world.store.askByToolUse({ ...key, toolUseId: 'first' }))?.ask.id).toBe(askId(1))
      expect((await world.store.askByToolUse({ ...key, toolUseId: 'second' }))?.ask.id).toBe(askId(2))
    })

    it('pages a thread from its end to its beginning', async () => {
      const events = [1, 2, 3, 4, 5].map((n) => one.added(sampleMessage(n)))
      await world.appendOne(sampleAppend({ after: 0, events }))
      const pages: string[][] = []
      let before: number | undefined
      do {
        const page = await world.store.items({ sessionId: sessionId(1), limit: 2, ...(before && { before }) })
        pages.push(page.items.map(({ id }) => id))
        before = page.nextBefore
      } while (before !== undefined)
      expect(pages).toEqual([[itemId(4), itemId(5)], [itemId(2), itemId(3)], [itemId(1)]])
      expect(await world.store.items({ sessionId: sessionId(2), limit: 2 })).toEqual({ items: [] })
      expect((await world.store.items({ sessionId: sessionId(1), limit: 5 })).nextBefore).toBeUndefined()
    })

    it('F58 ends a page of a thread with the item with which it has so many characters', async () => {
      const large = { tool: { name: 'Write', input: { content: 'x'.repeat(1000) } } }
      const messages = [1, 2, 3].map((n) => one.added(sampleMessage(n, { text: 'x'.repeat(n === 2 ? 5000 : 1000) })))
      await world.appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, large)), ...messages] }))
      const pages: string[][] = []
      let before: number | undefined
      do {
        const page = await world.store.items({
          sessionId: sessionId(1),
          limit: 9,
          size: 1500,
          ...(before && { before }),
        })
        pages.push(page.items.map((item) => (item.type === 'ask' ? item.askId : item.id)))
        before = page.nextBefore
      } while (before !== undefined)
      // An ask counts as what is read for it.
      expect(pages).toEqual([
        [itemId(2), itemId(3)],
        [askId(1), itemId(1)],
      ])
      expect((await world.store.items({ sessionId: sessionId(1), limit: 9, size: 1 })).items).toHaveLength(1)
    })

    it('gives an item with its newest status', async () => {
      const message = sampleMessage(1, { status: 'queued' })
      await world.appendOne(sampleAppend({ after: 0, events: [one.added(message), one.changed(1, 'cancelled')] }))
      const { items } = await world.store.items({ sessionId: sessionId(1), limit: 5 })
      expect(items).toEqual([{ ...message, status: 'cancelled' }])
      expect(await world.store.item({ sessionId: sessionId(1), id: itemId(1) })).toEqual(items[0])
    })

    it('gives one item by its id, and only to its own session', async () => {
      await world.appendOne(
        sampleAppend({ after: 0, events: [one.added(sampleMessage(1)), one.added(sampleMessage(2))] }),
      )
      await world.reloaded()
      expect(await world.store.item({ sessionId: sessionId(1), id: itemId(2) })).toEqual(sampleMessage(2))
      expect(await world.store.item({ sessionId: sessionId(1), id: itemId(3) })).toBeUndefined()
      expect(await world.store.item({ sessionId: sessionId(2), id: itemId(2) })).toBeUndefined()
    })

    it('shows asks in the thread, in their place', async () => {
      const events = [one.added(sampleMessage(1)), one.raised(sampleAsk(1)), one.added(sampleMessage(2))]
      await world.appendOne(sampleAppend({ after: 0, events }))
      const { items } = await world.store.items({ sessionId: sessionId(1), limit: 5 })
      expect(items.map(({ type }) => type)).toEqual(['message', 'ask', 'message'])
      expect(items[1]).toEqual(askItem(sampleAsk(1)))
      const newest = await world.store.items({ sessionId: sessionId(1), limit: 2 })
      expect(newest.items).toEqual(items.slice(1))
    })
  })
}
