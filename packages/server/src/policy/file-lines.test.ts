import { expect, it } from 'vitest'
import { faultLine, lineAt, ruleLines } from './file-lines.ts'

it('finds the line of a place', () => {
  expect([0, 1, 2, 3].map((offset) => lineAt('a\nb\n', offset))).toEqual([1, 1, 2, 2])
})

it.each([
  ['a comma too many', '{\n  "rules": [\n    1,\n  ]\n}', 3],
  ['a comma too many behind a text', '{\n  "a": "b",\n\n}', 2],
  ['a comma too many and another bracket', '[\n 1,\n}', 3],
  ['a comma alone', '[\n,\n]', 2],
  ['a comma too few', '{ "a": 1\n  "b": 2 }', 2],
  ['an end too early', '{\n  "rules": [\n', 3],
  ['another bracket', '[\n}', 2],
  ['a key without quotes', '{\n\n a: 1 }', 3],
  ['a text without an end', '{\n "a": "b\n}', 2],
  ['a comment', '// rules\n{}', 1],
  ['two values', '{}\n{}', 2],
])('finds the line with %s', (_, text, line) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(faultLine(text)).toBe(line)
})

it('finds the first line of each rule, whatever its texts and lists hold', () => {
  const file = `{
  "rules": [
    { "effect": "deny", "pattern": "Bash(a { \\" [)", "pins": [{ "path": "/x" }] },
    { "effect": "ask",
      "pattern": "Bash(b)" }, {
      "effect": "ask", "pattern": "Bash(c)" }
  ]
}`
  expect(ruleLines(file)).toEqual([3, 4, 5])
})
