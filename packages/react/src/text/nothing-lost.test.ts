import { expect, it } from 'vitest'
import { nothingLost } from './nothing-lost.ts'

it('takes what is shown for the source if nothing but blanks and marks differs', () => {
  expect(nothingLost('# a **b** `c` 1', 'a b c 1')).toBe(true)
  expect(nothingLost('a b', 'a')).toBe(false)
  expect(nothingLost('a12', 'a1')).toBe(false)
  expect(nothingLost('a\u200b', 'a')).toBe(false)
  expect(nothingLost('a\u00a0', 'a')).toBe(false)
  expect(nothingLost('a\u0000', 'a\ufffd')).toBe(false)
  expect(nothingLost('a ./', 'a')).toBe(false)
})

it('T73 is not paid for a letter with the same one from elsewhere', () => {
  expect(nothingLost('a b', 'b a')).toBe(false)
  expect(nothingLost('a b', 'a b b')).toBe(false)
  expect(nothingLost('&amp; a', '& a')).toBe(false)
  expect(nothingLost('&evil; a', 'a')).toBe(false)
  expect(nothingLost('[x] a', 'a')).toBe(false)
  expect(nothingLost('1. a', 'a')).toBe(false)
})

it('gets through a text whose emptiness would take for ever if each line looked at all the next ones', () => {
  for (const empty of ['\n', '> \n', '> ', '\t']) expect(nothingLost(`a${empty.repeat(1_000_000)}b`, 'ab')).toBe(true)
})
