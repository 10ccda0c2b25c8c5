import { expect, it } from 'vitest'
import { nothingLost } from './nothing-lost.ts'

it('finds what is missing, and forgives what is rewritten', () => {
  expect(nothingLost('1. a\n> 2) b &amp; [x] c', 'a b & ☑ c')).toBe(true)
  expect(nothingLost('a b', 'a')).toBe(false)
  expect(nothingLost('a12', 'a1')).toBe(false)
})

it('gets through a text whose emptiness would take for ever if each line looked at all the next ones', () => {
  for (const empty of ['\n', '> \n', '> ', '\t']) expect(nothingLost(`a${empty.repeat(1_000_000)}b`, 'ab')).toBe(true)
})
