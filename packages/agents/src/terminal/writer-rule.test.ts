import { describe, expect, it } from 'vitest'
import { createWriterRule, HOLD_MS } from './writer-rule.ts'

describe('createWriterRule', () => {
  it('gives the keyboard to who typed last, for a while', () => {
    let now = 1000
    const rule = createWriterRule(() => now)
    expect(rule.claim('one')).toBe(true)
    expect([rule.claim('two'), rule.isBusyFor('two'), rule.isBusyFor('one')]).toEqual([false, true, false])
    now += HOLD_MS - 1
    expect(rule.claim('one')).toBe(true)
    now += HOLD_MS - 1
    expect(rule.claim('two')).toBe(false)
    now += 1
    expect(rule.isBusyFor('two')).toBe(false)
    expect(rule.claim('two')).toBe(true)
    expect(rule.holder).toBe('two')
    rule.release('one')
    expect(rule.claim('one')).toBe(false)
    rule.release('two')
    expect(rule.claim('one')).toBe(true)
  })
})
