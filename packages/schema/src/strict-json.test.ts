import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictJson } from './strict-json.ts'

const reason = (text: string) => {
  const parsed = parseStrictJson(text)
  return parsed.ok ? undefined : parsed.refusal.reason
}

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads, where that is one clear value', () => {
    // -0 is written as 0, and integers past 2^53 are refused.
    const clear = fc
      .json({ noUnicodeString: false, maxDepth: 8 })
      .filter((text) => !/-0|"(__proto__|constructor|prototype)"/.test(text))
    fc.assert(
      fc.property(clear, (text) => {
        const value: unknown = JSON.parse(text)
        const parsed = parseStrictJson(JSON.stringify(value))
        if (parsed.ok) expect(parsed.value).toEqual(value)
        else expect(['lone_surrogate', 'inexact_number']).toContain(parsed.refusal.reason)
      }),
      { numRuns: 1000 },
    )
  })

  it.each(['', '{', '{"a":}', "{'a':1}", '{"a":1,}', 'NaN', '\uFEFF{}', '{} x', '01', '"\n"', 'undefined'])(
    'F36 refuses %j as malformed',
    (text) => expect(reason(text)).toBe('malformed'),
  )

  it.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":1}', '[{"x":{"b":[],"c":0,"b":{}}}]', '{"":1,"":2}'])(
    'F36 refuses the second of two equal keys in %s',
    (text) => expect(reason(text)).toBe('duplicate_key'),
  )

  it('takes equal keys in different objects', () => {
    expect(reason('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}')).toBeUndefined()
  })

  it.each(['{"__proto__":1}', '{"a":[{"constructor":{}}]}', '{"\\u005f_proto__":1}', '{"x":{"prototype":null}}'])(
    'T48 refuses the key in %s',
    (text) => expect(reason(text)).toBe('forbidden_key'),
  )

  it('takes those words as values, and in strings that look like keys', () => {
    expect(reason('{"a":"__proto__","b":["constructor","{\\"prototype\\":1}"]}')).toBeUndefined()
  })

  it.each(['"\\ud800"', '{"a":"\\udc00x"}', '{"\\udfff":1}', '["ok","\\udc00\\ud800"]'])(
    'F36 refuses the half of a character in %s',
    (text) => expect(reason(text)).toBe('lone_surrogate'),
  )

  it('takes whole characters beyond the first plane', () => {
    expect(parseStrictJson('"\\ud83d\\ude42🙂"')).toEqual({ ok: true, value: '🙂🙂' })
  })

  it.each([
    '1e999',
    '[-1e400]',
    '{"a":12345678901234567890}',
    '9007199254740993',
    '-9007199254740992',
    '9007199254740993.0',
    '[9007199254740993e0]',
    '-9007.199254740993E12',
    '1e-400',
    '3e-324',
    '0.1234567890123456789012',
    '12345678901234567890.5',
    `0.${'1'.repeat(200)}`,
  ])('I6 refuses %s, which would be kept as another number', (text) => expect(reason(text)).toBe('inexact_number'))

  it.each([
    '0',
    '-1',
    '9007199254740991',
    '1.5',
    '1e10',
    '-2.5E-3',
    '{"a":1e308}',
    '0.0',
    '0e5',
    '1.10',
    '100.0',
    '5e-324',
    '0.1',
    '0.30000000000000004',
    // As programs write it that always give 17 digits.
    '0.10000000000000001',
    '1.7976931348623157e308',
  ])('takes %s', (text) => expect(reason(text)).toBeUndefined())

  it('takes every number as it is written by JSON.stringify', () => {
    const fractions = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value))
    fc.assert(
      fc.property(fractions, (value) => {
        expect(reason(JSON.stringify(value))).toBeUndefined()
      }),
    )
  })

  it('does not look for numbers in strings', () => {
    expect(reason('{"99999999999999999999":"1e999"}')).toBeUndefined()
  })

  it('F36 takes 64 levels and no more, however many brackets come', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(reason(nested(64))).toBeUndefined()
    expect(reason(nested(65))).toBe('too_deep')
    expect(reason(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)).toBe('too_deep')
    expect(reason(`[${'[],'.repeat(10_000)}[]]`)).toBeUndefined()
  })

  it('says where', () => {
    expect(parseStrictJson('{"a":1,"a":2}')).toEqual({ ok: false, refusal: { reason: 'duplicate_key', where: 7 } })
  })
})
