import { expect, it } from 'vitest'
import { AS_SET, FOREVER, isOpenEnded, limitOf, PRESETS, TIMES } from './limit-choice.ts'
import { limitWords, timeWords } from './limit-words.ts'

it('offers a few usual times, with what happens then', () => {
  expect(TIMES.map(({ label }) => label)).toEqual(['Forever', '1 minute', '5 minutes', '1 hour', '1 day'])
  expect(TIMES.map(({ value: time }) => limitOf({ time, onTimeout: 'interrupt' }))).toEqual([
    { afterMs: null, onTimeout: 'deny' },
    ...[60_000, 300_000, 3_600_000, 86_400_000].map((afterMs) => ({ afterMs, onTimeout: 'interrupt' })),
  ])
})

it('offers the limits of each dialect’s document by its name, which say what happens then', () => {
  expect(PRESETS.map(({ label }) => label)).toEqual([
    'process-state: forever',
    'ask-user: 55 seconds, then the agent is interrupted',
    'permission: 5 minutes, then it expires',
    'turn-stream: 10 minutes, then it expires',
  ])
  expect(limitOf({ time: 'ask-user', onTimeout: 'deny' })).toEqual({ afterMs: 55_000, onTimeout: 'interrupt' })
  expect(PRESETS.map(({ value: time }) => isOpenEnded({ time, onTimeout: 'deny' }))).toEqual(PRESETS.map(() => false))
})

it('asks what happens then only for a time that ends', () => {
  expect([AS_SET, FOREVER, { ...FOREVER, time: '300000' }].map(isOpenEnded)).toEqual([false, false, true])
  expect(limitOf(AS_SET)).toBeUndefined()
})

it('names a time in the largest unit that fits, and calls no limit a denial', () => {
  expect([1000, 90_000, 7_200_000, 86_400_000].map(timeWords)).toEqual(['1 second', '90 seconds', '2 hours', '1 day'])
  expect(limitWords({ afterMs: 300_000, onTimeout: 'deny' })).toBe('5 minutes, then it expires')
})
