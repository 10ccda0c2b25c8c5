import { expect, it } from 'vitest'
import { askLimits, initialLimit, limitOf } from './ask-limits.ts'

it('is for ever unless somebody says otherwise, with a few usual times', () => {
  expect(askLimits(undefined).map(({ label }) => label)).toEqual(['Forever', '5 minutes', '1 hour', '1 day'])
  expect(limitOf(initialLimit(undefined))).toBeNull()
})

it('begins with the gateway’s own limit, in its place among the others, and can be for ever all the same', () => {
  expect(askLimits(90_000).map(({ label }) => label)).toEqual(['Forever', '90 seconds', '5 minutes', '1 hour', '1 day'])
  expect(askLimits(7_200_000).map(({ label }) => label)).toContain('2 hours')
  expect(askLimits(300_000)).toHaveLength(4)
  expect(limitOf(initialLimit(90_000))).toBe(90_000)
  expect(askLimits(90_000).map(({ value }) => limitOf(value))).toEqual([null, 90_000, 300_000, 3_600_000, 86_400_000])
})
