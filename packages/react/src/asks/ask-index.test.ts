import { expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { openAsk, openAsksOf, settledAsk } from './ask-index.ts'

const first = sampleAsk({ id: 'ask_1', sessionId: 'ses_1' })
const other = sampleAsk({ id: 'ask_2', sessionId: 'ses_2' })
const second = sampleAsk({ id: 'ask_3', sessionId: 'ses_1' })
const asks = [first, other, second]

it('finds asks by id and by session, in the order of the list', () => {
  expect(openAsk(asks, 'ask_2')).toBe(other)
  expect(openAsk(asks, 'ask_9')).toBeUndefined()
  expect(openAsksOf(asks, 'ses_1')).toEqual([first, second])
  expect(openAsksOf(asks, 'ses_9')).toEqual([])
})

it('gives the same list for the same asks, and looks anew in others', () => {
  expect(openAsksOf(asks, 'ses_1')).toBe(openAsksOf(asks, 'ses_1'))
  expect(openAsksOf([first], 'ses_1')).toEqual([first])
  expect(openAsk([first], 'ask_2')).toBeUndefined()
})

it('finds settled asks by id', () => {
  const settled = { ask: first, outcome: { kind: 'allowed', at: 1, via: 'web' } } as const
  expect(settledAsk([settled], 'ask_1')).toBe(settled)
  expect(settledAsk([settled], 'ask_2')).toBeUndefined()
})
