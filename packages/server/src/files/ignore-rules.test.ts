import { describe, expect, it } from 'vitest'
import { ignoreRules } from './ignore-rules.ts'

const LARGE = 1_000_000
const says = (text: string, path: string) => {
  const names = path.split('/').filter(Boolean)
  return ignoreRules(text)(names, path.endsWith('/'), { left: LARGE })
}

describe('a .gitignore says of a path', () => {
  it.each([
    ['*.log', 'a/b.log', true],
    ['*.log', 'a.logs', undefined],
    ['/a', 'b/a', undefined],
    ['a/b', 'c/a/b', undefined],
    ['**/a/b', 'c/a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**', 'a/', undefined],
    ['a/**', 'a/b', true],
    ['build/', 'build', undefined],
    ['build/', 'x/build/', true],
    ['*.js\n!keep.js', 'keep.js', false],
    ['*.js\n!keep.js\nkeep.js', 'keep.js', true],
    ['# a\n\\#b', '#b', true],
    ['# a', '# a', undefined],
    ['  # a', '  # a', true],
    ['\uFEFFa', 'a', true],
    ['\\!a', '!a', true],
    ['a\\ ', 'a ', true],
    ['a  ', 'a', true],
    ['a\r\nb', 'a', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', undefined],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', undefined],
    ['[]]x', ']x', true],
    ['[[:digit:]]x', '7x', true],
    ['[a', '[a', undefined],
    ['a\\', 'a\\', undefined],
    ['', 'a', undefined],
    ['/', 'a', undefined],
  ])('%j %s: %s', (text, path, expected) => {
    expect(says(text, path)).toBe(expected)
  })
})

it('[T49] compares for no longer than its budget, and a name with no line for longer than both are long', () => {
  const budget = { left: LARGE }
  expect(ignoreRules(`${'*a'.repeat(200)}b`)(['a'.repeat(255)], false, budget)).toBeUndefined()
  expect(LARGE - budget.left).toBeLessThan(500 * 255 * 2)
  const many = `${'*a'.repeat(200)}b\n`.repeat(2000)
  expect(ignoreRules(many)(['a'.repeat(255)], false, budget)).toBeUndefined()
  expect(budget.left).toBeLessThan(0)
  expect(budget.left).toBeGreaterThan(-2001)
})
