import { expect, it } from 'vitest'
import { sameShallow } from './same-shallow.ts'

const entry = {}

it.each([
  [1, 1, true],
  [Number.NaN, Number.NaN, true],
  [[entry, 2], [entry, 2], true],
  [[entry], [{}], false],
  [[1], [1, 2], false],
  [{ a: entry }, { a: entry }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [new Map([['a', entry]]), new Map([['a', entry]]), true],
  [new Map([['a', entry]]), new Map([['a', {}]]), false],
  [{}, [], false],
  [undefined, {}, false],
])('compares one level deep: %j and %j', (left, right, same) => {
  expect(sameShallow(left, right)).toBe(same)
})
