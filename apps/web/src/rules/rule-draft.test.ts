import type { PolicyRule } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { draftOf, type Ending, newDraft, ruleOf } from './rule-draft.ts'

const NOW = new Date(2026, 0, 15, 10, 30).getTime()
const RULE: PolicyRule = {
  id: 'rul_1',
  effect: 'allow',
  agent: 'claude',
  pattern: 'Bash(./build.sh)',
  scope: { kind: 'session', sessionId: 'ses_1' },
  until: NOW + 5,
  match: ['./build.sh', 'a\nb'],
  notMatch: ['./build.sh -x'],
  pins: [{ path: '/p/build.sh', sha256: 'a'.repeat(64) }],
  why: 'It builds.',
  by: { device: 'dev_1', name: 'Laptop', role: 'owner' },
  at: 1,
  revision: 3,
}

describe('a rule that is edited', () => {
  it('is the same rule while nothing is changed, tests of several lines included', () => {
    const { id, by, at, revision, ...same } = RULE
    expect(ruleOf(draftOf(RULE, '/p'), NOW)).toEqual(same)
  })

  it('loses what is emptied', () => {
    const draft = { ...draftOf(RULE, '/p'), match: ' \n', notMatch: '', why: ' ', pins: [], ending: 'never' as const }
    expect(ruleOf(draft, NOW)).toEqual({
      effect: 'allow',
      agent: 'claude',
      pattern: 'Bash(./build.sh)',
      scope: RULE.scope,
    })
  })

  it('has one test on each line, spaces within them kept', () => {
    const draft = { ...newDraft('/p'), pattern: ' Bash(ls *) ', match: 'ls  a\n\nls', notMatch: 'rm' }
    expect(ruleOf(draft, NOW)).toMatchObject({ pattern: 'Bash(ls *)', match: ['ls  a', 'ls'], notMatch: ['rm'] })
  })

  it('holds in a folder, whose slash at the end is dropped', () => {
    const folder = (given: string) => ruleOf({ ...newDraft(given), scope: 'project' }, NOW).scope
    expect(folder(' /a/b/ ')).toEqual({ kind: 'project', folder: '/a/b' })
    expect(folder('/')).toEqual({ kind: 'project', folder: '/' })
  })

  it('asks, everywhere and for ever, unless somebody says otherwise', () => {
    expect(ruleOf(newDraft('/p'), NOW)).toEqual({
      effect: 'ask',
      agent: '*',
      pattern: '',
      scope: { kind: 'everywhere' },
    })
  })
})

it('an end is counted from now, unless it is kept', () => {
  const end = (ending: Ending) => ruleOf({ ...draftOf({ ...RULE, until: 7 }, '/p'), ending }, NOW).until
  expect(end('never')).toBeUndefined()
  expect(end('kept')).toBe(7)
  expect(end('soon')).toBe(NOW + 900_000)
  expect(end('today')).toBe(new Date(2026, 0, 16).getTime())
})
