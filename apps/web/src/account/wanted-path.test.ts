import { expect, it } from 'vitest'
import { readWantedPath } from './wanted-path.ts'

const origin = 'https://gate.example'
const MINUTE = 60_000
const read = (path: unknown, at: unknown = 0, now = MINUTE) =>
  readWantedPath(JSON.stringify({ path, at }), { origin, now })

it('goes back after a login to what was wanted, for half an hour', () => {
  expect(read('/asks/ask_1')).toBe('/asks/ask_1')
  expect(read('/history?text=rm%20-rf')).toBe('/history?text=rm%20-rf')
  expect(read('/asks/ask_1', 0, 31 * MINUTE)).toBeUndefined()
  expect(read('/asks/ask_1', 2 * MINUTE)).toBeUndefined()
})

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '/a/..//evil.example',
  7,
  null,
])('T52 leads nobody to another site after a login: %j', (path) => expect(read(path)).toBeUndefined())

it.each([null, '', '[', 'null', '"/asks"', '{}'])('takes what it cannot read for nothing: %j', (kept) => {
  expect(readWantedPath(kept, { origin, now: 0 })).toBeUndefined()
})
