import { describe, expect, it } from 'vitest'
import { makeToken, readToken, type TokenBinding } from './notice-tokens.ts'

const KEY = { secret: Buffer.from('k'.repeat(32)).toString('base64url'), maker: '' }
const BINDING: TokenBinding = {
  use: 'deny',
  subject: `ask_${'7'.repeat(26)}`,
  to: `dev_${'1'.repeat(26)}`,
  digest: 'abc',
}

describe('T58 a token of a notification', () => {
  it('says what it is for, and fits a button of a chat', () => {
    const token = makeToken(KEY, BINDING, 1_900_000_000_000)
    expect(token.length).toBeLessThanOrEqual(64)
    const read = readToken(token)
    expect(read).toMatchObject({ use: 'deny', subject: BINDING.subject, expiresAt: 1_900_000_000_000 })
    expect(read?.isGenuine(KEY, BINDING)).toBe(true)
  })

  it('counts for no other receiver, other content or other key', () => {
    const read = readToken(makeToken(KEY, BINDING, 1_900_000_000_000))
    expect(read?.isGenuine(KEY, { ...BINDING, to: `dev_${'2'.repeat(26)}` })).toBe(false)
    expect(read?.isGenuine(KEY, { ...BINDING, digest: 'abd' })).toBe(false)
    expect(read?.isGenuine({ ...KEY, secret: Buffer.from('other').toString('base64url') }, BINDING)).toBe(false)
  })

  it('cannot be turned into another use, ask or time', () => {
    const [, subject, until, mac] = makeToken(KEY, BINDING, 1_900_000_000_000).split('.')
    const changed = [
      `a.${subject}.${until}.${mac}`,
      `s.${subject}.${until}.${mac}`,
      `d.${'8'.repeat(26)}.${until}.${mac}`,
      `d.${subject}.zzzzzzz.${mac}`,
    ]
    for (const token of changed) expect(readToken(token)?.isGenuine(KEY, BINDING), token).toBe(false)
  })

  it.each(['', 'd', 'd...', `d.${'7'.repeat(26)}.1.short`, `x.${'7'.repeat(26)}.1.${'a'.repeat(22)}`, 'a'.repeat(500)])(
    'is not read from %j',
    (text) => {
      expect(readToken(text)).toBeUndefined()
    },
  )
})
