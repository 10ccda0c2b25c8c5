import type { CallAction } from '@holdpoint/schema/call-action'
import type { AskId } from '@holdpoint/schema/id'
import { describe, expect, it } from 'vitest'
import { HOME, PROJECT, policyRule } from './fixtures/judged.ts'
import { keptText } from './fixtures/past.ts'
import { type AllowedCalls, suggestions } from './suggestions.ts'

const latest = `ask_${'0'.repeat(26)}` as AskId

const calls = (given: readonly (string | CallAction)[], more: Partial<AllowedCalls> = {}): AllowedCalls => ({
  project: PROJECT,
  trusted: true,
  stem: undefined,
  calls: given.map((each) => keptText(each)),
  allowed: 5,
  latest,
  ...more,
})
const suggested = (allowed: readonly AllowedCalls[], rules: Parameters<typeof suggestions>[0]['rules'] = []) =>
  suggestions({ allowed, rules, home: HOME, guarded: [], now: 1 }).map(({ rule, saved }) => [rule.pattern, saved])

describe('a suggestion', () => {
  it('is the narrowest rule for what was allowed five times in a project', () => {
    expect(suggested([calls(['touch built.txt'], { allowed: 7 })])).toEqual([['Bash(touch built.txt)', 7]])
    expect(suggested([calls(['touch built.txt'], { allowed: 4 })])).toEqual([])
    const [only] = suggestions({ allowed: [calls(['touch built.txt'])], rules: [], home: HOME, guarded: [], now: 1 })
    expect(only?.rule).toEqual({
      effect: 'allow',
      agent: 'claude',
      pattern: 'Bash(touch built.txt)',
      scope: { kind: 'project', folder: PROJECT },
    })
  })

  it('quotes words as a shell would', () => {
    expect(suggested([calls([`touch "it's done"`])])).toEqual([[`Bash(touch 'it'\\''s done')`, 5]])
  })

  it('has a wildcard only where different words were allowed, and every one of them would be', () => {
    const logs = ['git log -1', 'git log --oneline', 'git log -3']
    expect(suggested([calls(logs, { stem: 'git log' })])).toEqual([['Bash(git log *)', 5]])
    // What runs programs is allowed by its exact words alone.
    expect(suggested([calls(['npm test a', 'npm test b'], { stem: 'npm test' })])).toEqual([])
    // They run a program, or a toolchain, that an option or a file of the project names.
    expect(suggested([calls(['mypy a.py', 'mypy b.py'], { stem: 'mypy' })])).toEqual([])
    expect(suggested([calls(['rustfmt a.rs', 'rustfmt b.rs'], { stem: 'rustfmt' })])).toEqual([])
    // What package.json says may be something else tomorrow.
    expect(suggested([calls(['npm test'])])).toEqual([])
  })

  it('is for files by their path, or by their folder', () => {
    const edit = (path: string): CallAction => ({ type: 'file', use: 'write', path: `${PROJECT}/${path}` })
    expect(suggested([calls([edit('~/a.ts')])])).toEqual([])
    expect(suggested([calls([edit('src/*')])])).toEqual([['Edit(/src/\\*)', 5]])
    expect(suggested([calls([edit('a.ts'), edit('b.ts')], { stem: 'write ' })])).toEqual([])
    expect(suggested([calls([edit('src/a.ts')])])).toEqual([['Edit(/src/a.ts)', 5]])
    const stem = `write ${PROJECT}/src`
    expect(suggested([calls([edit('src/a.ts'), edit('src/b.ts')], { stem })])).toEqual([['Edit(/src/**)', 5]])
  })

  it.each(['cat /etc/passwd', 'touch ../x', 'git log --output=/etc/x', 'mkdir ~/x', 'ls $HOME'])(
    'is never made for what leads out of the project: %j',
    (command) => {
      expect(suggested([calls([command])])).toEqual([])
      const action: CallAction = { type: 'file', use: 'write', path: '/etc/hosts' }
      expect(suggested([calls([action])])).toEqual([])
    },
  )

  it('is not made where a rule decides already, or a narrower suggestion does', () => {
    const allowed = [calls(['touch built.txt'])]
    expect(suggested(allowed, [policyRule('allow', 'Bash(touch built.txt)')])).toEqual([])
    expect(suggested(allowed, [policyRule('ask', 'Bash(touch *)')])).toEqual([])
    const both = [calls(['git log -1']), calls(['git log -1'], { stem: 'git log' })]
    expect(suggested(both)).toEqual([['Bash(git log -1)', 5]])
  })

  it('comes with the most asks saved first', () => {
    const found = suggested([calls(['touch built.txt']), calls(['git log'], { allowed: 9 })])
    expect(found.map(([pattern]) => pattern)).toEqual(['Bash(git log)', 'Bash(touch built.txt)'])
  })
})
