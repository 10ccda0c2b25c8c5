import { WrittenRule } from '@holdpoint/schema/policy-file'
import { describe, expect, it } from 'vitest'
import { fileRuleOf, rulesOfFile } from './file-rules.ts'

const context = {
  home: '/home/u',
  at: 7,
  idOf: (text: string) => `rul_${text.length}` as const,
  realFolder: (path: string) => (path === '/home/u/link' ? '/data/real' : path),
}
const read = (rules: readonly object[], more: { folder?: string } = {}) =>
  rulesOfFile(
    rules.map((rule) => WrittenRule.parse(rule)),
    { ...context, ...more },
  )

describe('rules of a policy file', () => {
  it('hold everywhere and for every agent unless they say otherwise', () => {
    const until = '2027-01-31T18:00:00+01:00'
    expect(
      read([
        { effect: 'ask', pattern: 'Bash(rm *)' },
        { effect: 'deny', pattern: 'Edit(src/**)', agent: 'claude', project: '~/work', until, why: 'Not yet' },
      ]),
    ).toMatchObject({
      rules: [
        { effect: 'ask', agent: '*', scope: { kind: 'everywhere' }, at: 7, revision: 0 },
        {
          agent: 'claude',
          scope: { kind: 'project', folder: '/home/u/work' },
          until: Date.parse(until),
          why: 'Not yet',
        },
      ],
    })
  })

  it('hold where a link leads', () => {
    expect(read([{ effect: 'deny', pattern: 'Bash(rm *)', project: '~/link' }])).toMatchObject({
      rules: [{ scope: { folder: '/data/real' } }],
    })
  })

  it.each([
    [{ effect: 'deny', pattern: 'Bash(rm' }, 'The closing bracket at the end is missing'],
    [{ effect: 'deny', pattern: 'Bash(/^rm.*$/)' }, 'regular expression'],
    [{ effect: 'allow', pattern: 'Bash' }, 'has to say what Bash may do'],
    [{ effect: 'ask', pattern: 'Bash(rm *)', match: ['ls'] }, 'should match "ls"'],
    [{ effect: 'ask', pattern: 'Bash(rm *)', project: 'work' }, 'absolute path'],
    [{ effect: 'ask', pattern: 'Bash(rm *)', project: '/srv/../etc' }, 'absolute path'],
  ])('are refused with the number of the first that cannot be used: %j', (rule, why) => {
    const result = read([{ effect: 'ask', pattern: 'Bash(rm *)' }, rule])
    expect('error' in result && result.error).toContain('Rule 2 (')
    expect('error' in result && result.why).toContain(why)
  })

  it('of a repository hold in its folder alone, and cannot name another', () => {
    const rule = { effect: 'deny', pattern: 'Bash(rm *)' }
    expect(read([rule], { folder: '/repo' })).toMatchObject({
      rules: [{ scope: { kind: 'project', folder: '/repo' } }],
    })
    expect(read([{ ...rule, project: '/other' }], { folder: '/repo' })).toMatchObject({
      error: expect.stringContaining('Leave out "project"'),
    })
  })

  it('are written as they were read', () => {
    const rules = [
      { effect: 'allow', pattern: 'Bash(ls)', agent: 'claude', project: '/work', until: '2027-01-31T17:00:00.000Z' },
      { effect: 'ask', pattern: 'Bash(rm *)', agent: '*', match: ['rm x'], notMatch: ['ls'], why: 'It removes.' },
    ]
    const result = read(rules)
    expect('rules' in result && result.rules.map(fileRuleOf)).toEqual(rules)
  })
})
