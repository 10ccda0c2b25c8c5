import { ruleId, sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { csvCell, exportFormat } from './history-export.ts'

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

it('names in a table each rule that decided', () => {
  const outcome = { kind: 'allowed', at: 1, via: 'rule', rules: [ruleId(1), ruleId(2)] } as const
  const record = {
    ask: sampleAsk(1),
    outcome: { ...outcome, rules: [...outcome.rules] },
    delivered: true,
    seq: 1,
    hash: '',
  }
  const line = exportFormat('csv', { withMachines: false }).ask({ record, trail: undefined, project: '' })
  expect(line).toContain(`"${ruleId(1)} ${ruleId(2)}"`)
})
