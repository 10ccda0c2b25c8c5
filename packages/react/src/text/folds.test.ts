import { segments } from '@holdpoint/core/text/visible-text'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldsIn } from './folds.ts'
import { layout, lines } from './layout.ts'

it('T26: counts blank lines and spaces that push the rest out of sight', () => {
  expect(foldsIn(`ls${' '.repeat(300)}; rm -rf ~`)).toEqual([{ start: 2, end: 302, count: 300, unit: 'spaces' }])
  expect(foldsIn(`ls\n${'\n'.repeat(240)}rm`)).toEqual([{ start: 3, end: 243, count: 240, unit: 'blank lines' }])
  expect(foldsIn(`ls\n${' \t\n'.repeat(9)}   rm`)).toEqual([{ start: 3, end: 30, count: 9, unit: 'blank lines' }])
  expect(foldsIn(`${'\n'.repeat(20)}rm`)).toEqual([{ start: 0, end: 20, count: 20, unit: 'blank lines' }])
})

it('leaves ordinary layout alone', () => {
  expect(foldsIn(`if x:\n\n\n${' '.repeat(24)}return 1\n`)).toEqual([])
})

const padded = fc
  .array(
    fc.constantFrom(
      'a',
      'pаy',
      '\u202e',
      '\u200b\u200b',
      '\n',
      '\n'.repeat(9),
      ' '.repeat(60),
      ' ',
      '\t',
      '❤️',
      '\ud800',
    ),
  )
  .map((all) => all.join(''))
const cuts = fc.array(fc.tuple(fc.nat(30), fc.nat(30)))

it('keeps every character of the text in the parts, however looks and folds cut it', () => {
  fc.assert(
    fc.property(padded, cuts, (text, gaps) => {
      let at = 0
      const looks = gaps.map(([gap, length]) => {
        const start = at + gap
        at = start + length + 1
        return { start, end: at, color: 'red' }
      })
      const parts = layout(segments(text, { multiline: true }), looks, foldsIn(text))
      expect(parts.map((part) => (part.kind === 'escape' ? part.escape.source : part.text)).join('')).toBe(text)
      for (const part of parts) {
        if (part.kind === 'text') expect(text.startsWith(part.text, part.at)).toBe(true)
        if (part.kind === 'fold') expect(part.text).toMatch(/^[ \t\n]+$/)
      }
    }),
  )
})

it('splits segments at line feeds and nowhere else', () => {
  fc.assert(
    fc.property(padded, (text) => {
      const split = lines(segments(text, { multiline: true })).map((line) =>
        line.map((part) => (part.kind === 'plain' ? part.text : part.source)).join(''),
      )
      expect(split).toEqual(text === '' ? [''] : text.split('\n'))
    }),
  )
})
