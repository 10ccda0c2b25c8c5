import { sampleSession } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { isArchived, mayBeArchived } from './archiving.ts'

it('lists a session in which an ask is open, whatever its record says', () => {
  expect(isArchived(sampleSession(1, { archived: true, openAsks: 0 }))).toBe(true)
  expect(isArchived(sampleSession(1, { archived: true, openAsks: 1 }))).toBe(false)
})

it.each([
  { openAsks: 1 },
  { queuedMessages: 1 },
  { mayWait: true },
  { frozen: true },
  { state: 'assistant_turn' },
] as const)('lets nobody archive one with %j', (changes) => {
  const idle = sampleSession(1, { state: 'user_turn' })
  expect(mayBeArchived(idle)).toBe(true)
  expect(mayBeArchived({ ...idle, ...changes })).toBe(false)
})
