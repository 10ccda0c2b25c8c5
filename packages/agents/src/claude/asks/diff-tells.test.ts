import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffTells } from './diff-tells.ts'

const diffOf = (before: string, after: string) =>
  createTwoFilesPatch('x', 'x', before, after, undefined, undefined, { context: 1, headerOptions: FILE_HEADERS_ONLY })

const text = fc
  .array(fc.constantFrom('a', 'b', '', '-', '+', '\\', '--- x', '@@ -1 +1 @@', 'c\r', 'Index: x'), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`))

it('a diff tells the change that it was made of', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(diffTells(diffOf(before, after), { name: 'x', before, after })).toBe(true)
    }),
    { numRuns: 500 },
  )
})

it('a diff tells no change to anything else', () => {
  fc.assert(
    fc.property(text, text, text, (before, after, other) => {
      fc.pre(other !== after)
      expect(diffTells(diffOf(before, after), { name: 'x', before, after: other })).toBe(false)
    }),
    { numRuns: 500 },
  )
})

it.each([
  ['another name', { name: 'y' }],
  ['other lines where it says there are these', { before: 'zero\ntwo\n', after: '1\ntwo\n' }],
  ['the same lines in another place', { before: 'zero\none\ntwo\n', after: 'zero\n1\ntwo\n' }],
])('a diff of %s tells another change', (_, other) => {
  const change = { name: 'x', before: 'one\ntwo\n', after: '1\ntwo\n' }
  expect(diffTells(diffOf(change.before, change.after), { ...change, ...other })).toBe(false)
})
