import { expect, it } from 'vitest'
import { recordLine } from './record-line.ts'

it('T69 says all events are unchanged only where no damage was accepted', () => {
  expect(recordLine({ state: 'events-match' })).toContain('all events are unchanged (')
  expect(recordLine({ state: 'events-match', accepted: 1 })).toContain(
    'one damaged session was accepted; all events of the others are unchanged (',
  )
  expect(recordLine({ state: 'events-match', accepted: 2 })).toContain('2 damaged sessions were accepted; ')
})

it('shows what is wrong with the record as text', () => {
  expect(recordLine({ state: 'damaged', problem: 'event\u001b[2J 3' })).toContain('CHANGED OR DAMAGED: event⟨U+001B⟩')
  expect(recordLine({ state: 'failed', problem: 'disk\u001b[2J' })).toContain('could not be checked: disk⟨U+001B⟩')
})

it('F17 says that the record was older than the one last used, whatever else it found', () => {
  for (const state of ['not-checked', 'events-match'] as const) {
    expect(recordLine({ state, older: true })).toMatch(
      /^Record {4}OLDER than the one last used with this data folder, .* unchanged/,
    )
    expect(recordLine({ state })).not.toContain('OLDER')
  }
})
