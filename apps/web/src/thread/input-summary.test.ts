import { expect, it } from 'vitest'
import { inputSummary } from './input-summary.ts'

it('says the field that tells the most, a path as seen from the folder', () => {
  const command = { verb: 'Run', icon: 'terminal', subject: 'command' } as const
  expect(inputSummary({ input: { timeout: '5', command: 'ls\n-l' }, display: command }, '/w')).toBe('ls\n-l')
  const file = { verb: 'Read', icon: 'read', subject: 'file_path' } as const
  expect(inputSummary({ input: { file_path: '/w/a.ts' }, display: file }, '/w')).toBe('a.ts')
  expect(inputSummary({ input: { command: '/w/a.sh' }, display: command }, '/w')).toBe('/w/a.sh')
})

it('else the first text anywhere, in order', () => {
  expect(inputSummary({ input: { a: [1, { b: 'first' }], c: 'second' } }, '/w')).toBe('first')
  expect(inputSummary({ input: { a: 1 } }, '/w')).toBe('')
})

it('takes an input nested without end', () => {
  let input: unknown = 'end'
  for (let depth = 0; depth < 100_000; depth++) input = { a: input }
  expect(inputSummary({ input }, '/w')).toBe('end')
})
