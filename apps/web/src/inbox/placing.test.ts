import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { arrange, groupsOf, hasOld, KEEP_MS, place, unplaced, upToOpen } from './placing.ts'

const ask = (id: string, sessionId: string, raisedAt: number) =>
  ({ id: `ask_${id}`, sessionId: `ses_${sessionId}`, raisedAt }) as unknown as Ask
const settled = (of: Ask, at: number) => ({ ask: of, outcome: { kind: 'allowed', at, via: 'web' } as Outcome })
const idsOf = (placed: readonly { askId: string }[]) => placed.map(({ askId }) => askId.slice(4))

const a = ask('a', 'one', 1)
const b = ask('b', 'two', 2)
const c = ask('c', 'one', 3)

describe('the order on arrival', () => {
  it('puts the asks of a session together, the session with the oldest first', () => {
    const placed = arrange({ asks: [a, b, c], settled: [] }, 10)
    expect(idsOf(placed)).toEqual(['a', 'c', 'b'])
    expect(groupsOf(placed).map(({ askIds }) => askIds)).toEqual([['ask_a', 'ask_c'], ['ask_b']])
  })

  it('keeps the line of what was settled a moment ago, and not of what was settled before', () => {
    const known = { asks: [c], settled: [settled(a, 10), settled(b, 10 - KEEP_MS)] }
    expect(idsOf(arrange(known, 11))).toEqual(['a', 'c'])
  })
})

describe('an order that the person has chosen', () => {
  const known = { asks: [a, b, c], settled: [] }

  it('is by age alone', () => {
    expect(idsOf(arrange(known, 10, 'oldest'))).toEqual(['a', 'b', 'c'])
    expect(idsOf(arrange(known, 10, 'newest'))).toEqual(['c', 'b', 'a'])
  })

  it('leaves out a new ask where the newest come first: nothing moves down (T30, I7)', () => {
    const placed = arrange({ asks: [a, b], settled: [] }, 10, 'newest')
    const options = { now: 11, mayTidy: true } as const
    const next = place(placed, known, { ...options, sort: 'newest' })
    expect(idsOf(next)).toEqual(['b', 'a'])
    expect(unplaced(next, known.asks)).toEqual([c])
    expect(unplaced(place(placed, known, { ...options, sort: 'oldest' }), known.asks)).toEqual([])
  })
})

describe('afterwards', () => {
  const placed = arrange({ asks: [a, b], settled: [] }, 5)

  it('appends a new ask at the end, also when its session has a group further up (T30)', () => {
    const next = place(placed, { asks: [a, b, c], settled: [] }, { now: 6, mayTidy: true })
    expect(idsOf(next)).toEqual(['a', 'b', 'c'])
    expect(groupsOf(next)).toHaveLength(3)
  })

  it('leaves a settled ask in its place', () => {
    const next = place(placed, { asks: [b], settled: [settled(a, 6)] }, { now: 7, mayTidy: true })
    expect(idsOf(next)).toEqual(['a', 'b'])
  })

  it('lets an old line go only when nobody is there', () => {
    const known = { asks: [b], settled: [settled(a, 6)] }
    const now = 6 + KEEP_MS
    expect(idsOf(place(placed, known, { now, mayTidy: false }))).toEqual(['a', 'b'])
    expect(idsOf(place(placed, known, { now, mayTidy: true }))).toEqual(['b'])
  })

  it('knows when there is an old line', () => {
    const known = { settled: [settled(a, 6), settled(c, 6)] }
    expect(hasOld(placed, known, 5 + KEEP_MS)).toBe(false)
    expect(hasOld(placed, known, 6 + KEEP_MS)).toBe(true)
    expect(hasOld(placed, { settled: [settled(c, 6)] }, 6 + KEEP_MS)).toBe(false)
  })

  it('keeps a group the same one when its first line goes: what was written on its other cards stays', () => {
    const both = arrange({ asks: [a, c], settled: [] }, 5)
    const [before] = groupsOf(both)
    const next = place(both, { asks: [c], settled: [] }, { now: 6, mayTidy: true })
    expect(groupsOf(next)).toEqual([{ ...before, askIds: [c.id] }])
    const later = place(next, { asks: [c, ask('d', 'one', 4)], settled: [] }, { now: 7, mayTidy: true })
    expect(groupsOf(later)).toEqual([{ ...before, askIds: [c.id, 'ask_d'] }])
  })

  it('joins two groups of a session when nothing is between them any more', () => {
    const three = place(placed, { asks: [a, b, c], settled: [] }, { now: 6, mayTidy: true })
    const two = place(three, { asks: [a, c], settled: [] }, { now: 7, mayTidy: true })
    expect(groupsOf(two).map(({ askIds }) => askIds)).toEqual([[a.id, c.id]])
    const one = place(two, { asks: [c], settled: [] }, { now: 8, mayTidy: true })
    expect(groupsOf(one)[0]?.id).toBe(groupsOf(two)[0]?.id)
  })

  it('puts an ask that takes the place of a changed one where that was, in the same group (T63)', () => {
    const both = arrange({ asks: [a, c, b], settled: [] }, 5)
    const again = { ...ask('d', 'one', 6), replaces: a.id }
    const thrice = { ...ask('e', 'one', 7), replaces: again.id }
    const gone = settled(a, 6)
    const next = place(both, { asks: [b, c, again], settled: [gone] }, { now: 7, mayTidy: false })
    expect(idsOf(next)).toEqual(['d', 'c', 'b'])
    expect(groupsOf(next)[0]?.id).toBe(groupsOf(both)[0]?.id)
    const last = { asks: [b, c, thrice], settled: [gone, settled(again, 7)] }
    for (const before of [both, next]) {
      expect(idsOf(place(before, last, { now: 8, mayTidy: false }))).toEqual(['e', 'c', 'b'])
    }
    expect(idsOf(arrange({ asks: [b, again], settled: [gone] }, 7))).toEqual(['b', 'd'])
  })

  it('counts open asks alone when only some are drawn', () => {
    const all = arrange({ asks: [b, c], settled: [settled(a, 5)] }, 6)
    expect(idsOf(all)).toEqual(['a', 'c', 'b'])
    expect(idsOf(upToOpen(all, [b, c], 1))).toEqual(['a', 'c'])
    expect(upToOpen(all, [b, c], 2)).toBe(all)
  })

  it('is the same object while nothing changes', () => {
    expect(place(placed, { asks: [a, b], settled: [] }, { now: 6, mayTidy: true })).toBe(placed)
  })
})
