import { expect, it } from 'vitest'
import { duration } from './duration.ts'

it.each([
  ['1s', 1000],
  ['90s', 90_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['365d', 31_536_000_000],
])('%s', (text, milliseconds) => expect(duration(text)).toBe(milliseconds))

it.each(['', '5', 'm', '0m', '-5m', '1.5h', '5 m', '5M', '1h30m', '5ms', '1w', 'Infinity'])(
  '"%s" is no time, and what is one is said',
  (text) => expect(() => duration(text)).toThrow('such as 90s, 5m, 2h or 1d'),
)

it.each(['366d', '999999999d'])('%s is too long', (text) =>
  expect(() => duration(text)).toThrow('longest time is 365d'),
)
