import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sizeOf } from './size-of.ts'

it('is about the length of the JSON, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const length = JSON.stringify(value).length
      // Numbers, booleans and null count as eight characters, and what JSON escapes as one.
      expect(sizeOf(value)).toBeLessThanOrEqual(9 * length + 8)
      expect(sizeOf(value)).toBeGreaterThanOrEqual(length / 6)
    }),
  )
})

it('measures what is nested deeper than a stack is', () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 100_000; level++) deep = { a: deep }
  expect(sizeOf(deep)).toBe(100_000 * 7 + 5)
})

it('gives the size of a large text at once when it is asked again', () => {
  const value = { text: 'x'.repeat(1_000_000) }
  expect(sizeOf(value)).toBe(sizeOf(value))
  expect(sizeOf(value)).toBeGreaterThan(1_000_000)
})
