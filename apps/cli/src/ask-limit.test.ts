import { expect, it } from 'vitest'
import { askLimit } from './ask-limit.ts'

it.each([
  ['5m', { afterMs: 300_000, onTimeout: 'deny' }],
  ['process-state', { afterMs: null, onTimeout: 'deny' }],
  ['ask-user', { afterMs: 55_000, onTimeout: 'interrupt' }],
  ['permission', { afterMs: 300_000, onTimeout: 'deny' }],
  ['turn-stream', { afterMs: 600_000, onTimeout: 'deny' }],
])('%s', (text, limit) => expect(askLimit(text)).toEqual(limit))

it('says what it expects instead of a name that nobody has', () => {
  expect(() => askLimit('constructor')).toThrow('such as 90s, 5m, 2h or 1d')
})
