import { render } from '@holdpoint/core/text/visible-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../fixtures/plain-text.ts'
import { terminalJson, terminalLines, terminalText } from './terminal-text.ts'

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

// The joiners and selectors inside of an emoji are shown, as part of it.
// biome-ignore lint/complexity/useRegexLiterals: the compiler's target does not know the flag; Node 20 does.
const EMOJI = new RegExp('\\p{RGI_Emoji}', 'vg')

function hasRaw(shown: string): boolean {
  return [...shown.replace(EMOJI, '')].some((character) => {
    const code = character.codePointAt(0) ?? 0
    return RAW.some(([from, to]) => code >= from && code <= to)
  })
}

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('⟨', 'U+', '202E', '⟩', '\\', 'u', '5', '\u21e5', '\t', '\n', 'a', 'с', 'д'),
    fc.constantFrom(...RAW.flat().map((code) => String.fromCodePoint(code))),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

describe('text in a terminal', () => {
  it('T24: shows every character of the hidden ranges as an escape', () => {
    for (const [from, to] of RAW) {
      for (let code = from; code <= to; code++) {
        const expected = code === 9 ? '\u21e5' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
        expect(terminalText(`a${String.fromCodePoint(code)}b`)).toBe(`a${expected}b`)
      }
    }
  })

  it('leaves readable text alone', () => {
    const text = 'rm -rf "./a b" && écho 日本語 🙂 да \\n \\u0041 C:\\users'
    expect(terminalText(text)).toBe(text)
  })

  it('T25: shows a letter that imitates another by its code point', () => {
    expect(terminalText('curl https://pаypal.com')).toBe('curl https://p⟨U+0430⟩ypal.com')
    expect(terminalLines('кофе с\nмолоком')).toEqual(['кофе ⟨U+0441⟩', 'молоком'])
    expect(terminalLines('кофе с\nмолоком', { prose: true })).toEqual(['кофе с', 'молоком'])
  })

  it('shows an escape or a tab sign that the agent wrote as something else than one of ours', () => {
    expect(terminalText('⟨U+001B⟩')).toBe('⟨U+27E8⟩U+001B⟨U+27E9⟩')
    expect(terminalText('\u21e5')).toBe('⟨U+21E5⟩')
  })

  it('T24: judges a text the way the browser does, and can be undone, whatever it was (I6)', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = terminalText(text)
        expect(hasRaw(shown)).toBe(false)
        expect(plainText(shown)).toBe(text)
        if (!/[\t\u21e5]/.test(text)) expect(shown).toBe(render(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps the line breaks of a block and nothing else', () => {
    expect(terminalLines('one\r\n\ttwo\n')).toEqual(['one⟨U+000D⟩', '\u21e5two', ''])
  })

  it('prints JSON without raw characters that parses to the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const shown = terminalJson(value, 2)
        expect(hasRaw(shown.replaceAll('\n', ''))).toBe(false)
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 1000 },
    )
  })

  it('does not take the letters of escapes in JSON for those of the text', () => {
    const text = 'ещё два\nда'
    expect(terminalJson({ text, host: 'pаypal' })).toBe('{"text":"ещё два\\nда","host":"p\\u0430ypal"}')
  })

  it('T25 lets no other line and no other text speak for a word that looks Latin', () => {
    const cat = '⟨U+0441⟩⟨U+0430⟩⟨U+0442⟩'
    expect(terminalLines('# жук\nсат ж')).toEqual(['# жук', `${cat} ж`])
    expect(terminalJson({ жук: 'сат ж' })).toBe('{"жук":"\\u0441\\u0430\\u0442 ж"}')
  })
})
