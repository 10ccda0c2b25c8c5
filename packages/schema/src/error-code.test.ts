import { describe, expect, it } from 'vitest'
import { ERROR_CODES, ERROR_REASONS, normalCode } from './error-code.ts'

describe('codes of the native API', () => {
  it.each([...ERROR_CODES, ...Object.values(ERROR_REASONS).flat()])('%s is written in snake_case', (code) =>
    expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/),
  )

  it('lists each code once', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length)
  })

  it.each([
    ['already_settled', 'already_settled'],
    ['already-settled', 'already_settled'],
    ['alreadySettled', 'already_settled'],
    ['invalid-utf8', 'invalid_utf8'],
    ['busy', 'busy'],
  ])('reads %s of an older gateway as %s', (written, code) => expect(normalCode(written)).toBe(code))
})
