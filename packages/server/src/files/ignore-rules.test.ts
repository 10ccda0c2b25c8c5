import { expect, it } from 'vitest'
import { isIgnored, parseIgnoreRules } from './ignore-rules.ts'

const ignores = (text: string, path: string) => {
  const isFolder = path.endsWith('/')
  const names = path.replace(/\/$/, '').split('/')
  return isIgnored([{ depth: 0, rules: parseIgnoreRules(text) }], names, isFolder)
}

it.each([
  ['dist', 'dist/'],
  ['dist', 'a/dist'],
  ['dist/', 'a/dist/'],
  ['/dist', 'dist'],
  ['*.log', 'a/b/x.log'],
  ['a/b', 'a/b'],
  ['a/**', 'a/b/c'],
  ['**/b/c', 'x/y/b/c'],
  ['**/b', 'b'],
  ['a/**/c', 'a/c'],
  ['a/**/c', 'a/x/y/c'],
  ['file?.txt', 'file1.txt'],
  ['file[0-9].txt', 'file7.txt'],
  ['file[!0-9].txt', 'filex.txt'],
  ['\\#odd', '#odd'],
  ['\\!odd', '!odd'],
  ['x\\ ', 'x '],
  ['  # no comment', '  # no comment'],
  ['*.log\n!keep.log\nkeep.log', 'keep.log'],
  ['[]x]', ']'],
  ['*', 'anything'],
])('leaves out by %j: %s', (text, path) => {
  expect(ignores(text, path)).toBe(true)
})

it.each([
  ['dist/', 'dist'],
  ['/dist', 'a/dist'],
  ['*.log', 'x.log.txt'],
  ['a/*', 'a/b/c'],
  ['a/**', 'a/'],
  ['a/b', 'x/a/b'],
  ['# dist', 'dist'],
  ['*.log\n!keep.log', 'keep.log'],
  ['file?.txt', 'file.txt'],
  ['[a', 'a'],
  ['', 'a'],
  ['/', 'a'],
])('keeps under %j: %s', (text, path) => {
  expect(ignores(text, path)).toBe(false)
})

it('lets the deepest file that says something decide', () => {
  const levels = [
    { depth: 0, rules: parseIgnoreRules('*.log\n/b.txt') },
    { depth: 1, rules: parseIgnoreRules('!x.log') },
  ]
  expect(isIgnored(levels, ['a', 'x.log'], false)).toBe(false)
  expect(isIgnored(levels, ['a', 'y.log'], false)).toBe(true)
  expect(isIgnored(levels, ['a', 'b.txt'], false)).toBe(false)
})

it('[T49] takes no longer for a pattern that is made to be slow', () => {
  const slow = `${'*a'.repeat(400)}b`
  const name = 'a'.repeat(255)
  expect(ignores(`${slow}\n**/${'**/a/'.repeat(100)}b`, `${'a/'.repeat(100)}${name}`)).toBe(false)
})
