import type { RecordChange } from '@holdpoint/core/cluster'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { describe, expect, it } from 'vitest'
import { followRecords } from './followed-records.ts'
import { keepRecords } from './kept-records.ts'

type Told = (change: RecordChange | undefined) => Promise<void>

/** A gateway whose reads and writes wait until the test lets them go on, beside another one that writes at once. */
async function setUp() {
  const { records } = createMemoryStore()
  await records.put('things', 'one', 'at first')
  let told: Told = async () => {}
  const held: { readonly what: string; readonly go: () => void }[] = []
  let isHolding = false
  const after = (what: string) =>
    new Promise<void>((resolve) => {
      if (isHolding) held.push({ what, go: resolve })
      else resolve()
    })
  const slow: typeof records = {
    ...records,
    // Read at once, and heard of late; written at once, and heard of late.
    async get(...given) {
      const value = await records.get(...given)
      await after('get')
      return value
    },
    async list(...given) {
      const listed = await records.list(...given)
      await after('list')
      return listed
    },
    async put(...given) {
      await records.put(...given)
      await after('put')
    },
  }
  const cluster = { onRecords: (listener: Told) => (told = listener) } as never
  const inMemory = new Map<string, unknown>()
  const kept = await keepRecords(followRecords(slow, cluster), 'things', (now) => {
    for (const { key, value } of now) {
      if (value === undefined) inMemory.delete(key)
      else inMemory.set(key, value)
    }
  })
  return {
    records,
    kept,
    inMemory,
    hold: () => {
      isHolding = true
    },
    held: (what: string) => expect.poll(() => held.map((each) => each.what)).toContain(what),
    letGo(what: string) {
      const place = held.findIndex((each) => each.what === what)
      held.splice(place, 1)[0]?.go()
    },
    flow() {
      isHolding = false
      for (const { go } of held.splice(0)) go()
    },
    elsewhere: (change: RecordChange | undefined) => told(change),
  }
}

const ONE = { collection: 'things', key: 'one' }

describe('what is kept of records that others write, too', () => {
  it('is what another gateway has put or removed, once that was told', async () => {
    const { records, elsewhere, inMemory } = await setUp()
    await records.put('things', 'two', 'new')
    await records.put('other things', 'two', 'not ours')
    await elsewhere({ collection: 'things', key: 'two' })
    await elsewhere({ collection: 'other things', key: 'two' })
    expect([...inMemory]).toEqual([
      ['one', 'at first'],
      ['two', 'new'],
    ])
    await records.remove('things', 'one')
    await elsewhere(ONE)
    expect([...inMemory.keys()]).toEqual(['two'])
  })

  it('is all read again where any may have changed', async () => {
    const { records, elsewhere, inMemory } = await setUp()
    await records.remove('things', 'one')
    await records.put('things', 'two', 'new')
    await elsewhere(undefined)
    expect([...inMemory]).toEqual([['two', 'new']])
  })

  it('keeps what was written here while older records were on their way', async () => {
    const { kept, elsewhere, inMemory, hold, held, letGo, flow } = await setUp()
    hold()
    const reading = elsewhere(undefined)
    await held('list')
    const writing = kept.put('two', 'ours')
    await held('put')
    letGo('put')
    flow()
    await Promise.all([reading, writing])
    expect(inMemory.get('two')).toBe('ours')
  })

  it('is what came last on record, where both have written and the own reply came last', async () => {
    const { records, kept, elsewhere, inMemory, hold, held, letGo, flow } = await setUp()
    hold()
    const writing = kept.put('one', 'ours')
    await held('put')
    await records.put('things', 'one', 'theirs')
    const reading = elsewhere(ONE)
    await held('get')
    letGo('get')
    await reading
    expect(inMemory.get('one')).toBe('theirs')
    flow()
    await writing
    expect(inMemory.get('one')).toBe('theirs')
  })

  it('is read whole after a read that failed, and who told of the change hears of it', async () => {
    const { records, kept, elsewhere, inMemory } = await setUp()
    const { get } = records
    await records.put('things', 'two', 'new')
    // The reads go through to this one.
    records.get = async () => Promise.reject(new Error('no line'))
    await expect(elsewhere({ collection: 'things', key: 'two' })).rejects.toThrow('no line')
    expect(inMemory.has('two')).toBe(false)
    records.get = get
    await kept.refresh('one')
    expect(inMemory.get('two')).toBe('new')
  })
})
