import { expect, it } from 'vitest'
import { deliveryWords } from './delivery-words.ts'

const MINUTE = 60_000

it.each([
  [{}, 'nothing sent since the gateway was started'],
  [{ sentAt: 0, shownAt: MINUTE }, 'sent 5 min ago, shown 4 min ago'],
  [{ failed: { at: MINUTE, reason: 'no route' } }, 'failed 4 min ago: no route'],
  [{ sentAt: 0, failed: { at: MINUTE, reason: 'no route' } }, 'sent 5 min ago, failed 4 min ago: no route'],
  // It worked since.
  [{ sentAt: 2 * MINUTE, failed: { at: MINUTE, reason: 'no route' } }, 'sent 3 min ago'],
])('tells the last steps of the way to a device: %j', (state, words) => {
  expect(deliveryWords(state, 5 * MINUTE)).toBe(words)
})
