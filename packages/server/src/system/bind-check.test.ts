import { describe, expect, it } from 'vitest'
import { refuseBind } from './bind-check.ts'

describe('T7 binding', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('to %s needs nothing more', (host) => {
    expect(refuseBind({ host, hasTls: false })).toBeUndefined()
  })

  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.5',
    '10.0.0.1',
    'fe80::1',
    'example.com',
    '',
    '127.0.0.1.evil',
    '127.',
    '::ffff:127.0.0.1',
    'localhost.evil',
    '1270.0.0.1',
  ])('to %j is refused without TLS or a declared proxy', (host) => {
    expect(refuseBind({ host, hasTls: false })).toContain('--tls-cert')
    expect(refuseBind({ host, hasTls: false, publicUrl: 'http://example.com' })).toContain('--tls-cert')
    expect(refuseBind({ host, hasTls: true })).toBeUndefined()
    expect(refuseBind({ host, hasTls: false, publicUrl: 'https://example.com' })).toBeUndefined()
  })
})
