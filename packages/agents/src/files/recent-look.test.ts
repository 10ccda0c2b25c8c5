import { expect, it } from 'vitest'
import { createRecentLook } from './recent-look.ts'

it('gives the look of a call to the ask about it, once, and to no other call', () => {
  const looks = createRecentLook(() => 0)
  const look = looks.begin('a')
  expect(looks.take('a')).toBe(look)
  expect(looks.take('a')).toBeUndefined()
  looks.begin('a')
  expect(looks.take('b')).toBeUndefined()
  looks.begin('a')
  looks.begin('b')
  expect(looks.take('a')).toBeUndefined()
})

it('gives none that is older than 50 ms', () => {
  let now = 0
  const looks = createRecentLook(() => now)
  looks.begin('a')
  now = 50
  expect(looks.take('a')).toBeUndefined()
})
