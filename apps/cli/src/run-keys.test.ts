import { describe, expect, it } from 'vitest'
import { createLeaveKeys, withoutReplies } from './run-keys.ts'

describe('createLeaveKeys', () => {
  it.each([['\x1dd'], ['\x1b[93;5ud'], ['\x1d\x1dd']])('leaves with %j, however it arrives', (typed) => {
    expect(createLeaveKeys()(typed).isLeaving).toBe(true)
    const keys = createLeaveKeys()
    expect([...typed.replace('\x1b[93;5u', '\x1d')].map((key) => keys(key).isLeaving).at(-1)).toBe(true)
  })

  it('passes everything else on, in order', () => {
    const keys = createLeaveKeys()
    expect(keys('abc')).toEqual({ forward: 'abc', isLeaving: false })
    expect(keys('x\x1d')).toEqual({ forward: 'x', isLeaving: false })
    expect(keys('ey')).toEqual({ forward: '\x1dey', isLeaving: false })
    expect(keys('d')).toEqual({ forward: 'd', isLeaving: false })
    expect(keys('ab\x1dd').forward).toBe('ab')
  })
})

describe('withoutReplies', () => {
  it.each([
    '\x1b[?62;22c',
    '\x1b[>0;276;0c',
    '\x1b[12;40R',
    '\x1b[0n',
    '\x1b[?2026;2$y',
    '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\',
    '\x1b]10;rgb:ffff/ffff/ffff\x07',
    '\x1bP>|xterm(380)\x1b\\',
    '\x1b[?1u',
    '\x1b[8;24;80t',
    '\x1b[I',
    '\x1b[O',
  ])('takes out %j, which nobody typed', (reply) => {
    expect(withoutReplies(`a${reply}b`)).toBe('ab')
  })

  it.each([
    '\x1b[A',
    '\x1b[1;2R',
    '\x1b[15~',
    '\x1bOP',
    '\x1b[200~pasted\x1b[201~',
    '\x1b',
    '\x03',
    '\x1b[<0;10;5M',
    'text',
  ])('leaves %j, which somebody did', (typed) => expect(withoutReplies(typed)).toBe(typed))
})
