import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readGatewayMessage, socketPath } from './protocol.ts'

describe('readGatewayMessage', () => {
  it('reads whatever it is given without throwing, and answers what it cannot use', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(readGatewayMessage(line).t).toBe('error')
      }),
    )
  })

  it('ignores fields it does not know and names types it does not know', () => {
    expect(readGatewayMessage('{"t":"hello","versions":[1],"later":true}')).toMatchObject({ t: 'hello', versions: [1] })
    expect(readGatewayMessage('{"t":"later","id":4}')).toMatchObject({ t: 'error', code: 'unknown', re: 4 })
    expect(readGatewayMessage('{"t":"constructor","id":4}')).toMatchObject({ t: 'error', code: 'unknown' })
  })

  it.each([
    ['a line of two lines', { t: 'write', id: 1, key: 'k', line: 'a\nb' }],
    ['an environment with numbers', { t: 'spawn', id: 1, key: 'k', command: 'c', args: [], cwd: '/', env: { A: 1 } }],
    ['arguments that are none', { t: 'spawn', id: 1, key: 'k', command: 'c', args: [null], cwd: '/', env: {} }],
    ['a signal of its own', { t: 'kill', id: 1, key: 'k', signal: 'SIGSTOP' }],
    ['a negative line', { t: 'ack', key: 'k', line: -1 }],
    ['no id', { t: 'memory', key: 'k' }],
  ])('refuses %s', (_name, message) => {
    expect(readGatewayMessage(JSON.stringify(message))).toMatchObject({ t: 'error', code: 'bad-message' })
  })
})

describe('socketPath', () => {
  it('refuses a path that a socket cannot have, counted in bytes', () => {
    expect(socketPath(`/${'a'.repeat(89)}`)).toBe(`/${'a'.repeat(89)}/host.sock`)
    expect(socketPath(`/${'a'.repeat(90)}`)).toBeUndefined()
    expect(socketPath(`/${'ä'.repeat(46)}`)).toBeUndefined()
  })
})
