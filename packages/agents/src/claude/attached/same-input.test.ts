import { expect, it } from 'vitest'
import { isSameInput } from './same-input.ts'

it.each([
  ['the same in another order', { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }],
  ['a path that was made absolute', { file_path: '/here/x.txt', content: 'x' }, { file_path: 'x.txt', content: 'x' }],
  ['a command without its cd', { command: 'ls -l' }, { command: 'cd /here && ls -l' }],
  ['a field that the model left out, of any name', { command: 'ls', constructor: 'x' }, { command: 'ls' }],
  ['a number that was written as text', { timeout: 5000, command: 'ls' }, { timeout: '5000', command: 'ls' }],
  ['fields that only one side has', { command: 'ls' }, { command: 'ls', run_in_background: false }],
])('takes %s for the same call', (_, asked, written) => {
  expect(isSameInput(asked, written, '/here')).toBe(true)
})

it.each([
  ['another command', { command: 'ls' }, { command: 'rm -r .' }],
  ['a command that goes somewhere else first', { command: 'ls' }, { command: 'cd /there && ls' }],
  ['a path elsewhere', { file_path: '/here/x.txt' }, { file_path: '/there/x.txt' }],
  ['an element more', { paths: ['a'] }, { paths: ['b', 'a'] }],
  ['nothing in common', { plan: 'x' }, {}],
  ['null', { a: null }, { a: {} }],
])('does not take %s for it', (_, asked, written) => {
  expect(isSameInput(asked, written, '/here')).toBe(false)
})
