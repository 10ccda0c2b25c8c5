import type { PolicyRule } from '@holdpoint/schema/policy'
import type { ListedRule } from '@holdpoint/schema/rule'
import { describe, expect, it } from 'vitest'
import { ruleGroups } from './rule-groups.ts'

const SESSION = 'ses_01kdzzzzzz0000000000000001' as const
const rule = (id: string, given: Partial<PolicyRule>): PolicyRule => ({
  id: `rul_${id}`,
  effect: 'allow',
  agent: '*',
  pattern: 'Bash(ls *)',
  scope: { kind: 'everywhere' },
  at: 0,
  revision: 0,
  ...given,
})
const POLICY = [
  rule('ls', { why: 'It only reads.' }),
  rule('sudo', {
    effect: 'ask',
    pattern: 'Bash(sudo *)',
    match: ['sudo ls -l'],
    why: 'It may run *anything*, also ls.',
  }),
  rule('rm', { effect: 'deny', pattern: 'Bash(rm *)' }),
  rule('push', { effect: 'ask', pattern: 'Bash(git push *)', scope: { kind: 'project', folder: '/b' } }),
  rule('edit', { pattern: 'Edit(src/**)', scope: { kind: 'project', folder: '/a' } }),
  rule('here', { pattern: 'Bash(make)', scope: { kind: 'session', sessionId: SESSION } }),
]
const REMEMBERED = [
  { id: 'rul_kept', scope: 'session', sessionId: SESSION, rule: 'Bash(npm test) in /a' },
] as unknown as ListedRule[]

function groups(words = '', ids: readonly string[] = []) {
  const shown = ruleGroups(POLICY, REMEMBERED, { words, ids: new Set(ids) }, () => 'Retry queue')
  return shown.map(({ scope, place, rules }) => [scope, place, ...rules.map(({ id }) => id.slice(4))])
}

describe('rules by where they hold', () => {
  it('are those for everywhere, then by folder, then by session; the strictest first', () => {
    expect(groups()).toEqual([
      ['everywhere', '', 'rm', 'sudo', 'ls'],
      ['project', '/a', 'edit'],
      ['project', '/b', 'push'],
      ['session', SESSION, 'here', 'kept'],
    ])
  })

  it.each([
    ['rm', [['everywhere', '', 'rm']]],
    ['DENY bash', [['everywhere', '', 'rm']]],
    ['only reads', [['everywhere', '', 'ls']]],
    ['/b', [['project', '/b', 'push']]],
    ['retry npm', [['session', SESSION, 'kept']]],
    ['ush', []],
    ['ls *', [['everywhere', '', 'ls']]],
    ['LS  *', [['everywhere', '', 'ls']]],
    ['bash(ls', [['everywhere', '', 'ls']]],
    ['src/**', [['project', '/a', 'edit']]],
    ['npm test)', [['session', SESSION, 'kept']]],
    ['s *', []],
    ['sudo ls', [['everywhere', '', 'sudo']]],
    ['pu', [['project', '/b', 'push']]],
    ['nothing like it', []],
  ])('are found by every word of %j', (words, found) => expect(groups(words)).toEqual(found))

  it('are only those that somebody came for', () => {
    expect(groups('', ['rul_kept', 'rul_ls'])).toEqual([
      ['everywhere', '', 'ls'],
      ['session', SESSION, 'kept'],
    ])
  })
})
