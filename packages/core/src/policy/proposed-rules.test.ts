import type { CallAction } from '@holdpoint/schema/call-action'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { describe, expect, it } from 'vitest'
import { piecesOf } from './in-code.ts'
import { judge, pathsOf } from './judge.ts'
import type { PolicyCall } from './policy-call.ts'
import { proposedRules, type RunFile, whyNoneProposed } from './proposed-rules.ts'

const PROJECT = '/home/ann/app'
const HASH = 'a'.repeat(64)
const rule = (effect: PolicyRule['effect'], pattern: string): PolicyRule => ({
  id: 'rul_known',
  effect,
  agent: '*',
  pattern,
  scope: { kind: 'everywhere' },
  at: 0,
  revision: 0,
})

function callOf(action: CallAction): PolicyCall {
  return { agent: 'claude', tool: '', action, cwd: PROJECT, project: PROJECT, home: '/home/ann', trusted: true }
}

function proposed(action: CallAction, { rules = [] as PolicyRule[], run = [] as RunFile[] } = {}) {
  const call = callOf(action)
  const realPaths = new Map(pathsOf(call).map((path) => [path, path]))
  return proposedRules(rules, call, { now: 0, realPaths, hashes: new Map(), guarded: [] }, run)
}
const bash = (command: string, given?: Parameters<typeof proposed>[1]) =>
  proposed({ type: 'command', command }, given).map(({ pattern }) => pattern)

