import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText, terminalJson, terminalLines, terminalText } from './terminal-text.ts'

/** What must never reach a terminal as it is, listed on its own terms and not by the expression under test. */
const RAW: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xa0, 0xa0],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
]

function isRaw(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return RAW.some(([from, to]) => code >= from && code <= to)
}

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\\', 'u', '{', '}', '5', 'c', '\u21e5', '\t', '\n', 'a'),
    fc.constantFrom(...RAW.flat().map((code) => String.fromCodePoint(code))),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

describe('visible text', () => {
  it('shows every character of the hidden ranges as an escape', () => {
    for (const [from, to] of RAW) {
      for (let code = from; code <= to; code++) {
        const shown = terminalText(`a${String.fromCodePoint(code)}b`)
        expect(shown).toBe(code === 9 ? 'a\u21e5b' : `a\\u{${code.toString(16)}}b`)
      }
    }
  })

  it('leaves readable text alone', () => {
    const text = 'rm -rf "./a b" && écho 日本語 🙂 \\n \\u0041 C:\\users'
    expect(terminalText(text)).toBe(text)
  })

  it('shows an escape that the agent wrote as something else than one of ours', () => {
    expect(terminalText('\\u{1b}')).toBe('\\u{5c}u{1b}')
    expect(terminalText('\u001b')).toBe('\\u{1b}')
  })

  it('can be undone, whatever the text was (I6)', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = terminalText(text)
        expect([...shown].some(isRaw)).toBe(false)
        expect(plainText(shown)).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps the line breaks of a block and nothing else', () => {
    expect(terminalLines('one\r\n\ttwo\n')).toEqual(['one\\u{d}', '\u21e5two', ''])
  })

  it('prints JSON without raw characters that parses to the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const shown = terminalJson(value, 2)
        expect([...shown.replaceAll('\n', '')].some(isRaw)).toBe(false)
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 1000 },
    )
  })
})
