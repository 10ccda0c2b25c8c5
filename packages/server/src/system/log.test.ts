import { maskSecrets } from '@holdpoint/core/text/secrets'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLog, type LogLevel } from './log.ts'

function logged(details: Record<string, unknown> = {}): { line: string; entry: Record<string, unknown> } {
  let line = ''
  createLog({ level: 'info', now: () => 0, write: (text) => (line += text) }).warn('device_logged_in', details)
  return { line, entry: JSON.parse(line) as Record<string, unknown> }
}

/** Controls, what turns the direction of text, what takes no place, what ends a line. */
const MARKS = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0001, 0xe007f],
] as const

const hostile = fc
  .array(
    fc.oneof(fc.string(), ...MARKS.map(([min, max]) => fc.integer({ min, max }).map((n) => String.fromCodePoint(n)))),
  )
  .map((parts) => parts.join(''))

function rawMarks(line: string): string[] {
  return [...line].filter((character) => {
    const point = character.codePointAt(0) ?? 0
    return MARKS.some(([from, to]) => point >= from && point <= to)
  })
}

describe('the log', () => {
  it('T45 writes one line that can be parsed, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), hostile), fc.jsonValue(), (text, value) => {
        const { line, entry } = logged({ name: text, value, [text]: text })
        expect(line.endsWith('\n')).toBe(true)
        expect(rawMarks(line.slice(0, -1))).toEqual([])
        expect(entry.name).toBe(maskSecrets(text))
      }),
      { numRuns: 150 },
    )
  })

  it('T45 writes no character raw that a terminal obeys or does not show', () => {
    const points = MARKS.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n))
    for (const point of points) {
      const name = `a${String.fromCodePoint(point)}b`
      const { line, entry } = logged({ name })
      expect(rawMarks(line.slice(0, -1)), point.toString(16)).toEqual([])
      expect(entry.name).toBe(name)
    }
    expect(logged({ name: '\u009b31mred\u202e' }).line).toContain('"\\u009b31mred\\u202e"')
    expect(logged({ name: 'Ünïcode 日本 🙂' }).line).toContain('Ünïcode 日本 🙂')
  })

  it.each([
    'token',
    'Authorization',
    'set-cookie',
    'secret',
    'loginCode',
    'code',
    'password',
    'apiKey',
    'api_key',
    'ANTHROPIC_API_KEY',
    'accessToken',
  ])('T43 never writes the field %s', (name) => {
    expect(logged({ [name]: 'hush', deep: [{ [name]: 'hush' }] }).line).not.toContain('hush')
  })

  it.each([
    'Bearer abcdefgh12345678',
    'http://127.0.0.1:4680/#login=abcdefgh12345678',
    'sk-ant-api03-abcdefgh12345678',
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'AKIAABCDEFGHIJKLMNOP',
    'xoxb-1234567890-abcdef',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh',
  ])('T43 takes out what looks like a secret: %s', (text) => {
    const secret = text.split(/Bearer |#login=/).at(-1) ?? ''
    for (const line of [
      maskSecrets(text),
      logged({ text }).line,
      logged({ error: new Error(text), list: [text] }).line,
    ]) {
      expect(line).not.toContain(secret)
    }
  })

  it('keeps what is no secret', () => {
    const { entry } = logged({ device: 'dev_1', role: 'owner', count: 3, fault: 'full' })
    expect(entry).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      level: 'warn',
      event: 'device_logged_in',
      message: 'A device logged in.',
      device: 'dev_1',
      role: 'owner',
      count: 3,
      fault: 'full',
    })
  })

  it('writes nothing below its level', () => {
    const lines: string[] = []
    const log = createLog({ level: 'error', now: () => 0, write: (line) => lines.push(line) })
    log.debug('device_logged_in')
    log.info('device_logged_in')
    log.warn('device_logged_in')
    log.error('device_logged_in')
    expect(lines.length).toBe(1)
  })

  it('writes what is meant for debugging when it is asked for, and not by default', () => {
    const written = (level: LogLevel) => {
      const lines: string[] = []
      createLog({ level, now: () => 0, write: (line) => lines.push(line) }).debug('request_failed', { token: 'hush' })
      return lines
    }
    expect(written('info')).toEqual([])
    expect(written('debug').map((line) => JSON.parse(line))).toMatchObject([{ level: 'debug', token: '[redacted]' }])
  })

  it('T45 writes a sentence for people, on one line, with the same secrets left out', () => {
    let line = ''
    const log = createLog({ level: 'info', format: 'text', now: () => 0, write: (text) => (line += text) })
    log.warn('device_logged_in', { name: 'a\nb\u001b[31m', token: 'hush', count: 3 })
    expect(line).toBe('00:00:00 warn: A device logged in. (name: a\\u000ab\\u001b[31m, token: [redacted], count: 3)\n')
  })
})