describe('rules that are proposed for a call', () => {
  it.each([
    ['ls -l src', ['Bash(ls -l src)', 'Bash(ls *)']],
    ['git log --oneline -3', ['Bash(git log --oneline -3)', 'Bash(git log *)']],
    ['git log', ['Bash(git log)']],
    ["grep 'it''s $x' a.txt", ["Bash(grep 'its $x' a.txt)", 'Bash(grep *)']],
    ['echo "it\'s"', ["Bash(echo 'it'\\''s')", 'Bash(echo *)']],
    ['ls *.ts', ['Bash(ls *)']],
  ])('T32 are the exact words of %s first, then words that only read', (command, patterns) =>
    expect(bash(command)).toEqual(patterns),
  )

  it.each(['npm test', 'sh build.sh', 'make all', 'node a.js', 'rm a', 'mkdir -p a', 'git push', 'sudo ls', 'env ls'])(
    'T17 are the exact words of %s alone: it runs others, or changes something',
    (command) => expect(bash(command)).toEqual([`Bash(${command})`]),
  )

  it.each([
    'ls $(x)',
    'A=1 ls',
    'ls > out',
    'ls &',
    'for a in b; do ls; done',
    'git -c a=b log',
    './build.sh',
    'ls /etc',
  ])('are none with a wildcard, and none that would not hold, for %s', (command) =>
    expect(bash(command).filter((pattern) => pattern.includes('*'))).toEqual([]),
  )

  it('say what it means to allow a program that runs others', () => {
    expect(proposed({ type: 'command', command: 'npm test' })).toEqual([
      { pattern: 'Bash(npm test)', says: 'Exactly this command. `npm` runs what package.json says.' },
    ])
  })

  it('T27 keep the names of an agent apart from what they say', () => {
    const name = 'a` is reviewed. `b'
    const run = [{ path: `${PROJECT}/${name}`, sha256: HASH }]
    const found = [
      ...proposed({ type: 'command', command: `sh '${name}'` }, { run }),
      ...proposed({ type: 'file', use: 'read', path: `${PROJECT}/${name}/c` }),
    ].filter(({ says }) => says.includes('reviewed'))
    expect(found).toHaveLength(2)
    for (const { says } of found) {
      const ours = piecesOf(says).filter(({ isCode }) => !isCode)
      expect(JSON.stringify(ours)).not.toContain('reviewed')
    }
  })

  it('are pinned to the files that the command runs', () => {
    const run = [{ path: `${PROJECT}/build.sh`, sha256: HASH }]
    const [exact, ...others] = proposed({ type: 'command', command: './build.sh' }, { run })
    expect(exact).toMatchObject({ pattern: 'Bash(./build.sh)', pins: run })
    expect(exact?.says).toMatch(/Only while `\/home\/ann\/app\/build.sh` stays unchanged\.$/)
    expect(others).toEqual([])
  })

  it('are for the part that no rule allows yet, and none where two are missing', () => {
    expect(bash('ls && git log -3', { rules: [rule('allow', 'Bash(ls *)')] })).toEqual([
      'Bash(git log -3)',
      'Bash(git log *)',
    ])
    expect(bash('ls -l && git log -3')).toEqual([])
  })

  it('are none where a rule asks or denies', () => {
    expect(bash('ls -l', { rules: [rule('ask', 'Bash(ls *)')] })).toEqual([])
    expect(bash('ls -l', { rules: [rule('deny', 'Bash')] })).toEqual([])
  })

  it.each<[CallAction, readonly string[]]>([
    [
      { type: 'file', use: 'write', path: `${PROJECT}/src/queue/a.ts` },
      [`Edit(/${PROJECT}/src/queue/a.ts)`, 'Edit(/src/queue/**)', 'Edit(/src/**)'],
    ],
    [{ type: 'file', use: 'write', path: `${PROJECT}/src/a.ts` }, [`Edit(/${PROJECT}/src/a.ts)`, 'Edit(/src/**)']],
    [{ type: 'file', use: 'write', path: `${PROJECT}/a [1]*.ts` }, [`Edit(/${PROJECT}/a \\[1\\]\\*.ts)`]],
    [{ type: 'file', use: 'write', path: `${PROJECT}/.github/a.yml` }, []],
    [{ type: 'file', use: 'write', path: '/home/ann/.bashrc' }, []],
    [{ type: 'file', use: 'read', path: '/home/ann/notes/a.md' }, ['Read(//home/ann/notes/a.md)']],
    [{ type: 'file', use: 'read', path: '/etc/hosts' }, ['Read(//etc/hosts)']],
    [{ type: 'fetch', url: 'https://example.com/a?b' }, ['WebFetch(domain:example.com)']],
    [{ type: 'fetch', url: 'http://example.com:8080/' }, ['WebFetch(domain:example.com:8080)']],
    [{ type: 'fetch', url: 'ftp://example.com/' }, []],
    [{ type: 'mcp', server: 'issues', tool: 'create' }, ['mcp__issues__create']],
    [{ type: 'tool' }, []],
  ])('for %j', (action, patterns) => expect(proposed(action).map(({ pattern }) => pattern)).toEqual(patterns))

  it.each<[string, CallAction, Partial<PolicyCall>, RegExp]>([
    ['the folder is not trusted', { type: 'command', command: 'git log -3' }, { trusted: false }, /is not trusted\.$/],
    [
      'a second part needs a rule of its own',
      { type: 'command', command: 'date > now.txt' },
      {},
      /^One rule cannot allow all of it\. It writes to/,
    ],
    ['it is decided at run time', { type: 'command', command: 'ls $(x)' }, {}, /run time/],
    [
      'a hidden file is never proposed',
      { type: 'file', use: 'write', path: `${PROJECT}/.github/a.yml` },
      {},
      /page Rules/,
    ],
  ])('are none, and the reason is given: %s', (_, action, given, reason) => {
    const call = { ...callOf(action), ...given }
    const realPaths = new Map(pathsOf(call).map((path) => [path, path]))
    const facts = { now: 0, realPaths, hashes: new Map(), guarded: [] }
    expect(proposedRules([], call, facts, [])).toEqual([])
    expect(whyNoneProposed([], call, facts, [])).toMatch(reason)
  })

  it('allow this very call, each alone', () => {
    const call = callOf({ type: 'command', command: 'git log -3' })
    const facts = {
      now: 0,
      realPaths: new Map(pathsOf(call).map((path) => [path, path])),
      hashes: new Map(),
      guarded: [],
    }
    for (const { pattern } of proposedRules([], call, facts, []))
      expect(judge([rule('allow', pattern)], call, facts).effect).toBe('allow')
  })
})
