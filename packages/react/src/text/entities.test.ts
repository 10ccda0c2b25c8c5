import { expect, it } from 'vitest'
import { decodeEntity } from './entities.ts'

it.each([
  ['amp', '&'],
  ['#60', '<'],
  ['#x3C', '<'],
  ['#X09', '\t'],
  ['#x10FFFF', '\u{10FFFF}'],
  ['#x110000', undefined],
  ['#0', undefined],
  ['zwj', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
])('decodes &%s; to %j', (name, character) => {
  expect(decodeEntity(name)).toBe(character)
})
