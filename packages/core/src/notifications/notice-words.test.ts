import type { Ask } from '@holdpoint/schema/ask'
import { sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it } from 'vitest'
import { askWords, manyAsksWords, settledWords, wholeCommand } from './notice-words.ts'

const SECRET = `ghp_${'aB3dE5fG7h'.repeat(4)}`
const session = { agent: 'claude', title: 'Fix the build', cwd: '/home/ann/shop' }

function command(text: string, changes: Partial<Ask> = {}): Ask {
  return {
    ...sampleAsk(1),
    kind: 'approval',
    tool: { name: 'Bash', input: { command: text } },
    context: { cwd: '/home/ann/shop', command: text },
    ...changes,
  }
}

describe('what a notice of one ask says', () => {
  it('T44 names the tool and the session, and neither the command nor a secret, unless it may say more', () => {
    const ask = command('git push --force')
    const words = askWords(ask, { ...session, title: `Use ${SECRET}` }, 'names')
    expect(words).toEqual({ title: 'Bash needs your answer', body: 'Use [redacted] · shop' })
    expect(askWords(ask, { agent: 'claude', cwd: '/home/ann/shop' }, 'names').body).toBe('shop')
    expect(askWords(ask, session, 'nothing')).toEqual({ title: 'Holdpoint', body: 'Something needs your answer.' })
  })

  it('T44 masks a secret in the text, and says that there is more', () => {
    const { body } = askWords(command(`curl -H "Authorization: ${SECRET}"`), session, 'text')
    expect(body).not.toContain(SECRET)
    expect(body).toContain(' …')
  })

  it('shows a short command whole, with its folder', () => {
    expect(askWords(command('npm test'), session, 'text').body).toBe('npm test\nin /home/ann/shop')
  })
})

describe('T58 what may be allowed from a notification', () => {
  it('is a short plain command that is shown whole', () => {
    expect(wholeCommand(command('npm test'))).toBe('npm test\nin /home/ann/shop')
  })

  const hash = { sha256: null }
  it.each<[string, Ask]>([
    ['a long command', command('x'.repeat(200))],
    ['two lines', command('ls\nrm -rf .')],
    ['a hidden character', command('ls \u202e')],
    ['a tab', command('ls\t-la')],
    ['an end behind many spaces', command(`git status${' '.repeat(100)}; rm -rf x`)],
    ['a folder with such spaces', command('ls', { context: { command: 'ls', cwd: `/a${' '.repeat(9)}/b` } })],
    ['a secret', command(`echo ${SECRET}`)],
    [
      'another input than the command that is shown',
      command('ls', { tool: { name: 'Bash', input: { command: 'rm' } } }),
    ],
    [
      'more input',
      command('ls', { tool: { name: 'Bash', input: { command: 'ls', dangerouslyDisableSandbox: true } } }),
    ],
    ['a script that is bound', command('./x.sh', { files: [{ path: '/x.sh', use: 'runs', ...hash }] })],
    ['files that are not known', command('make', { filesUnknown: 'Which programs make runs is not known.' })],
    ['what opens on No', command('rm -rf x', { flags: { defaultToNo: true, noRemember: false } })],
    ['an appeal', command('ls', { appeal: { reason: 'no' } })],
    ['no folder', command('ls', { context: { command: 'ls' } })],
    ['a program’s own ask', command('ls', { raisedBy: 'dev_00000000000000000000000001' })],
    [
      'a tool of a server',
      command('ls', { tool: { name: 'Bash', input: { command: 'ls' }, mcpServer: { name: 'x', source: 'y' } } }),
    ],
    ['a question', command('ls', { kind: 'question' })],
  ])('is never %s', (_what, ask) => {
    expect(wholeCommand(ask)).toBeUndefined()
  })
})

it('counts several asks by session', () => {
  const other = { ...session, title: 'Write docs' }
  const asks = [session, session, other].map((of, n) => ({ ask: sampleAsk(n + 1), session: of }))
  expect(manyAsksWords(asks, 'names')).toEqual({
    title: '3 asks need your answer',
    body: 'Fix the build · shop: 2\nWrite docs · shop: 1',
  })
  expect(manyAsksWords(asks, 'nothing').body).toBe('3 asks need your answer.')
})

it('says who has answered, unless nothing may be read; an expiry is not told as an answer', () => {
  const by = { device: 'dev_00000000000000000000000001', name: 'Laptop', role: 'owner' } as const
  expect(settledWords('names', { kind: 'denied', by }).body).toBe('Answered by Laptop.')
  expect(settledWords('nothing', { kind: 'denied', by }).body).toBe('Answered.')
  for (const kind of ['cancel', 'decline'])
    expect(settledWords('names', { kind: 'denied', by, answer: { kind } }).body).toBe(
      'Closed without an answer by Laptop.',
    )
  expect(settledWords('names', { kind: 'expired' }).body).toBe('Expired: nobody answered in time.')
  expect(settledWords('names', { kind: 'withdrawn', by }).body).toMatch(/^Withdrawn/)
})
