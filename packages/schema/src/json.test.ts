import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './json.ts'

describe('canonicalJson', () => {
  it('is the same for values that differ in key order alone', () => {
    const shuffled = fc.jsonValue().chain((value) => fc.tuple(fc.constant(value), fc.constant(reordered(value))))
    fc.assert(
      fc.property(shuffled, ([value, other]) => {
        expect(canonicalJson(value)).toBe(canonicalJson(other))
      }),
    )
  })

  it('I2 differs for values that differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b)
        expect(same).toBe(JSON.stringify(reordered(a, 'sorted')) === JSON.stringify(reordered(b, 'sorted')))
      }),
      { numRuns: 500 },
    )
  })

  it('parses to the value it came from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(plain(value))
      }),
    )
  })

  it('leaves out fields that are undefined, as JSON does', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, 1] })).toBe('{"a":[null,1]}')
  })

  it.each([
    [{ b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    [{ '2': 0, '10': 0 }, '{"10":0,"2":0}'],
    ['a\n"b', '"a\\n\\"b"'],
    [null, 'null'],
  ])('writes %j as %s', (value, text) => expect(canonicalJson(value)).toBe(text))
})

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function reordered(value: unknown, how: 'reversed' | 'sorted' = 'reversed'): unknown {
  if (Array.isArray(value)) return value.map((entry) => reordered(entry, how))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, field]) => [key, reordered(field, how)] as const)
  const ordered = how === 'sorted' ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries.reverse()
  // A list of pairs for comparing: an object would put its number-like keys first.
  return how === 'sorted' ? { pairs: ordered } : Object.fromEntries(ordered)
}
