import { expect, it } from 'vitest'
import { diffSaysEdit } from './diff-says-edit.ts'

const DIFF = '--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two = 1\n+two = 2\n three\n'

it.each([
  { name: 'a word of a line', before: '1', after: '2', says: true },
  { name: 'lines with their neighbours', before: 'one\ntwo = 1', after: 'one\ntwo = 2', says: true },
  { name: 'nothing in place of a text: its line break goes, too (T63)', before: 'two = 1', after: '', says: false },
  { name: 'quotes that the agent bends as the file has them', before: '"1"', after: '"2"', says: false },
  { name: 'blanks at a line’s end', before: 'two = 1', after: 'two = 2 ', says: false },
  { name: 'blanks alone', before: 'two = 1', after: 'two =  1', says: false },
  { name: 'another kind of line end', before: 'one\r\ntwo = 1', after: 'one\r\ntwo = 2', says: false },
])('whether a diff shows all of an edit: $name', ({ before, after, says }) => {
  expect(diffSaysEdit(DIFF, before, after)).toBe(says)
})

it('says nothing of an edit when it cannot be read as a diff', () => {
  expect(diffSaysEdit('1 2', '1', '2')).toBe(false)
})
