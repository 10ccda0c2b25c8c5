import { describe, expect, it } from 'vitest'
import { type Ranked, rank } from './rank.ts'

const named = (...names: string[]): Ranked => ({ names })
const waiting = (...names: string[]): Ranked => ({ names, isWaiting: true })
const found = (entries: readonly Ranked[], typed: string, most = 50) =>
  rank(entries, typed, most).map(({ names }) => names[0])

describe('what is found', () => {
  it('begins with what was typed, then has a word that does, then has it inside, then has its letters in order', () => {
    const entries = [named('true, sane'), named('reuse'), named('the user page'), named('use it')]
    expect(found(entries, 'use')).toEqual(['use it', 'the user page', 'reuse', 'true, sane'])
  })

  it('has every word, in any of its names', () => {
    const entries = [named('retry queue', 'payments-api'), named('retry queue', 'site'), named('pay page', 'site')]
    expect(rank(entries, ' Pay  RETRY ', 50)).toEqual([entries[0]])
    expect(found(entries, 'nothing')).toEqual([])
  })

  it('fits as well as its worst word', () => {
    expect(found([named('fix the unfit'), named('fix a fit')], 'fix fit')).toEqual(['fix a fit', 'fix the unfit'])
  })

  it('is a word that starts later, too', () => {
    expect(found([named('reuse'), named('reuse, use')], 'use')).toEqual(['reuse, use', 'reuse'])
  })

  it('comes first where a person is waited for, but not by scattered letters', () => {
    const entries = [named('settings'), waiting('reset'), waiting('says what it is')]
    expect(found(entries, 'set')).toEqual(['reset', 'settings'])
    expect(found([waiting('shelves, the tables'), named('settings')], 'set')).toEqual([
      'settings',
      'shelves, the tables',
    ])
  })

  it('keeps the order given among equals, and is everything where nothing was typed', () => {
    const entries = [named('b'), named('a'), waiting('c')]
    expect(found(entries, ' ')).toEqual(['c', 'b', 'a'])
  })

  it('is bounded, and the best of ten thousand', () => {
    const entries = Array.from({ length: 10_000 }, (_, n) => named(`session ${n}`, 'payments-api'))
    expect(found(entries, 'session')).toHaveLength(50)
    expect(found(entries, '9999 pay')).toEqual(['session 9999'])
    expect(found(entries, 's', 3)).toEqual(['session 0', 'session 1', 'session 2'])
  })
})
