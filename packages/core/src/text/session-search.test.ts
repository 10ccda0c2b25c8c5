import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { sessionMatcher } from './session-search.ts'

const session = { title: 'Überblick', cwd: '/home/ann/api', agent: 'claude' } as Session

it.each([
  ['API claude', true],
  ['über', true],
  ['  ', true],
  ['überblick web', false],
  // No word goes over the border of two fields.
  ['blick/home', false],
])('finds by every word, in title, folder and agent: %j', (words, isFound) => {
  expect(sessionMatcher(words)(session)).toBe(isFound)
})
