import { createHash } from 'node:crypto'
import type { CallAction } from '@holdpoint/schema/call-action'
import { describe, expect, it } from 'vitest'
import { countedRules } from './counted-rules.ts'
import { HOSTILE } from './fixtures/hostile-sample.ts'
import { HOME, PROJECT, policyCall, policyRule } from './fixtures/judged.ts'
import { keptText } from './fixtures/past.ts'
import { judge, judgeParts, pathsOf, pathsOfParts } from './judge.ts'
import { aboutPattern, asWritten, keptCall, PARTS_VERSION, readKeptCall } from './kept-call.ts'
import { parseRulePattern } from './rule-pattern.ts'

const RULES = [
  policyRule('allow', 'Bash(ls *)'),
  policyRule('allow', 'Bash(cat *)'),
  policyRule('allow', 'Bash(git status)'),
  policyRule('allow', 'Edit(src/**)'),
  policyRule('allow', 'Read(**)'),
  policyRule('allow', 'WebFetch(domain:example.com)'),
  policyRule('allow', 'mcp__calendar__list'),
  policyRule('ask', 'Bash(rm *)'),
  policyRule('deny', 'Bash(git push *)'),
]
const ACTIONS: readonly CallAction[] = [
  ...HOSTILE.map((command) => ({ type: 'command' as const, command })),
  { type: 'file', use: 'write', path: `${PROJECT}/src/a.ts` },
  { type: 'file', use: 'write', path: '/etc/passwd' },
  { type: 'file', use: 'read', path: `${PROJECT}/../x` },
  { type: 'fetch', url: 'https://example.com/a' },
  { type: 'mcp', server: 'calendar', tool: 'list' },
  { type: 'tool' },
]

/** One of each way in which commands are split. */
const SPLIT = [
  'cd src && ls -l > out < in; (rm a | cat) &',
  'A=1 env B=2 sudo -u x timeout 5 git push',
  'sudo xargs -I{} timeout 5 {} push',
  'find . -name x -exec sudo {} push \\;',
  "bash -c '$0 push; rm $x' git",
  "echo 'git push' | parallel",
  'git -c alias.x=!rm x; eval "rm a"',
  'sh <<E\nrm a\nE',
  'for a in *; do rm $a; done; echo $(rm b) `rm c` {d,e}',
  'f() { rm a; }; f',
]

describe('a kept call', () => {
  it('is made again by a version that splits calls in another way', () => {
    const texts = SPLIT.map((command) => keptText(command))
    const parts = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16)
    // Where this fails, increase PARTS_VERSION.
    expect({ version: PARTS_VERSION, parts }).toEqual({ version: 3, parts: '7187d1f0132a0897' })
  })

  it.each(ACTIONS)('has the verdict of the call itself: %j', (action) => {
    const call = policyCall(action)
    const { parts, ...read } = readKeptCall(keptText(action))
    const kept = { ...call, ...read }
    expect(pathsOfParts(parts)).toEqual(pathsOf(call))
    const facts = { now: 1, hashes: new Map(), guarded: [`${HOME}/.holdpoint`], realPaths: asWritten(pathsOf(call)) }
    expect(judgeParts(countedRules(RULES, kept, 1), kept, parts, facts)).toEqual(judge(RULES, call, facts))
  })

  it('is kept with what it does besides, for which no rule is ever suggested, and not if it is too long', () => {
    const action = { type: 'command', command: 'ls' } as const
    const call = { agent: 'claude', tool: 'Bash', action, cwd: PROJECT, home: HOME }
    const besides = 'Its input also has run_in_background.'
    expect(keptCall({ ...call, besides })).toMatchObject({ stem: undefined })
    expect(readKeptCall(keptCall({ ...call, besides })?.text ?? '')).toMatchObject({ besides })
    expect(keptCall({ ...call, action: { ...action, command: `ls ${'x'.repeat(30_000)}` } })).toBeUndefined()
  })

  it.each([
    ['Bash(git status)', 'git status && ls'],
    ['Bash(ls *)', 'cd src && ls x | cat'],
    ['Edit(src/**)', 'ls > src/a'],
    ['Read(src/**)', 'cat < src/a'],
  ])('is about what the rule %j is about: %j', (pattern, command) => {
    const parsed = parseRulePattern(pattern, 'allow')
    const about = 'pattern' in parsed ? aboutPattern(parsed.pattern) : undefined
    const kept = keptCall({
      agent: 'claude',
      tool: 'Bash',
      action: { type: 'command', command },
      cwd: PROJECT,
      home: HOME,
    })
    expect(about).toBeDefined()
    expect(kept?.about).toContain(about)
  })

  it.each([
    ['npm test', 'npm test'],
    ['npm run lint:css', 'npm run'],
    ['git commit -m x', 'git commit'],
    ['grep -rn a src', 'grep'],
    ['git log --oneline', 'git log'],
    ['npm run deploy', undefined],
    ['npm publish', undefined],
    ['git push', undefined],
    ['curl https://example.com', undefined],
    ['rm a', undefined],
    ['npm test && npm test', undefined],
    ['npm test $X', undefined],
    ['kubectl get pods', undefined],
  ])('has a stem only if it is known to change nothing outside of the project: %j', (command, stem) => {
    const kept = keptCall({
      agent: 'claude',
      tool: 'Bash',
      action: { type: 'command', command },
      cwd: PROJECT,
      home: HOME,
    })
    expect(kept?.stem).toBe(stem)
  })
})
