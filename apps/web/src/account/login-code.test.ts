import { expect, it } from 'vitest'
import { codeOf } from './login-code.ts'

it.each([
  ['https://laptop.example:4680/login/abcdefghijk#login=Ab-_9', 'Ab-_9'],
  ['  http://127.0.0.1:4680/#login=Ab-_9\n', 'Ab-_9'],
  ['Ab-_9', 'Ab-_9'],
  ['', undefined],
  ['https://laptop.example:4680/', undefined],
  ['two words', undefined],
])('takes the code out of what was pasted: %j', (text, code) => {
  expect(codeOf(text)).toBe(code)
})
