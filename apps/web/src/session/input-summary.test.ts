import { expect, it } from 'vitest'
import { inputSummary } from './input-summary.ts'

it('says the field that tells the most, a path as seen from the folder', () => {
  expect(inputSummary({ timeout: 5, command: 'ls\n-l' }, '/w')).toBe('ls ⏎ -l')
  expect(inputSummary({ file_path: '/w/a.ts' }, '/w')).toBe('a.ts')
})

it('else the first text anywhere, in order', () => {
  expect(inputSummary({ a: [1, { b: 'first' }], c: 'second' }, '/w')).toBe('first')
  expect(inputSummary({ a: 1 }, '/w')).toBe('')
})

it('takes an input nested without end', () => {
  let input: unknown = 'end'
  for (let depth = 0; depth < 100_000; depth++) input = { a: input }
  expect(inputSummary(input, '/w')).toBe('end')
})
