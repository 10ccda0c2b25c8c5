import { StoreFault } from '@holdpoint/core/store'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, UnreachableError } from './api.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { codeIn } from './credential.ts'
import { failureWords } from './failure-words.ts'
import { gatewayAddresses, givenAddresses } from './gateway-address.ts'

afterEach(() => vi.unstubAllEnvs())

function refusedBy(status: number, error: Record<string, unknown>) {
  return failureWords(new ApiError(status, { error: { message: 'No.', ...error } }))
}

describe('words for a failure', () => {
  it('names the winner when the race was lost (I1)', () => {
    const by = { device: 'dev_1', name: 'Ada\u202es phone', role: 'owner' }
    const outcome = {
      kind: 'denied',
      at: Date.now() - 3000,
      by,
      via: 'web',
      answer: { kind: 'deny', message: 'Not now' },
    }
    const { words, exitCode } = refusedBy(409, { code: 'already_settled', outcome })
    expect(exitCode).toBe(EXIT.refused)
    expect(words).toContain('denied: "Not now"; by "Ada⟨U+202E⟩s phone" (owner) in a browser; at ')
    expect(words).toMatch(/\d\d:\d\d:\d\d/)
  })

  it('lists what does not fit', () => {
    const { words, exitCode } = refusedBy(422, { code: 'invalid_answer', issues: ['name is required'] })
    expect({ words, exitCode }).toEqual({ words: 'No.\n  - name is required', exitCode: EXIT.refused })
  })

  it('says what to set when the credential is not known', () => {
    vi.stubEnv('HOLDPOINT_TOKEN', 'wrong')
    expect(refusedBy(401, { code: 'unauthorized' })).toMatchObject({
      words: expect.stringContaining('does not know this HOLDPOINT_TOKEN'),
      exitCode: EXIT.failure,
    })
  })

  it('tells a gateway that is not there from one whose certificate is not trusted', () => {
    const cause = (code: string) => new TypeError('fetch failed', { cause: { code } })
    const url = 'https://127.0.0.1:1'
    expect(failureWords(new UnreachableError(url, cause('ECONNREFUSED'))).exitCode).toBe(EXIT.notRunning)
    const unsaid = failureWords(new UnreachableError(url, new Error('other side closed')))
    expect(unsaid.words).toBe(`No gateway answers at ${url}: start it with "holdpoint start".`)
    const untrusted = failureWords(new UnreachableError(url, cause('DEPTH_ZERO_SELF_SIGNED_CERT')))
    expect(untrusted.words).toContain('NODE_EXTRA_CA_CERTS')
  })

  it('gives a locked folder its own exit code (F27)', () => {
    expect(failureWords(new StoreFault('locked', 'Another one.')).exitCode).toBe(EXIT.locked)
    expect(failureWords(new StoreFault('corrupt', 'Damaged.')).exitCode).toBe(EXIT.failure)
    // A machine's name, or what a server says.
    expect(failureWords(new StoreFault('locked', 'on “\u001b]0;x”.')).words).not.toContain('\u001b')
  })
})

describe('where to send a credential', () => {
  it('takes this machine or an encrypted connection, and nothing else', async () => {
    for (const url of ['http://127.0.0.1:1/x', 'http://[::1]:1', 'https://example.org', 'https://localhost:1']) {
      expect(await gatewayAddresses({ url: [url] })).toEqual([new URL(url).origin])
    }
    // Any user of this machine may answer to the name at ::1 (T64).
    expect(await gatewayAddresses({ url: ['http://LocalHost:1'] })).toEqual(['http://127.0.0.1:1'])
    for (const url of ['http://192.0.2.1:1', 'http://127.0.0.1.example.org', 'ftp://127.0.0.1', 'nonsense']) {
      await expect(gatewayAddresses({ url: ['https://example.org', url] })).rejects.toThrow(CliError)
    }
  })

  it('takes several addresses, with commas or one by one, and those of HOLDPOINT_URL unless a flag says otherwise', async () => {
    const both = ['https://a.example', 'https://b.example']
    expect(await gatewayAddresses({ url: ['https://a.example, https://b.example/', 'https://a.example'] })).toEqual(
      both,
    )
    vi.stubEnv('HOLDPOINT_URL', both.join())
    expect(await gatewayAddresses({})).toEqual(both)
    expect(await gatewayAddresses({ url: ['https://c.example'] })).toEqual(['https://c.example'])
    expect(givenAddresses({ data: '/nowhere' })).toBeUndefined()
    vi.unstubAllEnvs()
    await expect(gatewayAddresses({ url: ['https://a.example,'] })).rejects.toThrow(CliError)
  })

  it('finds the code in a link', () => {
    expect(codeIn(' http://127.0.0.1:4680/#login=abc_-1\n')).toBe('abc_-1')
    expect(codeIn('abc_-1')).toBe('abc_-1')
  })
})
