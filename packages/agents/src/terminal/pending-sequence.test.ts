import { describe, expect, it } from 'vitest'
import { endsInSequence } from './pending-sequence.ts'

describe('endsInSequence', () => {
  it.each([
    '\x1b',
    'text\x1b[',
    '\x1b[38;5',
    '\x1b[?2026',
    '\x1b]0;a title',
    '\x1bPq',
    '\x1b(',
    'x\x1b]8;;http://a\x1b',
  ])('waits for the rest of %j', (tail) => expect(endsInSequence(tail)).toBe(true))
  it.each([
    '',
    'text',
    '\x1b[0m',
    '\x1b[2Jtext',
    '\x1b]0;title\x07',
    '\x1b]0;title\x1b\\',
    '\x1b(B',
    '\x1b7',
    '\x1bM more',
  ])('takes %j as whole', (tail) => expect(endsInSequence(tail)).toBe(false))
  it('does not wait for a string that never ends', () => {
    expect(endsInSequence(`\x1b]0;${'x'.repeat(10_000)}`)).toBe(false)
  })
})
