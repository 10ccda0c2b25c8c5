import { StoreFault } from '@holdpoint/core/store'
import { expect, it } from 'vitest'
import { askId, eventsOf, itemId, sampleAppend, sampleAsk, sessionId } from './store-samples.ts'

import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const two = eventsOf(2)

/** Records, the check of the chain, and a store that is closed. */
export function wholeContract(world: StoreWorld): void {
  it('keeps records by collection and key, and lets one taker have a record', async () => {
    await world.store.records.put('devices', 'b', { role: 'owner' })
    await world.store.records.put('devices', 'a\0', null)
    await world.store.records.put('devices', 'b', { role: 'viewer' })
    await world.store.records.put('codes', 'b', [1])
    await world.reloaded()
    expect(await world.store.records.get('devices', 'b')).toEqual({ role: 'viewer' })
    expect(await world.store.records.get('devices', 'c')).toBeUndefined()
    expect(await world.store.records.list('devices')).toEqual([
      { key: 'b', value: { role: 'viewer' } },
      { key: 'a\0', value: null },
    ])
    expect(
      await Promise.all([world.store.records.remove('codes', 'b'), world.store.records.remove('codes', 'b')]),
    ).toEqual([true, false])
    expect(await world.store.records.list('codes')).toEqual([])
    await expect(world.store.records.put('devices', 'd', undefined)).rejects.toThrow(TypeError)
  })

  it('replaces a record only if it is the one that was read, and never brings back one that is gone', async () => {
    const { records } = world.store
    const values = [{ 2: 'b', 1: 'a', revision: 1 }, { revision: 2 }, null] as const
    await records.put('rules', 'one', values[0])
    const read = await records.get('rules', 'one')
    expect(await records.replace('rules', 'one', values[1], { ...values[0], revision: 0 })).toBe(false)
    expect(await Promise.all(values.slice(1).map((value) => records.replace('rules', 'one', value, read)))).toEqual([
      true,
      false,
    ])
    await world.reloaded()
    expect(await world.store.records.list('rules')).toEqual([{ key: 'one', value: values[1] }])
    await world.store.records.remove('rules', 'one')
    expect(await world.store.records.replace('rules', 'one', values[2], values[1])).toBe(false)
    expect(await world.store.records.replace('rules', 'two', values[2], null)).toBe(false)
    expect(await world.store.records.list('rules')).toEqual([])
    await expect(world.store.records.replace('rules', 'one', undefined, null)).rejects.toThrow(TypeError)
  })

  it('verifies what it wrote, and the same log gives the same head (I9)', async () => {
    expect(await world.store.verify()).toMatchObject({ events: 0, sessions: 0 })
    await world.appendOne(sampleAppend({ after: 0, events: [one.started(), one.raised(sampleAsk(1))] }))
    await world.appendOne(sampleAppend({ n: 2, after: 0, events: [two.started()] }))
    const report = await world.store.verify()
    expect(report).toEqual({ events: 3, sessions: 2, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await (await world.reloaded()).verify()).toEqual(report)
    const other = await world.create()
    await other.store.append([
      sampleAppend({ n: 2, after: 0, events: [two.started()] }),
      sampleAppend({ after: 0, events: [one.started(), one.raised(sampleAsk(1))] }),
    ])
    expect((await other.store.verify()).head).toBe(report.head)
    await other.dispose()
    await world.appendOne(sampleAppend({ after: 2, events: [one.settled(1)] }))
    expect((await world.store.verify()).head).not.toBe(report.head)
  })

  it('refuses every call once closed', async () => {
    await world.store.close()
    await world.store.close()
    const calls: (() => Promise<unknown>)[] = [
      () => world.store.append([sampleAppend({ after: 0, events: [one.started()] })]),
      () => world.store.events({ after: 0, limit: 1 }),
      () => world.store.follow(0, { signal: new AbortController().signal })[Symbol.asyncIterator]().next(),
      () => world.store.lastSeq(),
      () => world.store.liveSessions(),
      () => world.store.endedSessions({ limit: 1 }),
      () => world.store.endedSessionsOf('conversation'),
      () => world.store.hashAt(1),
      () => world.store.ask(askId(1)),
      () => world.store.asks({ status: 'all', limit: 1 }),
      () => world.store.items({ sessionId: sessionId(1), limit: 1 }),
      () => world.store.item({ sessionId: sessionId(1), id: itemId(1) }),
      () => world.store.records.get('a', 'b'),
      () => world.store.records.put('a', 'b', 1),
      () => world.store.verify(),
    ]
    for (const call of calls) {
      const fault = await call().catch((error: unknown) => error)
      expect(fault).toBeInstanceOf(StoreFault)
      expect(fault).toMatchObject({ code: 'closed' })
    }
  })
}
