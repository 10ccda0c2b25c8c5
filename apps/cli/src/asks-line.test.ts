import { expect, it } from 'vitest'
import { asksLine } from './asks-line.ts'

it.each([
  [0, 'Asks      0 open'],
  [10_000, 'Asks      10000 open (see them with "holdpoint asks")'],
  [10_001, 'Asks      10001 open, more than the 10000 that a gateway is made for (see them with "holdpoint asks")'],
])('says how many asks are open, and when they are more than a gateway is made for: %d', (open, line) => {
  expect(asksLine(open)).toBe(line)
})
