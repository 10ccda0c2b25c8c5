import { expect, it } from 'vitest'
import { verdict } from './verdict.ts'

const handed = { isHanded: true, isTaken: false, isOverruled: false }
const ran = (by?: 'hook' | 'person' | 'settings') => ({
  type: 'ended' as const,
  toolUseId: 't',
  end: { kind: 'ran' as const, isError: false },
  ...(by && { by }),
})
const denied = { type: 'ended' as const, toolUseId: 't', end: { kind: 'denied' as const }, by: 'person' as const }

it.each([
  ['a hook was followed, and ours had answered', handed, 'allowed', ran('hook'), 'ours'],
  ['ours was written down as taken', { ...handed, isTaken: true }, 'allowed', ran(), 'ours'],
  [
    'ours was taken, and the call ran all the same: for the watch to judge',
    { ...handed, isTaken: true },
    'denied',
    ran('hook'),
    'ours',
  ],
  ['both said no, one of them to interrupt', handed, 'denied', denied, 'ours'],
  ['a person at the terminal allowed what was denied here', handed, 'denied', ran('person'), 'theirs'],
  ['a person at the terminal allowed it as well', handed, 'allowed', ran('person'), 'theirs'],
  ['a person at the terminal refused what was allowed here', handed, 'allowed', denied, 'theirs'],
  [
    'a hook was followed, but ours never got an answer',
    { ...handed, isHanded: false },
    'allowed',
    ran('hook'),
    'theirs',
  ],
  ['another hook was faster', { ...handed, isOverruled: true }, 'denied', ran('hook'), 'theirs'],
  ['nothing says whose it was, and it fits', handed, 'answered', ran(), 'unknown'],
  ['nothing says whose it was, and it does not fit', handed, 'denied', ran(), 'theirs'],
] as const)('%s', (_, known, kind, ended, whose) => {
  expect(verdict(known, { kind }, ended)).toBe(whose)
})
