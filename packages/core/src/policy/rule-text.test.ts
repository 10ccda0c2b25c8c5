import { expect, it } from 'vitest'
import { parseRulePattern } from './rule-pattern.ts'
import { commandRule } from './rule-text.ts'

it.each([
  ['plain'],
  ['two words'],
  ["it's"],
  ["'"],
  ["'a'"],
  [`a"b'c`],
  ["it's \\$x"],
  ['\\'],
  [''],
  ['*'],
  ['$(x)'],
  ['~'],
])('the text of a rule has the word %j again when it is read', (word) => {
  const words = [{ text: 'touch' }, { text: word }]
  expect(parseRulePattern(commandRule(['touch', word]), 'allow')).toEqual({ pattern: { about: 'command', words } })
  const open = { about: 'command', words: [...words, { any: true }] }
  expect(parseRulePattern(commandRule(['touch', word], true), 'allow')).toEqual({ pattern: open })
})
