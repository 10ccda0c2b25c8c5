import type { DurableEvent } from '@holdpoint/schema/event'
import { expect, it } from 'vitest'
import {
  askId,
  eventsOf,
  itemId,
  PERSON,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleSession,
  sessionId,
} from './store-samples.ts'
import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const AT = sampleSession(1).startedAt

/** How sessions leave the log, and come back. */
export function retirementContract(world: StoreWorld): void {
  const id = sessionId(1)
  const lived = (): DurableEvent[] => [
    one.started(),
    one.raised(sampleAsk(1)),
    one.settled(1),
    one.delivered(1),
    ...Array.from({ length: 40 }, (_, n) => one.added(sampleMessage(n + 1, { status: 'sent' }))),
    one.ended(),
  ]
  const END = lived().length

  async function ended() {
    await world.appendOne(sampleAppend({ after: 0, events: lived(), session: { state: 'dead' } }))
    await world.appendOne(sampleAppend({ n: 2, after: 0, events: [eventsOf(2).started()] }))
  }

  async function retired() {
    const part = await world.store.retirement.write(id)
    if (!part) throw new Error('it can be retired')
    const { archive, events, head, sum } = part
    const event: DurableEvent = { type: 'session-retired', sessionId: id, at: AT + 1, archive, events, head, sum }
    await world.appendOne(
      sampleAppend({ after: END, events: [event], session: { state: 'dead', retired: { at: AT + 1, archive } } }),
    )
    expect(await world.store.retirement.release(part)).toBe(true)
    return part
  }

  async function deleted(after: number) {
    const event: DurableEvent = { type: 'session-deleted', sessionId: id, at: AT + 2, by: PERSON }
    const session = { state: 'dead', title: 'Deleted session', deleted: { at: AT + 2, by: PERSON } } as const
    await world.appendOne(sampleAppend({ after, events: [event], session }))
    expect(await world.store.retirement.erase(id)).toBe(true)
  }

  /** What readers are given of session 1. */
  async function shown() {
    const { store } = world
    return {
      events: (await world.allEvents()).filter(({ sessionSeq }) => sessionSeq <= END),
      ofSession: (await store.events({ after: 0, sessionId: id, limit: 1000 })).slice(0, END),
      items: await store.items({ sessionId: id, limit: 100 }),
      item: await store.item({ sessionId: id, id: itemId(7) }),
      ask: await store.ask(askId(1)),
      history: await store.history({ limit: 10 }),
      asks: await store.asks({ status: 'settled', limit: 10 }),
      hash: await store.hashAt(5),
    }
  }

  it('lists ended sessions that may leave, oldest change first, in pages', async () => {
    await ended()
    const { store } = world
    const page = await store.retirement.list({ before: AT + 10, limit: 1 })
    expect(page.sessions).toMatchObject([{ session: { id }, activityAt: AT, events: END }])
    expect(await store.retirement.list({ before: AT + 10, limit: 1, after: page.next ?? '' })).toEqual({ sessions: [] })
    expect(await store.retirement.list({ before: AT, limit: 1 })).toEqual({ sessions: [] })
    expect(await store.retirement.eventSize()).toBeGreaterThan(50)
  })

  it('retires a session whole, and all that is read of it stays as it was (I9)', async () => {
    await ended()
    const before = await shown()
    const { head } = await world.store.verify()
    const part = await retired()
    expect(part).toMatchObject({ archive: '2023-11', events: END, epoch: 1 })
    expect(await shown()).toEqual(before)
    expect((await world.reloaded()).verify).toBeDefined()
    expect(await shown()).toEqual(before)
    const after = await world.store.verify()
    expect(after).toMatchObject({ events: END + 2, sessions: 2 })
    expect(after.fault).toBeUndefined()
    // One more event: the log's head says that it was retired.
    expect(after.head).not.toBe(head)
    expect((await world.store.endedSessions({ limit: 5 })).sessions.map((session) => session.id)).toEqual([id])
    expect((await world.store.retirement.list({ before: AT + 10, limit: 5 })).sessions).toEqual([])
    expect(await world.store.retirement.unfinished()).toEqual([])
  })

  it('removes nothing before the log says so, from no session that lives, and not for another life', async () => {
    await ended()
    const { retirement } = world.store
    expect(await retirement.write(sessionId(2))).toBeUndefined()
    const part = await retirement.write(id)
    if (!part) throw new Error('it can be retired')
    expect(await retirement.release(part)).toBe(false)
    const { archive, events, head, sum } = part
    const event: DurableEvent = { type: 'session-retired', sessionId: id, at: AT, archive, events, head, sum }
    const again: DurableEvent = { type: 'session-changed', sessionId: id, at: AT, changes: { epoch: 2 } }
    await world.appendOne(
      sampleAppend({ after: END, events: [event, again, one.ended()], session: { state: 'dead', epoch: 2 } }),
    )
    const written = await retirement.write(id)
    expect(written).toMatchObject({ epoch: 2, events: END + 3 })
    expect(await retirement.release(part)).toBe(false)
    expect((await world.store.verify()).fault).toBeUndefined()
  })

  it('puts a retired session back, and it goes on (I9)', async () => {
    await ended()
    const before = await shown()
    await retired()
    const { retirement } = world.store
    expect(await retirement.restore(id)).toBe(true)
    expect(await retirement.restore(id)).toBe(false)
    expect(await shown()).toEqual(before)
    const changed: DurableEvent = {
      type: 'session-changed',
      sessionId: id,
      at: AT + 3,
      changes: { state: 'starting', epoch: 2 },
    }
    await world.appendOne(sampleAppend({ after: END + 1, events: [changed], session: { state: 'starting', epoch: 2 } }))
    await world.reloaded()
    expect((await world.store.liveSessions()).map(({ seq }) => seq)).toContain(END + 2)
    expect((await world.store.verify()).fault).toBeUndefined()
    await world.appendOne(sampleAppend({ after: END + 2, events: [one.ended()], session: { state: 'dead', epoch: 2 } }))
    const part = await world.store.retirement.write(id)
    expect(part).toMatchObject({ events: END + 3 })
  })

  for (const isRetired of [false, true]) {
    it(`deletes a session that is ${isRetired ? 'in the archive' : 'in the log'}: hashes stay, nothing else (I9)`, async () => {
      await ended()
      const hash = await world.store.hashAt(5)
      if (isRetired) await retired()
      await world.store.history({ limit: 10 })
      expect(await world.store.retirement.erase(id)).toBe(false)
      await deleted(isRetired ? END + 1 : END)
      for (let n = 0; n < 2; n++) {
        const { store } = world
        expect(await store.ask(askId(1))).toBeUndefined()
        expect(await store.item({ sessionId: id, id: itemId(7) })).toBeUndefined()
        expect((await store.items({ sessionId: id, limit: 100 })).items).toEqual([])
        expect((await store.history({ limit: 10 })).records).toEqual([])
        expect((await store.endedSessions({ limit: 5 })).sessions).toEqual([])
        const types = (await world.allEvents()).map(({ event }) => event.type)
        expect(types).toEqual(['session-started', 'session-deleted'])
        const ofSession = await store.events({ after: 0, sessionId: id, limit: 10 })
        expect(ofSession.map(({ event }) => event.type)).toEqual(['session-deleted'])
        expect(await store.hashAt(5)).toBe(hash)
        expect(await store.session(id)).toMatchObject({ title: 'Deleted session', deleted: { by: PERSON } })
        const report = await store.verify()
        expect(report.fault).toBeUndefined()
        expect(report).toMatchObject({ events: END + (isRetired ? 3 : 2), sessions: 2 })
        await world.reloaded()
      }
    })
  }
}
