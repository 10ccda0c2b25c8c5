import { expect, it } from 'vitest'
import { csvCell } from './history-export.ts'

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\u200b=1', '＝1', '|calc', '%0A=1'])(
  'no spreadsheet takes %j for a formula',
  (text) => {
    expect(csvCell(text)).toBe(`"'${text}"`)
  },
)

it.each([
  ['git push', '"git push"'],
  ['say "hi", then\ngo', '"say ""hi"", then\ngo"'],
  ['', '""'],
])('writes %j as it is', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})
