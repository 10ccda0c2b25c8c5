import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ARMING_MS, decides, driftOf, isMove, type Place, sum, UNMOVED } from './arming-state.ts'

const place = (screen: number, page = screen): Place => ({ screen: { x: 0, y: screen }, page: { x: 0, y: page } })
const press = { key: 'ask digest', at: 1000, disturbedAt: 0, byPointer: true, trusted: true }
const down = { key: 'ask digest', at: 990 }

describe('when a press decides', () => {
  it('decides with both halves on the same ask after arming', () => {
    expect(decides(press, down)).toBe(true)
  })

  it('decides nothing before arming, whichever half is early (T29)', () => {
    const time = fc.integer({ min: 0, max: 2000 })
    fc.assert(
      fc.property(time, time, time, (disturbedAt, from, length) => {
        const early = from - disturbedAt < ARMING_MS || from + length - disturbedAt < ARMING_MS
        expect(decides({ ...press, disturbedAt, at: from + length }, { ...down, at: from })).toBe(!early)
      }),
    )
  })

  it('decides nothing when the ask changed between down and up (T30)', () => {
    expect(decides(press, { ...down, key: 'other digest' })).toBe(false)
    expect(decides(press, undefined)).toBe(false)
  })

  it('decides nothing for what a script presses', () => {
    expect(decides({ ...press, trusted: false }, down)).toBe(false)
    expect(decides({ ...press, trusted: false, byPointer: false }, undefined)).toBe(false)
  })

  it('lets the keyboard press without a pointer, but not in the wait either', () => {
    expect(decides({ ...press, byPointer: false }, undefined)).toBe(true)
    expect(decides({ ...press, byPointer: false, disturbedAt: 501 }, undefined)).toBe(false)
    expect(decides({ ...press, byPointer: false, disturbedAt: Number.POSITIVE_INFINITY }, undefined)).toBe(false)
  })
})

describe('what counts as a move', () => {
  it.each([
    { name: 'a shift of the layout', before: place(100), after: place(180), own: false, moved: true },
    {
      name: 'a shift of the layout while the person scrolls',
      before: place(100),
      after: place(60, 180),
      own: true,
      moved: true,
    },
    { name: 'the person scrolling', before: place(100, 100), after: place(20, 100), own: true, moved: false },
    {
      name: 'scrolling that nobody asked for',
      before: place(100, 100),
      after: place(20, 100),
      own: false,
      moved: true,
    },
    {
      name: 'a page that grows above while the browser holds the place',
      before: place(100, 100),
      after: place(100, 400),
      own: false,
      moved: false,
    },
    { name: 'rounding', before: place(100), after: place(103), own: false, moved: false },
  ])('$name', ({ before, after, own, moved }) => {
    expect(isMove(driftOf(before, after, own))).toBe(moved)
  })

  it.each([
    ['by itself', false, (step: number) => place(100 + 3 * step)],
    ['while the person scrolls', true, (step: number) => place(100 - 40 * step + 3 * step, 100 + 3 * step)],
  ])('a slow drift, 3 px at a time, %s (T30)', (_, own, at) => {
    let drift = UNMOVED
    const moved = Array.from({ length: 5 }, (_each, step) => {
      drift = sum(drift, driftOf(at(step), at(step + 1), own))
      return isMove(drift)
    })
    expect(moved).toEqual([false, true, true, true, true])
  })

  it('not what trembles in its place, nor any amount of the person’s own scrolling', () => {
    let drift = UNMOVED
    for (let step = 0; step < 1000; step++) {
      drift = sum(drift, driftOf(place(100 + (step % 2) * 3), place(103 - (step % 2) * 3), step % 7 === 0))
      drift = sum(drift, driftOf(place(100 - step, 100), place(99 - step, 100), true))
    }
    expect(isMove(drift)).toBe(false)
  })
})
