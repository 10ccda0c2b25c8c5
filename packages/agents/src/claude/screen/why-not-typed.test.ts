import { describe, expect, it } from 'vitest'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { whyNotTyped } from './why-not-typed.ts'

const QUIET = 1000
const KEYS = ['\r', '\n', '1', 'y', '\x1b[B', '\x1b[B\r', 'do it\r', '\t', ' ', '\x1b\r', '\x1b\x1b', '\x03\r', '\x1b1']

function why(data: string, name: string, { isClaude = true, quietMs = QUIET } = {}) {
  return whyNotTyped(data, { screen: recordedScreen(name), isClaude, quietMs })
}

describe('T68 whyNotTyped', () => {
  it.each(['prompt-working', 'prompt-queued', 'prompt-sent'])('types no key while `%s` may ask any moment', (name) => {
    for (const key of KEYS) expect([key, why(key, name)]).toEqual([key, 'not-at-rest'])
    // Seen on the screen, whatever the program is called.
    for (const key of KEYS) expect([key, why(key, name, { isClaude: false })]).toEqual([key, 'not-at-rest'])
  })

  it.each(['prompt-shell', 'prompt-help'])('types no key where `%s` takes the prompt’s place', (name) => {
    for (const key of KEYS) expect([key, why(key, name)]).toEqual([key, 'not-at-rest'])
  })

  it('types no key before Claude Code has drawn anything, or while it draws', () => {
    const screen = recordedScreen('idle')
    for (const lines of [[], ['$ claude', ''], screen.slice(0, -2), screen.slice(0, screen.length / 2)]) {
      expect(whyNotTyped('\r', { screen: lines, isClaude: true, quietMs: QUIET })).toBe('not-at-rest')
    }
  })

  it('lets pass at any time what only stops: Esc alone, and Ctrl-C; but not into a dialog', () => {
    for (const name of ['prompt-working', 'prompt-shell', 'idle']) {
      for (const key of ['\x1b', '\x03']) expect(why(key, name, { quietMs: 0 })).toBeUndefined()
    }
    for (const key of ['\x1b', '\x03']) expect(why(key, 'bash')).toBe('asked')
  })

  it.each(['idle', 'cleared', 'prompt-menu', 'prompt-marker', 'subagent-done'])(
    'types into `%s`, which rests',
    (name) => {
      for (const key of ['\r', 'do it', 'do it\r', 'do it\r\n', 'é中😀\n', '\x1b[A', '\x1bOM', '\x1bb', '\x7f', '\t']) {
        expect([key, why(key, name)]).toEqual([key, undefined])
        expect([key, why(key, name, { quietMs: 900 })]).toEqual([key, 'changing'])
      }
    },
  )

  it.each(['do it\r\r', 'do it\r1', 'one\ntwo\r', '\r\r', '\x1b[B\r', '\x1b[13u1', '\x1b\x1b[13u', 'x\x1bOM1'])(
    'types no second key behind the first into Claude Code: %j',
    (data) => expect(why(data, 'idle')).toBe('not-at-rest'),
  )

  it('types anything into other programs, at once', () => {
    for (const screen of [[], ['$ '], ['~', '~', '-- INSERT --']]) {
      for (const key of [...KEYS, 'one\ntwo\r\r']) {
        expect(whyNotTyped(key, { screen, isClaude: false, quietMs: 0 })).toBeUndefined()
      }
    }
  })
})
