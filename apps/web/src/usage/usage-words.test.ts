import { expect, it } from 'vitest'
import { contextPercent, costWords, tokenWords, usageFacts } from './usage-words.ts'

const counts = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 30, cacheWriteTokens: 4 }

it('says what was used in few words, and no cost that nobody has reported', () => {
  expect(
    [undefined, 0, 0.004, 0.41, 1234.5].map((costUsd) => costWords(costUsd === undefined ? {} : { costUsd })),
  ).toEqual(['not reported', '$0.00', '< $0.01', '$0.41', '$1,234.50'])
  expect(tokenWords(counts)).toBe('1.2k tokens')
  expect(contextPercent({ tokens: 124_000, window: 200_000 })).toBe(62)
  const total = { ...counts, costUsd: 0.41 }
  const context = { tokens: 124_000, window: 200_000 }
  expect(usageFacts({ context, usage: { total, reported: total, epoch: 1 } })).toEqual({
    context: '62 % context',
    used: '$0.41',
  })
  expect(usageFacts({ usage: { total: counts, reported: counts, epoch: 1 } })).toEqual({ used: '1.2k tokens' })
  expect(usageFacts({})).toEqual({})
})
