import { describe, expect, it } from 'vitest'
import { findByAbbreviation, shortId } from './abbreviation.ts'
import { CliError } from './console/cli-error.ts'

const first = { id: 'ask_01m7ess16d9ekm2yex8kbjymcs' }
const second = { id: 'ask_01m7ess16f00000yex8kbjymct' }
const all = [first, second]

describe('abbreviated ids', () => {
  it('are taken as a whole, a beginning or an end', () => {
    expect(findByAbbreviation(all, first.id)).toBe(first)
    expect(findByAbbreviation(all, 'ask_01m7ess16d')).toBe(first)
    expect(findByAbbreviation(all, '01m7ess16f')).toBe(second)
    expect(findByAbbreviation(all, 'BJYMCT')).toBe(second)
    expect(findByAbbreviation(all, 'zzzzzz')).toBeUndefined()
  })

  it('are refused when they mean several or say next to nothing', () => {
    expect(() => findByAbbreviation(all, '01m7ess16')).toThrow(CliError)
    expect(() => findByAbbreviation([first], 'mcs')).toThrow(/too short/)
    expect(() => findByAbbreviation([first], 'ask_01m')).toThrow(/too short/)
  })

  it('grow until they tell one from another', () => {
    const twin = `ask_${'0'.repeat(19)}8kbjymcs`
    expect(shortId(first.id, [first.id, second.id])).toBe('bjymcs')
    expect(shortId(first.id, [first.id, twin])).toBe('x8kbjymcs')
  })
})
