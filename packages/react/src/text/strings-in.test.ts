import { expect, it } from 'vitest'
import { stringsIn } from './strings-in.ts'

it('finds every text and every name', () => {
  const found = stringsIn({ a: 'b', c: [1, null, true, ['d', { e: {} }]] })
  expect([...found].sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('takes a value nested without end', () => {
  let value: unknown = 'end'
  for (let depth = 0; depth < 100_000; depth++) value = depth % 2 === 0 ? { a: value } : [value]
  expect(stringsIn(value)).toContain('end')
})
